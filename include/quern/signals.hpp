// SPDX-License-Identifier: MIT
// Signal processing: convolution, correlation, windows and phases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Which offsets of the sliding vector are computed: all with any overlap, as many as the longer vector has
// elements, or those with full overlap.
enum class Overlap : std::uint8_t { full, same, valid };
// Parses NumPy's name; throws an ArgumentError that names the function for any other text.
Overlap overlap_of(std::string_view name, std::string_view function);

// Discrete convolution of two vectors.
Array convolve(const Array& a, const Array& v, Overlap overlap = Overlap::full);
// Cross-correlation of two vectors, with the conjugate of the second.
Array correlate(const Array& a, const Array& v, Overlap overlap = Overlap::valid);

// Unwraps angles: steps of more than half a period are replaced by their complement. `discont` is the least
// step that counts as a jump.
Array unwrap(const Array& p, const std::optional<Number>& discont = {}, int axis = -1,
             const Number& period = 6.283185307179586);

// Windows of `count` points, in the device's default precision.
Array bartlett(const Queue& queue, std::int64_t count);  // triangular
Array hanning(const Queue& queue, std::int64_t count);   // raised cosine
Array hamming(const Queue& queue, std::int64_t count);   // raised cosine on a pedestal
Array blackman(const Queue& queue, std::int64_t count);  // two cosines
// Kaiser window, by Bessel functions; a greater `beta` makes it narrower.
Array kaiser(const Queue& queue, std::int64_t count, double beta);

}  // namespace quern
