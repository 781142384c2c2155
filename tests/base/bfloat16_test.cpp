// SPDX-License-Identifier: MIT
// Conversions between bfloat16 and float.
#include "base/bfloat16.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace quern {
namespace {

TEST(BFloat16, comes_back_from_every_pattern_of_bits) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bfloat16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fffU, 0x7f80U);
      EXPECT_EQ(to_bfloat16(value), bits | 0x40U);
    } else {
      ASSERT_EQ(to_bfloat16(value), bits);
    }
  }
  EXPECT_EQ(from_bfloat16(0x3f80), 1.0F);
  EXPECT_EQ(from_bfloat16(0xff7f), -0x1.fep127F);
}

TEST(BFloat16, is_rounded_to_nearest_even) {
  // Between two neighbours: the nearer one, and in the middle the one with an even last digit.
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    const auto above = [&](std::uint32_t rest) {
      return to_bfloat16(std::bit_cast<float>(bits << 16 | rest));
    };
    ASSERT_EQ(above(0x7fff), bits);
    ASSERT_EQ(above(0x8000), bits + bits % 2);
    ASSERT_EQ(above(0x8001), bits + 1);
  }
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::bit_cast<float>(0x7f800001U)))));
}

}  // namespace
}  // namespace quern
