// SPDX-License-Identifier: MIT
// Whether the order of one work-item's own accesses to memory is safe from the vectoriser.
#pragma once

#include <vector>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {

// Compilers that are told that the iterations of a loop are independent take every dependence that they
// cannot compute to be absent, also those inside one iteration: a load may then be moved above a store to the
// same place. True when a store is followed by a load from what may be the same memory, and the distance
// between the two is not known: through two pointers, or by an index that is no sum of the same terms.
bool may_break_order(const std::vector<const Stmt*>& statements);

}  // namespace quern::frontend::lower
