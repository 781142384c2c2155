// SPDX-License-Identifier: MIT
// Questions about arrays whose answers are truths.
#pragma once

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Whether the first to the last byte of each overlap. Puts expressions into memory first.
bool may_share_memory(const Array& a, const Array& b);
// Whether a byte of one is a byte of the other, too. Views of many axes may take long to tell.
bool shares_memory(const Array& a, const Array& b);
// Whether the shapes broadcast and all elements are equal then. Waits for the answer.
bool array_equiv(const Array& a, const Array& b);

}  // namespace quern
