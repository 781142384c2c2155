// SPDX-License-Identifier: MIT
// Arrays as lines along a last axis, for functions over several axes, and their weights.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "quern/array.hpp"
#include "quern/reduce.hpp"

namespace quern::functions {

// The axes as non-negative indices, each once. Throws AxisError or ArgumentError.
std::vector<std::size_t> checked_axes(std::string_view function, const Over& over, std::size_t rank);

struct Lines {
  Array lines;  // the elements along the axes, as a last axis
  Shape outer;  // the lengths of the other axes
  Shape kept;   // the result's shape with keepdims
};
Lines lines_of(std::string_view function, const Array& x, const Over& over);

// Weights broadcast with the array: they have its shape, or the lengths of the axes. Throws ArgumentError
// otherwise.
Array fitted_weights(std::string_view function, const Array& weights, const Array& a, const Over& over);

}  // namespace quern::functions
