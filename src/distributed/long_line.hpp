// SPDX-License-Identifier: MIT
// Fourier transforms of one line whose elements are on several ranks.
#pragma once

#include <cstdint>

#include "quern/distributed/array.hpp"
#include "quern/fft.hpp"

namespace quern::distributed {

// Whether elements are complex, and whether they are transformed in single precision.
bool is_complex(const DType& dtype);
bool is_single(const DType& dtype);

enum class LineKind : std::uint8_t { complex, to_spectrum, from_spectrum };

// The transform of n points of a vector, which is cut or padded with zeros; from_spectrum takes the first
// n / 2 + 1 numbers of a transform. The elements are float32, float64 or complex.
DistributedArray transform_line(LineKind kind, const DistributedArray& x, std::int64_t n, bool is_inverse,
                                quern::fft::Norm norm);

}  // namespace quern::distributed
