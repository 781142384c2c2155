// SPDX-License-Identifier: MIT
// Predicates about pairs of arrays.
#pragma once

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Whether the byte ranges of the arrays overlap. Evaluates expressions first.
bool may_share_memory(const Array& a, const Array& b);
// Whether the arrays have a byte in common. For views of many axes this may take long.
bool shares_memory(const Array& a, const Array& b);
// Whether the shapes broadcast and all elements are then equal. Waits for the result.
bool array_equiv(const Array& a, const Array& b);

}  // namespace quern
