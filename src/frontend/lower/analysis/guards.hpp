// SPDX-License-Identifier: MIT
// Finds `if (i < n)` around a kernel's body, which becomes a limit of the loop over work-items.
#pragma once

#include <unordered_set>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

// A bound with which every work-item compares its first global id before it does anything: `id < bound` or
// `id <= bound`. The comparison is removed from the kernel and limits the loop over work-items.
struct Guard {
  const Expr* bound = nullptr;
  const Type* id_type = nullptr;  // int, uint or ulong: which bits of the id are compared, as bound's type
  bool inclusive = false;
};

struct Guards {
  std::vector<Guard> bounds;
  std::unordered_set<const Expr*> hoisted;  // the comparisons in the kernel's body
  bool returns = false;                     // `if (id >= n) return;` rather than `if (id < n) { ... }`

  // Whether the loop over work-items tests the whole condition.
  [[nodiscard]] bool is_hoisted(const Expr* condition) const;
};

// Empty for a kernel that other functions call or that has a barrier, and in programs for a debugger.
Guards find_guards(Program& program, const Function* f);

}  // namespace quern::frontend::lower
