// SPDX-License-Identifier: MIT
// bfloat16: the upper 16 bits of a float32.
#pragma once

#include <bit>
#include <cstdint>

namespace quern {

// Rounded to nearest even. A NaN stays one and keeps its sign.
[[nodiscard]] constexpr std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
[[nodiscard]] constexpr float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace quern
