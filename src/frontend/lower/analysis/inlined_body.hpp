// SPDX-License-Identifier: MIT
// A kernel with its helpers inlined into one tree, which the region analyses use.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

struct InlinedBody {
  std::vector<const Stmt*> statements;
  // Variables for the parameters that the kernel changes; they are initialised from the parameters.
  std::vector<Variable*> copies;
};

// A copy of a kernel's body in which
// - helpers with a barrier or a loop are inlined;
// - there is no return: statements after a return are inside a branch;
// - each declaration declares one variable;
// - work-group functions that return a value are three separate statements: each work-item stores its value,
// the group combines the values, each work-item loads the result;
// - comparisons in `dropped` are omitted, as true in a conjunction and as false in a disjunction.
// Returns nothing if the kernel uses goto, or if a part of an expression that may not be evaluated calls such
// a work-group function or a helper with a barrier.
std::optional<InlinedBody> inlined_body(Program& program, const Function* kernel,
                                        const std::unordered_set<const Expr*>& dropped, bool drops_return);

}  // namespace quern::frontend::lower
