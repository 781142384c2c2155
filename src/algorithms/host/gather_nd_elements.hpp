// SPDX-License-Identifier: MIT
// Elements read and written at positions that arrays say, on the host and without a compiler.
#pragma once

#include <cstdint>
#include <span>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

struct PositionStep {
  std::int64_t length = 0, stride = 0;  // elements, and bytes from one to the next
};

// How one array of positions leads to elements: counted along several axes in C order or, where positions may
// be negative or out of bounds, along one.
struct Positions {
  const Array* array;
  std::span<const PositionStep> steps;
  bool is_checked;
};

// Moves elements from `place` to `other`, or the other way round where it `writes`. The place says where they
// are for positions of zero, in the shape of all operands together, which `other` has. A position that leads
// nowhere is stored in `notes`, which has an int64 for each array that is checked; nothing is put there, and
// anything picked. On a queue that calls functions of the library; `other` has elements.
Event gather_nd(const Queue& queue, const Array& place, std::span<const Positions> positions,
                const Array& other, bool writes, const Buffer* notes);

}  // namespace quern::algorithms
