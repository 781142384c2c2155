// SPDX-License-Identifier: MIT
// Elements that are marked and moved together by functions of the library, on the host.
#pragma once

#include <cstddef>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// What is marked of an array of numbers: what is not zero, or what differs from the element before it, as the
// first one does.
enum class Mark : std::uint8_t { nonzero, head };

// A byte for each element of a contiguous array, 1 or 0, and one for its end, 1.
Buffer marked(const Queue& queue, const Array& x, Mark mark, bool negated = false);

// Where what is kept goes; what is empty is not wanted.
struct Selected {
  Buffer elements, out;  // of any size
  std::size_t itemsize = 0;
  Buffer positions, lengths;  // int64: of each element, and how far it is to the next that is kept
  Buffer count;
  bool partition = false;  // those that are not kept follow
  bool ends = false;       // kept is what stands in front of a mark
};
Event select_by_loops(const Queue& queue, const Buffer& marks, std::size_t n, const Selected& selected);

}  // namespace quern::algorithms
