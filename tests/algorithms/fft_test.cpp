// SPDX-License-Identifier: MIT
// Lengths of Fourier transforms, and the limits of the tables that are kept.
#include "algorithms/fft.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "quern/device.hpp"

namespace quern::algorithms {
namespace {

TEST(Fft, a_length_is_the_product_of_its_radices) {
  const Queue queue{device("host")};
  for (std::int64_t n = 1; n <= 5000; ++n) {
    if (!has_small_factors(queue, n)) continue;
    for (const int most : {8, 16}) {
      std::int64_t product = 1;
      for (const int radix : fft_radices(n, most)) {
        EXPECT_TRUE(radix % 2 != 0 ? radix <= 127 : radix <= most) << n;
        product *= radix;
      }
      EXPECT_EQ(product, n);
    }
  }
  EXPECT_FALSE(has_small_factors(queue, 2 * 131));
}

TEST(Fft, powers_of_two_are_divided_evenly) {
  EXPECT_EQ(fft_radices(1024, 8), (std::vector<int>{8, 8, 4, 4}));
  EXPECT_EQ(fft_radices(1024, 16), (std::vector<int>{16, 8, 8}));
  EXPECT_EQ(fft_radices(60, 8), (std::vector<int>{4, 3, 5}));
}

TEST(Fft, fast_lengths_are_the_next_with_small_factors) {
  EXPECT_EQ(next_fast_length(1), 1);
  EXPECT_EQ(next_fast_length(13), 14);
  EXPECT_EQ(next_fast_length(13, 5), 15);
  EXPECT_EQ(next_fast_length(10007), 10080);
}

TEST(Fft, tables_are_kept_within_limits) {
  const Queue queue{device("host")};
  for (std::int64_t n = 1; n <= 1000; ++n) static_cast<void>(fft_table(queue, Scalar::float32, n, n));
  EXPECT_LE(fft_table_use().entries, 512U);
  for (std::int64_t k = 0; k < 8; ++k)
    static_cast<void>(fft_table(queue, Scalar::float64, (1 << 20) + k, 1 << 20));
  EXPECT_LE(fft_table_use().bytes, std::size_t{64} << 20);
  // The same table is found again.
  const Array first = fft_table(queue, Scalar::float32, 100, 100);
  EXPECT_EQ(first.value(), fft_table(queue, Scalar::float32, 100, 100).value());
}

}  // namespace
}  // namespace quern::algorithms
