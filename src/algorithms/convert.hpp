// SPDX-License-Identifier: MIT
// Elements converted to another dtype, for algorithms that know fewer of them.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Numbers of the same shape; as C converts them.
Event convert(const Queue& queue, const Array& from, const Array& to);
// The array itself where its dtype is the one that is wanted.
Array converted(const Queue& queue, const Array& array, const DType& dtype);

}  // namespace quern::algorithms
