// SPDX-License-Identifier: MIT
// Fourier transforms of arrays along one axis, for any length.
#pragma once

#include <cstdint>
#include <optional>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::array {

enum class FftKind : std::uint8_t {
  complex,        // of real or complex elements
  to_spectrum,    // real elements to the first n / 2 + 1 complex ones, the others are their conjugates
  from_spectrum,  // the inverse of that
};

struct FftAxis {
  std::size_t axis = 0;
  std::int64_t n = 1;  // length of the transform: the axis is cut, or zeros are added
  FftKind kind = FftKind::complex;
  bool is_inverse = false;  // of complex transforms; the others have one direction
  double scale = 1;
};

// Transforms an array of float32, float64, complex64 or complex128 in its own precision. `into` receives the
// result if it has the dtype of the result and shares no memory with `x`, or is `x` itself; otherwise the
// result is a new array.
Array transform(const Array& x, const FftAxis& how, const Queue& queue,
                const std::optional<Array>& into = {});

// exp(-2 pi i k / n) for k < count, in the precision of `dtype`.
Array twiddles(const Queue& queue, const DType& dtype, std::int64_t n, std::int64_t count);
// The smallest length whose prime factors are small (at most 5 for real transforms) and that is at least n.
std::int64_t fast_length(std::int64_t n, bool is_real);

}  // namespace quern::array
