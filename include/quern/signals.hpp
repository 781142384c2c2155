// SPDX-License-Identifier: MIT
// Signals: convolution, correlation, windows and phases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Which places of a vector that slides over another: all where they touch, as many as the longer one has, or
// those where they cover each other.
enum class Overlap : std::uint8_t { full, same, valid };
// By NumPy's name; throws ArgumentError naming the function for another text.
Overlap overlap_of(std::string_view name, std::string_view function);

// The sums of products of a vector with another one that slides over it backwards.
Array convolve(const Array& a, const Array& v, Overlap overlap = Overlap::full);
// The same with the conjugate of the other one, forwards.
Array correlate(const Array& a, const Array& v, Overlap overlap = Overlap::valid);

// Angles without jumps: steps of more than half a period become short ones by whole periods. `discont` is the
// least step that counts as a jump.
Array unwrap(const Array& p, const std::optional<Number>& discont = {}, int axis = -1,
             const Number& period = 6.283185307179586);

// Windows of `count` points, in the device's default precision.
Array bartlett(const Queue& queue, std::int64_t count);  // a triangle
Array hanning(const Queue& queue, std::int64_t count);   // a raised cosine
Array hamming(const Queue& queue, std::int64_t count);   // a raised cosine on a step
Array blackman(const Queue& queue, std::int64_t count);  // two cosines
// By Bessel functions; `beta` says how narrow.
Array kaiser(const Queue& queue, std::int64_t count, double beta);

}  // namespace quern
