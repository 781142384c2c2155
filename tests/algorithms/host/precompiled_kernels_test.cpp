// SPDX-License-Identifier: MIT
// Sorting, searching, scanning, selecting and counting by precompiled kernels, against the standard
// library's algorithms; nothing is compiled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>

#include "quern/compilation.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class PrecompiledKernels : public ::testing::Test {
 protected:
  PrecompiledKernels() { set_host_loop_use(HostLoopUse::only); }
  ~PrecompiledKernels() override { set_host_loop_use(before_); }

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

TEST_F(PrecompiledKernels, sort_stably_with_nans_last) {
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

TEST_F(PrecompiledKernels, find_places_in_sorted_keys) {
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

TEST_F(PrecompiledKernels, merge_what_is_sorted) {
  std::vector<int> a(700), b(300), merged(1000);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<int>(k / 3);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<int>(k) - 20;
  std::ranges::merge(a, b, merged.begin());
  EXPECT_EQ(merge(queue_, asarray(queue_, a), asarray(queue_, b)).to_vector<int>(queue_), merged);
}

TEST_F(PrecompiledKernels, scan_in_the_dtype_of_the_result) {
  const std::vector<std::int8_t> x(5000, 100);
  std::vector<std::int64_t> sums(x.begin(), x.end());
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  EXPECT_EQ(scan(queue_, asarray(queue_, x)).to_vector<std::int64_t>(queue_), sums);
}

TEST_F(PrecompiledKernels, accumulate_along_an_axis_that_is_not_the_last) {
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

TEST_F(PrecompiledKernels, partition_by_a_mask) {
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

TEST_F(PrecompiledKernels, count_what_lies_between_edges) {
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

// The types that algorithms tell apart: each needs a kernel that is part of the library.
template <class T>
class PrecompiledKernelsOf : public PrecompiledKernels {};
using Numbers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                 std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(PrecompiledKernelsOf, Numbers);

template <class T>
std::vector<T> small_numbers(std::size_t n) {
  std::mt19937 random(7);
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(random() % 90);
  return values;
}

// A row, and what is long enough to be shared between threads.
TYPED_TEST(PrecompiledKernelsOf, sort_search_and_merge_without_a_compiler) {
  for (const std::size_t n : {300, 70'000}) {
    const std::vector<TypeParam> keys = small_numbers<TypeParam>(n);
    const Array array = asarray(this->queue_, keys);
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return keys[static_cast<std::size_t>(k)]; });
    EXPECT_EQ(argsort(this->queue_, array).template to_vector<std::int64_t>(this->queue_), order);
    std::vector<TypeParam> sorted;
    for (const std::int64_t k : order) sorted.push_back(keys[static_cast<std::size_t>(k)]);
    const Array found = sort(this->queue_, array);
    EXPECT_EQ(found.template to_vector<TypeParam>(this->queue_), sorted);

    const std::int64_t first = std::ranges::upper_bound(sorted, sorted[n / 2]) - sorted.begin();
    const Array one = asarray(this->queue_, std::vector<TypeParam>{sorted[n / 2]});
    EXPECT_EQ(upper_bound(this->queue_, found, one).template to_vector<std::int64_t>(this->queue_)[0], first);
    std::vector<TypeParam> twice;
    std::ranges::merge(sorted, sorted, std::back_inserter(twice));
    EXPECT_EQ(merge(this->queue_, found, found).template to_vector<TypeParam>(this->queue_), twice);
  }
}

TYPED_TEST(PrecompiledKernelsOf, count_without_a_compiler) {
  for (const std::size_t n : {300, 70'000}) {
    const std::vector<TypeParam> values = small_numbers<TypeParam>(n);
    const Array x = asarray(this->queue_, values);
    const std::vector<std::int16_t> halves(n, 2);
    const Array weights = asarray(this->queue_, halves),
                single = asarray(this->queue_, std::vector<float>(n, 2));
    std::vector<std::int64_t> counts(9);
    std::vector<double> sums(9);
    for (const TypeParam value : values) {
      ++counts[static_cast<std::size_t>(value) / 10];
      sums[static_cast<std::size_t>(value) / 10] += 2;
    }
    const UniformBins bins{9, 0, 90};
    EXPECT_EQ(histogram(this->queue_, x, bins).template to_vector<std::int64_t>(this->queue_), counts);
    const DType compared = std::is_same_v<TypeParam, float> ? dtype_of<float>() : dtype_of<double>();
    const Array edges = astype(asarray(this->queue_, bin_edges(bins, x.dtype())), compared, &this->queue_);
    EXPECT_EQ(histogram(this->queue_, x, edges).template to_vector<std::int64_t>(this->queue_), counts);
    for (const Array* const weight : {&weights, &single}) {
      EXPECT_EQ(histogram(this->queue_, x, bins, weight).template to_vector<double>(this->queue_), sums);
      EXPECT_EQ(histogram(this->queue_, x, edges, weight).template to_vector<double>(this->queue_), sums);
    }
    const auto [least, greatest] = finite_range(this->queue_, x);
    EXPECT_EQ(least, static_cast<double>(*std::ranges::min_element(values)));
    EXPECT_EQ(greatest, static_cast<double>(*std::ranges::max_element(values)));
    if constexpr (std::is_integral_v<TypeParam>) {
      std::vector<std::int64_t> each(static_cast<std::size_t>(greatest) + 1);
      std::vector<double> doubled(each.size());
      for (const TypeParam value : values) {
        ++each[static_cast<std::size_t>(value)];
        doubled[static_cast<std::size_t>(value)] += 2;
      }
      EXPECT_EQ(bincount(this->queue_, x).template to_vector<std::int64_t>(this->queue_), each);
      EXPECT_EQ(bincount(this->queue_, x, 0, &weights).template to_vector<double>(this->queue_), doubled);
    }
  }
}

// Values of every size travel with keys.
template <class Value>
void expect_merged_values(const Queue& queue) {
  constexpr std::size_t kCount = 5000;
  std::vector<int> keys(kCount);
  std::vector<Value> left(kCount), right(kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    keys[k] = static_cast<int>(k / 3);
    left[k] = static_cast<Value>(k % 100);
    right[k] = static_cast<Value>(k % 50);
  }
  const Array array = asarray(queue, keys);
  const KeysAndValues merged =
      merge_by_key(queue, {array, asarray(queue, left)}, {array, asarray(queue, right)});
  const std::vector<Value> found = merged.values.to_vector<Value>(queue);
  std::vector<Value> expected;
  for (std::size_t k = 0; k < kCount; k += 3) {
    const std::size_t end = std::min(k + 3, kCount);
    for (std::size_t i = k; i < end; ++i) expected.push_back(left[i]);
    for (std::size_t i = k; i < end; ++i) expected.push_back(right[i]);
  }
  EXPECT_TRUE(found == expected);
}

TEST_F(PrecompiledKernels, merge_values_of_every_size) {
  expect_merged_values<std::uint8_t>(queue_);
  expect_merged_values<std::int16_t>(queue_);
  expect_merged_values<float>(queue_);
  expect_merged_values<double>(queue_);
}

TEST_F(PrecompiledKernels, sort_values_of_every_size) {
  std::vector<std::uint16_t> keys(5000);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = static_cast<std::uint16_t>(7 * k % 1000);
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return keys[k]; });
  const auto check = [&](auto zero) {
    using Value = decltype(zero);
    std::vector<Value> values(keys.size()), expected;
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = static_cast<Value>(k % 100);
    for (const std::size_t k : order) expected.push_back(values[k]);
    const auto [sorted, moved] = sort_by_key(queue_, asarray(queue_, keys), asarray(queue_, values));
    EXPECT_TRUE(moved.template to_vector<Value>(queue_) == expected);
  };
  check(std::uint8_t{});
  check(std::int16_t{});
  check(float{});
  check(double{});
}

}  // namespace
}  // namespace quern::test
