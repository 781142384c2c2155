// SPDX-License-Identifier: MIT
// Arithmetic of the entries of sparse matrices on the host, as in sparse_values.cl.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "quern/dtype.hpp"

namespace quern::sparse::host {

// Sums are "or", products are "and".
enum class Boolean : std::uint8_t { no, yes };

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, Boolean>)
    return a == Boolean::no ? b : a;
  else
    return static_cast<T>(a + b);
}

template <class T>
T times(T a, T b) {
  if constexpr (std::is_same_v<T, Boolean>)
    return a == Boolean::no ? a : b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(1U * a * b);  // short operands become int, whose product may overflow
  else if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else  // without the search for infinity of std::complex
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

// Whether the dtype is one of those of with_wide_type(). Long functions are compiled for these only.
inline bool is_wide(const DType& dtype) {
  return dtype.itemsize >= 4;
}

// Returns f(T{}) for the type of entries of at least 4 bytes. Integers are unsigned, whose overflow is
// defined.
template <class F>
decltype(auto) with_wide_type(const DType& dtype, F&& f) {
  switch (dtype.scalar) {
    case Scalar::int32:
    case Scalar::uint32:
      return f(std::uint32_t{});
    case Scalar::int64:
    case Scalar::uint64:
      return f(std::uint64_t{});
    case Scalar::float32:
      return f(float{});
    case Scalar::complex64:
      return f(std::complex<float>{});
    case Scalar::complex128:
      return f(std::complex<double>{});
    default:
      return f(double{});
  }
}

// The same for all types of entries.
template <class F>
decltype(auto) with_value_type(const DType& dtype, F&& f) {
  switch (dtype.scalar) {
    case Scalar::boolean:
      return f(Boolean{});
    case Scalar::int8:
    case Scalar::uint8:
      return f(std::uint8_t{});
    case Scalar::int16:
    case Scalar::uint16:
      return f(std::uint16_t{});
    default:
      return with_wide_type(dtype, f);
  }
}

template <class F>
decltype(auto) with_index_type(const DType& dtype, F&& f) {
  if (dtype.itemsize == 8) return f(std::int64_t{});
  return f(std::int32_t{});
}

}  // namespace quern::sparse::host
