// SPDX-License-Identifier: MIT
// Arrays as lines along a last axis, which functions of several axes go through; types that a device has.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "functions/operands.hpp"
#include "quern/array.hpp"
#include "quern/reduce.hpp"

namespace quern::functions {

// The axes from the front, each once. Throws AxisError or ArgumentError.
std::vector<std::size_t> checked_axes(std::string_view function, const Over& over, std::size_t rank);

struct Lines {
  Array lines;  // what the axes go over, along a last axis
  Shape outer;  // the lengths of the others
  Shape kept;   // the result's shape with keepdims
};
Lines lines_of(std::string_view function, const Array& x, const Over& over);

// Weights as they are broadcast with the array: they have its shape, or the lengths of the axes. Throws
// ArgumentError for others.
Array fitted_weights(std::string_view function, const Array& weights, const Array& a, const Over& over);

// The type, in single precision where the device has no other.
DType held_by(const Queue& queue, const DType& dtype);
[[nodiscard]] bool is_inexact(const DType& dtype);  // floating point or complex
// All elements in C order without gaps, in this type where one is named.
Array flat(const Array& x, const std::optional<DType>& dtype = {});
// Throws ArgumentError where two arrays are on different devices.
void check_beside(std::string_view function, const Array& a, const Array& b);

}  // namespace quern::functions
