// SPDX-License-Identifier: MIT
// Sorting from C++, and each engine of the radix sort that the device can run.
#include <algorithm>
#include <cstdint>
#include <random>

#include "algorithms/radix_sort.hpp"
#include "quern/compilation.hpp"
#include "runtime/device_fixture.hpp"

namespace quern {
namespace {

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t most) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (T& x : values) x = static_cast<T>(random() % most);
  return values;
}

template <class T>
std::vector<std::uint32_t> stable_order(const std::vector<T>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  return order;
}

class Sort : public test::EachDevice {
 protected:
  // The engines, also of few keys.
  Sort() { set_host_loop_use(HostLoopUse::never); }
  ~Sort() override { set_host_loop_use(before_); }
  HostLoopUse before_ = host_loop_use();

  std::vector<algorithms::RadixEngine> engines() const {
    using algorithms::RadixEngine;
    std::vector<RadixEngine> result = {RadixEngine::passes, RadixEngine::chunks};
    const RadixEngine own = algorithms::radix_engine_for(device_.properties());
    if (own == RadixEngine::sweep) result.push_back(own);
    return result;
  }

  // Positions as int64, of keys below `most`, so that there are ties.
  template <class T>
  void expect_stable(std::size_t n, std::uint64_t most) {
    const std::vector<T> values = random_values<T>(n, most);
    const Array keys = asarray(queue_, values);
    const std::vector<std::uint32_t> order = stable_order(values);
    for (const auto engine : engines()) {
      const Array keys_out = empty(queue_, keys.shape(), keys.dtype());
      const Array positions = empty(queue_, keys.shape(), DType::of(Scalar::int64));
      algorithms::RadixSort sort;
      sort.n = n;
      sort.order.size = sizeof(T);
      sort.keys = keys.buffer();
      sort.keys_out = keys_out.buffer();
      sort.has_values = sort.are_positions = true;
      sort.value_size = 4;
      sort.value_out_size = 8;
      sort.values_out = positions.buffer();
      algorithms::radix_sort(queue_, sort, engine);
      const auto got = positions.to_vector<std::int64_t>(queue_);
      EXPECT_TRUE(std::ranges::equal(got, order)) << n << " keys, engine " << static_cast<int>(engine);
      const auto sorted = keys_out.to_vector<T>(queue_);
      EXPECT_TRUE(std::ranges::is_sorted(sorted));
    }
  }
};

TEST_P(Sort, every_engine_is_stable) {
  for (const std::size_t n : {1, 2, 2047, 2048, 2049, 30000}) expect_stable<std::uint32_t>(n, 1000);
}

TEST_P(Sort, an_odd_number_of_digits_ends_in_the_result) {
  for (const std::size_t n : {3, 20000}) expect_stable<std::uint8_t>(n, 7);
}

TEST_P(Sort, wide_keys_are_sorted_by_all_their_bits) {
  const std::vector<std::uint64_t> values = random_values<std::uint64_t>(9000, UINT64_MAX);
  std::vector<std::uint64_t> expected = values;
  std::ranges::sort(expected, std::greater<>{});
  EXPECT_EQ(sort(queue_, asarray(queue_, values), {.descending = true}).to_vector<std::uint64_t>(queue_),
            expected);
}

TEST_P(Sort, values_follow_their_keys) {
  const std::vector<std::uint32_t> values = random_values<std::uint32_t>(5000, 100);
  const std::vector<std::uint32_t> order = stable_order(values);
  std::vector<float> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0.F);
  const auto [keys, moved] = sort_by_key(queue_, asarray(queue_, values), asarray(queue_, numbers));
  EXPECT_TRUE(std::ranges::is_sorted(keys.to_vector<std::uint32_t>(queue_)));
  EXPECT_TRUE(std::ranges::equal(moved.to_vector<float>(queue_), order));
}

TEST_P(Sort, what_does_not_fit_is_an_error) {
  const Array keys = zeros(queue_, {10}, DType::of(Scalar::float32));
  EXPECT_THROW(sort(queue_, keys, zeros(queue_, {9}, DType::of(Scalar::float32))), ArgumentError);
  EXPECT_THROW(sort(queue_, keys, zeros(queue_, {10}, DType::of(Scalar::int32))), ArgumentError);
  EXPECT_THROW(sort(queue_, zeros(queue_, {10}, DType::of(Scalar::complex64))), ArgumentError);
  EXPECT_THROW(argsort(queue_, keys, keys), ArgumentError);
}

QUERN_EACH_DEVICE(Sort);

}  // namespace
}  // namespace quern
