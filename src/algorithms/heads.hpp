// SPDX-License-Identifier: MIT
// Where the runs of equal elements start.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Returns a bool for each element of a vector of numbers that is not empty, true at the first element of each
// run of equal elements, and one true bool after them.
Array heads_of(const Queue& queue, const Array& x);

}  // namespace quern::algorithms
