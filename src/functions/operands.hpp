// SPDX-License-Identifier: MIT
// Conversions of operands that many functions share: arrays of numbers, floating point, complex numbers,
// parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ops.hpp"
#include "functions/lines.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern::functions {

[[nodiscard]] inline bool is_boolean(const DType& dtype) {
  return codegen::kind_of(dtype) == codegen::Kinds::boolean;
}
[[nodiscard]] inline bool is_integer(const DType& dtype) {
  return codegen::kind_of(dtype) == codegen::Kinds::integer;
}
[[nodiscard]] inline bool is_floating(const DType& dtype) {
  return codegen::kind_of(dtype) == codegen::Kinds::floating;
}
[[nodiscard]] inline bool is_complex(const DType& dtype) {
  return codegen::kind_of(dtype) == codegen::Kinds::complex;
}

// The dtype of positions, as NumPy's intp.
[[nodiscard]] inline DType index_type() {
  return DType::of(Scalar::int64);
}
// The number of elements, signed as positions and lengths are.
[[nodiscard]] inline std::int64_t size_of(const Array& array) {
  return static_cast<std::int64_t>(array.size());
}

[[nodiscard]] inline bool is_inexact(const DType& dtype) {
  return is_floating(dtype) || is_complex(dtype);
}
// The dtype, in single precision if the device has no double.
DType held_by(const Queue& queue, const DType& dtype);

// |x|^2 of each element, a real number.
[[nodiscard]] inline Array squared_magnitudes(const Array& x) {
  if (!is_complex(x.dtype())) return apply("square", {x});
  return apply("square", {apply("real", {x})}) + apply("square", {apply("imag", {x})});
}

[[noreturn]] inline void value_error(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}
[[noreturn]] inline void type_error(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::type, text);
}
[[noreturn]] inline void index_error(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::index, text);
}

// The array, or the number as a 0-d array.
Array array_of(const Operand& operand, const Queue& queue);
// The common dtype of several operands, which is not always that of pairwise promotion; numbers take the
// dtype of the arrays if their kind fits.
DType common_type(std::span<const DType> types);
DType common_type(std::span<const Array> arrays);
DType common_type(std::span<const Operand> operands, const Queue& queue);

// The elements in floating point: integers and booleans in the default precision.
Array as_float(const Array& array);
// Complex numbers from real and imaginary parts. A product with 1j would turn infinities into NaN.
Array complex_of(const Array& real, const Array& imag);
// A 0-d array as a vector of one element, as NumPy treats it in functions along an axis.
Array as_vector(const Array& array);
// All elements in C order.
inline Array flattened(const Array& array) {
  return reshape(array, {-1});
}
// The same, contiguous, and in `dtype` if it is given.
Array flat(const Array& array, const std::optional<DType>& dtype = {});
// A slice of one axis, as a view.
Array along(const Array& array, std::size_t axis, const Index& part);
// A shape of ones except for this axis, for a vector beside an array of this rank.
Array beside(const Array& vector, std::size_t axis, std::size_t rank);
// Throws ArgumentError if two arrays are on different devices.
void check_beside(std::string_view function, const Array& a, const Array& b);
// The truth value of an array of one element; waits for it.
bool truth_of(const Array& array);
// The elements as doubles, in C order; waits for them.
std::vector<double> doubles_of(const Array& array);

}  // namespace quern::functions
