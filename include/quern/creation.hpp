// SPDX-License-Identifier: MIT
// Arrays of evenly spaced numbers, and matrices by their diagonals.
#pragma once

#include <cstdint>

#include "quern/arithmetic.hpp"

namespace quern {

// `count` numbers from `start` to `stop`, which is the last of them where `endpoint` is true and what would
// come next otherwise. They are computed in the device's widest floating point; integers are rounded down.
Array linspace(const Queue& queue, const Number& start, const Number& stop, std::int64_t count, DType dtype,
               bool endpoint = true);
// Ones on the diagonal that is `offset` above the main one, zeros elsewhere.
Array eye(const Queue& queue, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t offset = 0);
// A view of the diagonals of the matrices that two axes span, along a new last axis.
Array diagonal(const Array& array, std::int64_t offset = 0, std::int64_t first_axis = 0,
               std::int64_t second_axis = 1);
// Of the matrices of the last two axes, what is on and below (or above) the diagonal; zeros elsewhere.
Array tril(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);
Array triu(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);

}  // namespace quern
