// SPDX-License-Identifier: MIT
// Additions to the limbs of an exact sum, and its rounding.
#include "distributed/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quern::distributed {

void ExactSum::add(const ExactSum& other) noexcept {
  ExactSum given = other;
  given.normalise();
  normalise();
  for (std::size_t i = 0; i < kLimbs; ++i) limbs_[i] += given.limbs_[i];
  normalise();
  has_positive_ |= given.has_positive_;
  has_negative_ |= given.has_negative_;
  has_nan_ |= given.has_nan_;
}

void ExactSum::normalise() noexcept {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t whole = limbs_[i] + carry;
    limbs_[i] = whole & 0xffffffff;
    carry = whole >> 32;  // rounds down, so that only the last limb is negative
  }
  limbs_[kLimbs - 1] += carry;
  additions_ = 0;
}

double ExactSum::rounded(int digits, int lowest_bit) const noexcept {
  if (has_nan_ != 0 || (has_positive_ != 0 && has_negative_ != 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (has_positive_ != 0) return std::numeric_limits<double>::infinity();
  if (has_negative_ != 0) return -std::numeric_limits<double>::infinity();
  ExactSum size = *this;
  size.normalise();
  const bool is_negative = size.limbs_[kLimbs - 1] < 0;
  if (is_negative) {
    for (std::int64_t& limb : size.limbs_) limb = -limb;
    size.normalise();
  }
  const auto bit = [&](int at) {
    return at >= 0 && ((size.limbs_[static_cast<std::size_t>(at / 32)] >> (at % 32)) & 1) != 0;
  };
  int highest = static_cast<int>(kLimbs) * 32 - 1;
  while (highest >= 0 && !bit(highest)) --highest;
  if (highest < 0) return 0.0;
  const int lowest = std::max(highest - digits + 1, lowest_bit);
  std::uint64_t kept = 0;
  for (int at = highest; at >= lowest; --at) kept = 2 * kept + (bit(at) ? 1 : 0);
  bool has_rest = false;
  for (int at = 0; at < lowest - 1 && !has_rest; ++at) has_rest = bit(at);
  if (bit(lowest - 1) && (has_rest || kept % 2 != 0)) ++kept;
  const double value = std::ldexp(static_cast<double>(kept), lowest - 1074);
  return is_negative ? -value : value;
}

}  // namespace quern::distributed
