// SPDX-License-Identifier: MIT
// IEEE half precision.
#pragma once

#include <cstdint>

namespace quern {

// Rounded once, to nearest even.
std::uint16_t to_half(double value);
float from_half(std::uint16_t bits);
inline double rounded_to_half(double value) {
  return from_half(to_half(value));
}

}  // namespace quern
