// SPDX-License-Identifier: MIT
// The exact sum of floating-point numbers, as a fixed-point number that covers all their exponents. It does
// not depend on the order of the additions, and is rounded once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace quern::distributed {

class ExactSum {
 public:
  void add(double value) noexcept;
  // Adds another sum, for example of another rank.
  void add(const ExactSum& other) noexcept;
  // Rounded to the nearest number, ties to even. NaN and infinities follow IEEE's additions.
  [[nodiscard]] double to_double() const noexcept { return rounded(53, 0); }
  [[nodiscard]] float to_float() const noexcept { return static_cast<float>(rounded(24, 1074 - 149)); }

 private:
  static constexpr std::size_t kLimbs = 68;  // of 32 bits; the first one counts multiples of 2^-1074
  static constexpr std::uint32_t kMostAdditions = std::uint32_t{1} << 30;

  void normalise() noexcept;  // limbs of 32 bits, but for the sign in the last one
  [[nodiscard]] double rounded(int digits, int lowest_bit) const noexcept;

  std::array<std::int64_t, kLimbs> limbs_ = {};
  std::uint32_t additions_ = 0;  // since the limbs were normalised
  // Infinities and NaN that were added.
  std::uint8_t has_positive_ = 0, has_negative_ = 0, has_nan_ = 0;
};

inline void ExactSum::add(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<unsigned>(bits >> 52) & 0x7ffu;
  std::uint64_t mantissa = bits & 0xfffffffffffff;
  const bool is_negative = (bits >> 63) != 0;
  if (exponent == 0x7ff) {
    (mantissa != 0 ? has_nan_ : is_negative ? has_negative_ : has_positive_) = 1;
    return;
  }
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  const unsigned place = exponent == 0 ? 0 : exponent - 1, shift = place % 32;
  const std::uint64_t low = mantissa << shift, high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t parts[3] = {static_cast<std::int64_t>(low & 0xffffffff),
                                 static_cast<std::int64_t>(low >> 32), static_cast<std::int64_t>(high)};
  std::int64_t* const limb = limbs_.data() + place / 32;
  const std::int64_t sign = is_negative ? -1 : 0;  // a two's complement is ~x + 1
  for (int i = 0; i < 3; ++i) limb[i] += (parts[i] ^ sign) - sign;
  if (++additions_ == kMostAdditions) normalise();
}

}  // namespace quern::distributed
