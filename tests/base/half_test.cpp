// SPDX-License-Identifier: MIT
// Conversions between half and float.
#include "base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace quern {
namespace {

TEST(Halves, come_back_from_every_pattern_of_bits) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fffU, 0x7c00U);
    } else {
      ASSERT_EQ(to_half(value), bits);
    }
  }
  EXPECT_EQ(from_half(0x3c00), 1.0F);
  EXPECT_EQ(from_half(0x0001), 5.9604644775390625e-08F);
  EXPECT_EQ(from_half(0xfbff), -65504.0F);
}

}  // namespace
}  // namespace quern
