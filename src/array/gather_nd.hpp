// SPDX-License-Identifier: MIT
// Elements read and written at positions that arrays say: the kernels below indexing with arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/host/gather_nd_elements.hpp"
#include "array/index_errors.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::array {

// One array of positions.
struct Selector {
  using Step = algorithms::PositionStep;
  Array positions;          // integers, of the shape of the result or broadcast to it
  std::vector<Step> steps;  // one axis; several for positions among all elements of these in C order
  // Where positions may be negative, and out of bounds; then there is one step.
  bool is_checked = true;
  std::size_t axis = 0;  // for messages
};

// `place` says where the elements are for positions of zero, in the shape of the result: strides are zero
// along axes that only positions step over. Memory of `place` may be used anywhere the positions lead.
void pick(const Array& place, const std::vector<Selector>& selectors, const Array& out, const Queue& queue);
// The other way round; values and positions share no memory with the place.
void put(const Array& place, const std::vector<Selector>& selectors, const Array& values, const Queue& queue);

}  // namespace quern::array
