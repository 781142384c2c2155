// SPDX-License-Identifier: MIT
// Whether the order of one work-item's own accesses to memory is safe from the vectoriser.
#pragma once

#include <vector>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {

// A compiler that is told that the iterations of a loop are independent takes every dependence that it cannot
// compute to be absent, also one inside an iteration. It may then move a load above a store to the same
// address. Returns true when a store is followed by a load from what may be the same memory and the distance
// between the two is not known: through two pointers, or by indices that are not sums of the same terms.
bool may_break_order(const std::vector<const Stmt*>& statements);

}  // namespace quern::frontend::lower
