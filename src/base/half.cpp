// SPDX-License-Identifier: MIT
// IEEE half precision.
#include "base/half.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quern {

std::uint16_t to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  int exponent = -14;  // subnormals have the exponent of the smallest normal number
  if (magnitude >= 6.103515625e-05) {
    std::frexp(magnitude, &exponent);
    --exponent;
  }
  // In units of the last place; a carry out of the mantissa increments the exponent.
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 14) * 1024u + units));
}

float from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude =
        mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else {
    // Subnormals have the exponent of the smallest normal number, and no leading one.
    const int units = exponent == 0 ? mantissa : mantissa + 1024;
    magnitude = std::ldexp(static_cast<float>(units), std::max(exponent, 1) - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace quern
