// SPDX-License-Identifier: MIT
// Sorting, searching, scanning, selecting and counting by functions of the library, against the standard
// library's algorithms; nothing is compiled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "quern/compilation.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Loops : public ::testing::Test {
 protected:
  Loops() { set_host_loop_use(HostLoopUse::only); }
  ~Loops() override { set_host_loop_use(before_); }

  HostLoopUse before_ = host_loop_use();
  Queue queue_{device("host")};
  std::uint64_t compiled_ = stats().compilations;

  void TearDown() override { EXPECT_EQ(stats().compilations, compiled_); }
};

std::vector<float> numbers(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<float> values(n);
  for (float& x : values) x = static_cast<float>(random() % 100) - 50.F;
  for (std::size_t k = 0; k + 3 < n; k += 11) {
    values[k] = std::numeric_limits<float>::quiet_NaN();
    values[k + 1] = -0.F;
    values[k + 2] = -std::numeric_limits<float>::infinity();
  }
  return values;
}

bool comes_before(float a, float b) {
  return a < b || (std::isnan(b) && !std::isnan(a));
}

TEST_F(Loops, sort_stably_with_nans_last) {
  for (const std::size_t n : {1, 2, 40, 41, 3000}) {
    const std::vector<float> keys = numbers(n);
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      return comes_before(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
    EXPECT_EQ(argsort(queue_, asarray(queue_, keys)).to_vector<std::int64_t>(queue_), order) << n;
  }
}

TEST_F(Loops, find_places_in_sorted_keys) {
  std::vector<float> keys = numbers(500);
  const std::vector<float> values = numbers(333);
  std::ranges::sort(keys, comes_before);
  const Array from = asarray(queue_, keys), wanted = asarray(queue_, values);
  const auto lower = lower_bound(queue_, from, wanted).to_vector<std::int64_t>(queue_);
  const auto upper = upper_bound(queue_, from, wanted).to_vector<std::int64_t>(queue_);
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(lower[k], std::ranges::lower_bound(keys, values[k], comes_before) - keys.begin());
    EXPECT_EQ(upper[k], std::ranges::upper_bound(keys, values[k], comes_before) - keys.begin());
  }
}

TEST_F(Loops, merge_what_is_sorted) {
  std::vector<int> a(700), b(300), merged(1000);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<int>(k / 3);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<int>(k) - 20;
  std::ranges::merge(a, b, merged.begin());
  EXPECT_EQ(merge(queue_, asarray(queue_, a), asarray(queue_, b)).to_vector<int>(queue_), merged);
}

TEST_F(Loops, scan_in_the_dtype_of_the_result) {
  const std::vector<std::int8_t> x(5000, 100);
  std::vector<std::int64_t> sums(x.begin(), x.end());
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  EXPECT_EQ(scan(queue_, asarray(queue_, x)).to_vector<std::int64_t>(queue_), sums);
}

TEST_F(Loops, accumulate_along_an_axis_that_is_not_the_last) {
  std::vector<int> x(3 * 40 * 70), sums(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t k = 0; k < 40; ++k)
      for (std::size_t c = 0; c < 70; ++c) {
        const std::size_t at = (o * 40 + k) * 70 + c;
        sums[at] = x[at] + (k == 0 ? 0 : sums[at - 70]);
      }
  const Array array = reshape(asarray(queue_, x), {3, 40, 70}, &queue_);
  CumulativeOptions options;
  options.axis = 1;
  options.dtype = dtype_of<int>();
  const Array out = cumulative(ScanOperation::sum, array, options, &queue_);
  EXPECT_EQ(reshape(out, {-1}, &queue_).to_vector<int>(queue_), sums);
}

TEST_F(Loops, keep_what_a_mask_says_and_the_others_behind) {
  std::vector<int> x(2500), kept, others;
  std::vector<std::int16_t> mask(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = static_cast<int>(k);
    mask[k] = static_cast<std::int16_t>(k % 7 == 3 ? -1 : 0);
    (mask[k] != 0 ? kept : others).push_back(x[k]);
  }
  const Array where = asarray(queue_, mask), data = asarray(queue_, x);
  EXPECT_EQ(remove_if(queue_, data, Predicate(where)).to_vector<int>(queue_), others);
  const auto [both, count] = partition(queue_, data, Predicate(where));
  EXPECT_EQ(count.to_vector<std::uint64_t>(queue_)[0], kept.size());
  kept.insert(kept.end(), others.begin(), others.end());
  EXPECT_EQ(both.to_vector<int>(queue_), kept);
}

TEST_F(Loops, count_what_lies_between_edges) {
  const std::vector<float> x = numbers(3000);
  std::vector<std::int64_t> counts(20);
  const std::vector<double> edges = bin_edges({20, -50, 30}, dtype_of<float>());
  for (const float value : x) {
    if (!(value >= -50 && value <= 30)) continue;
    const auto place = std::ranges::upper_bound(edges, static_cast<double>(value)) - edges.begin() - 1;
    ++counts[static_cast<std::size_t>(std::min<std::ptrdiff_t>(place, 19))];
  }
  EXPECT_EQ(histogram(queue_, asarray(queue_, x), UniformBins{20, -50, 30}).to_vector<std::int64_t>(queue_),
            counts);
}

}  // namespace
}  // namespace quern::test
