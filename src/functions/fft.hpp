// SPDX-License-Identifier: MIT
// What the files of Fourier transforms share: types, lengths, factors.
#pragma once

#include <cstdint>
#include <string_view>

#include "array/fft.hpp"
#include "quern/fft.hpp"
#include "quern/registry.hpp"

namespace quern::fft {

// The elements in the precision of the transform. Throws ArgumentError for dtypes without numbers.
Array as_points(const Array& x);
// Throws ArgumentError for a length below 1.
std::int64_t checked_length(std::string_view function, std::int64_t n);
// The factor of the numbers of a transform of n points.
double factor_of(Norm norm, bool is_inverse, double n);

}  // namespace quern::fft

namespace quern::registry {

fft::Norm norm_argument(const Arguments& a, std::size_t k);
std::optional<std::int64_t> length_argument(const Arguments& a, std::size_t k);

}  // namespace quern::registry
