// SPDX-License-Identifier: MIT
// Kinds of element types, for all layers.
#pragma once

#include <cstddef>

#include "quern/dtype.hpp"

namespace quern::detail {

// Whether elements are single numbers or bool, so that expressions can compute with them.
[[nodiscard]] inline bool is_number(const DType& dtype) {
  return dtype.lanes == 1 && dtype.scalar != Scalar::structure && dtype.scalar != Scalar::unknown;
}

[[nodiscard]] inline bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}

// Real numbers only.
[[nodiscard]] inline bool is_floating(const DType& dtype) {
  return dtype.scalar >= Scalar::float16 && dtype.scalar <= Scalar::float64;
}

// float16 and bfloat16: stored in 16 bits, summed and mostly computed in float32.
[[nodiscard]] inline bool is_short_float(Scalar scalar) {
  return scalar == Scalar::float16 || scalar == Scalar::bfloat16;
}
[[nodiscard]] inline bool is_short_float(const DType& dtype) {
  return is_short_float(dtype.scalar);
}

// float32 for float16 and bfloat16; other types are unchanged.
[[nodiscard]] inline DType widened(const DType& dtype) {
  return is_short_float(dtype) ? DType::of(Scalar::float32) : dtype;
}

// float32 for bfloat16, which OpenCL C does not have; other types are unchanged.
[[nodiscard]] inline DType without_bfloat16(const DType& dtype) {
  return dtype.scalar == Scalar::bfloat16 ? DType::of(Scalar::float32) : dtype;
}

// The unsigned integer of 1, 2, 4 or 8 bytes.
[[nodiscard]] inline DType unsigned_of_size(std::size_t bytes) {
  return DType::of(bytes == 8   ? Scalar::uint64
                   : bytes == 4 ? Scalar::uint32
                   : bytes == 2 ? Scalar::uint16
                                : Scalar::uint8);
}

}  // namespace quern::detail
