// SPDX-License-Identifier: MIT
// What the files of Fourier transforms share: types, lengths, factors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "array/fft.hpp"
#include "quern/fft.hpp"
#include "quern/registry.hpp"

namespace quern::fft {

// The elements in the precision of the transform. Throws ArgumentError for dtypes without numbers.
Array as_points(const Array& x);
// Throws ArgumentError for a length below 1.
std::int64_t checked_length(std::string_view function, std::int64_t n);
// Stores a result in `out`, unless it was computed there.
Array finished(std::string_view function, Array result, const std::optional<Array>& out);
// Axes, and the length of the transform along each.
struct Many {
  std::vector<std::size_t> axes;
  std::vector<std::int64_t> lengths;
};
// Checked against the shape. The last axis of a transform back from half a spectrum has twice the length.
Many many_of(const char* function, const Array& x, const std::optional<std::vector<std::int64_t>>& s,
             const std::optional<std::vector<int>>& axes, bool is_back = false);
// The factor of the numbers of a transform of n points.
double factor_of(Norm norm, bool is_inverse, double n);

}  // namespace quern::fft

namespace quern::registry {

fft::Norm norm_argument(const Arguments& a, std::size_t k);
std::optional<std::int64_t> length_argument(const Arguments& a, std::size_t k);

}  // namespace quern::registry
