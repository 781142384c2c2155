// SPDX-License-Identifier: MIT
// Whether the vectoriser keeps the order of a work-item's own memory accesses.
#pragma once

#include <vector>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {

// If a pragma says that the iterations of a loop are independent, the compiler assumes that each dependence
// that it cannot compute is absent, even one inside an iteration. It may then move a load above a store to
// the same address. Returns true if a load follows a store to memory that may be the same and the distance is
// unknown: through two pointers, or by indices that are not sums of the same terms.
bool may_break_order(const std::vector<const Stmt*>& statements);

}  // namespace quern::frontend::lower
