// SPDX-License-Identifier: MIT
// A kernel and its helpers as one tree: what the passes over regions work on.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

struct InlinedBody {
  std::vector<const Stmt*> statements;
  // Parameters that the kernel changes are variables of the tree; they start as copies of the parameters.
  std::vector<Variable*> copies;
};

// A copy of a kernel's body in which
// - helpers that hold a barrier, or a loop, are inlined;
// - nothing returns: what follows a return is inside a branch;
// - each declaration declares one variable;
// - functions of the work-group that have a value are statements of their own, in three steps: each work-item
//   leaves its value, the group combines the values, each work-item takes the result;
// - comparisons in `dropped` are left out, as true in a conjunction and as false in a disjunction.
// Returns nothing where the kernel uses goto, or calls a helper with a barrier or such a function in a part
// of an expression that may not be evaluated.
std::optional<InlinedBody> inlined_body(Program& program, const Function* kernel,
                                        const std::unordered_set<const Expr*>& dropped, bool drops_return);

}  // namespace quern::frontend::lower
