// SPDX-License-Identifier: MIT
// IEEE half precision.
#include "base/half.hpp"

#include <cmath>

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
  // In units of the last place; a carry out of the mantissa steps the exponent by itself.
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 14) * 1024u + units));
}

}  // namespace quern
