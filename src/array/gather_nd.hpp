// SPDX-License-Identifier: MIT
// Gathers and scatters elements at positions that arrays hold. Indexing with arrays uses these kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/gather_nd.hpp"
#include "array/index_errors.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::array {

// One array of positions.
struct Selector {
  using Step = algorithms::PositionStep;
  Array positions;          // integers of the result's shape, or broadcast to it
  std::vector<Step> steps;  // one axis, or several if a position counts the elements of these axes in C order
  // Whether positions may be negative or out of bounds. Then there is one step.
  bool is_checked = true;
  std::size_t axis = 0;  // for error messages
};

// Gathers: out[i] is the element of `base` that the positions select. `base` has the result's shape and
// holds the elements for positions of 0; its stride is 0 along axes that only positions step over. The kernel
// may read any memory that the positions reach from there.
void gather_nd(const Array& base, const std::vector<Selector>& selectors, const Array& out,
               const Queue& queue);
// Scatters: writes the values to the elements that the positions select. Values and positions share no memory
// with `base`.
void scatter_nd(const Array& base, const std::vector<Selector>& selectors, const Array& values,
                const Queue& queue);

}  // namespace quern::array
