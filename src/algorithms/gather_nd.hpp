// SPDX-License-Identifier: MIT
// Gathers and scatters elements at positions that arrays hold, for indexing with arrays.
#pragma once

#include <cstdint>
#include <span>

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

struct PositionStep {
  std::int64_t length = 0, stride = 0;  // elements, and bytes from one to the next
};

// An array of positions, and the axes that they count. A position counts the elements of these axes in C
// order. Positions that may be negative or out of bounds count one axis.
struct Positions {
  const Array* array;
  std::span<const PositionStep> steps;
  bool is_checked;
};

// Gathers elements from `base` into `other`; if it `writes`, scatters elements of `other` to `base`.
// `base` has the shape of `other` and holds the elements for positions of zero. `slots` has an int64 for
// each array that is checked, in which a position out of bounds is stored. Such elements are not written;
// gathered ones are unspecified. `other` has elements.
Event gather_nd(const Queue& queue, const Array& base, std::span<const Positions> positions,
                const Array& other, bool writes, const Buffer* slots);

}  // namespace quern::algorithms
