// SPDX-License-Identifier: MIT
// Converts the elements of an array to another dtype, for algorithms that support fewer dtypes.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Converts elements as C does. Both arrays have the same shape.
Event convert(const Queue& queue, const Array& from, const Array& to);
// Returns the array itself if it already has the dtype.
Array converted(const Queue& queue, const Array& array, const DType& dtype);

}  // namespace quern::algorithms
