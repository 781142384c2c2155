// SPDX-License-Identifier: MIT
// The 16-bit floating-point format, for literals: the compiler that builds this library need not know it.
#pragma once

#include <cstdint>

namespace quern::frontend {

// Rounded once, to nearest with ties to even.
std::uint16_t half_bits(double value);
double half_value(std::uint16_t bits);
inline double rounded_to_half(double value) {
  return half_value(half_bits(value));
}

}  // namespace quern::frontend
