// SPDX-License-Identifier: MIT
// The kernels for GPUs, run on every device: those that need only local memory and barriers run on CPUs
// too.
#include <algorithm>
#include <cstdint>
#include <random>

#include "algorithms/launch/kernel_table.hpp"
#include "runtime/device_fixture.hpp"

namespace quern {
namespace {

using algorithms::Defines;
using algorithms::kernel_of;

class GroupKernels : public test::EachDevice {
 protected:
  std::mt19937 random_{7};

  std::vector<std::uint32_t> numbers(std::size_t n, std::uint32_t most) {
    std::vector<std::uint32_t> values(n);
    for (auto& x : values) x = random_() % most;
    return values;
  }
};

TEST_P(GroupKernels, histograms_in_local_and_in_global_memory_agree_with_a_loop) {
  constexpr std::size_t kThreads = 64, kGroups = 3, kBins = 40;
  const std::vector<std::uint32_t> values = numbers(5003, 45);
  std::vector<std::int64_t> expected(kBins);
  for (const std::uint32_t x : values)
    if (x < kBins) ++expected[x];
  const Defines defines = {
      {"ELEMENT", "uint"},   {"REAL", "float"},   {"REAL_BITS", "32"}, {"BINS_BY_VALUE", "1"},
      {"BINS_UNIFORM", "0"}, {"WEIGHTED", "0"},   {"WEIGHT", "uint"},  {"SUM", "uint"},
      {"SUM_BITS", "32"},    {"TOTAL", "long"},   {"GROUPS", "1"},     {"THREADS", "64"},
      {"COPIES", "8"},       {"VECTOR", "uint4"}, {"WIDTH", "4"},      {"UNROLL", "2"}};
  const auto kernel = [&](const char* name) {
    return Kernel(kernel_of({"histogram"}, name, defines).compiled());
  };
  const Array x = asarray(queue_, values), out = zeros(queue_, {kBins}, DType::of(Scalar::int64));
  const Array rows = zeros(queue_, {kGroups * kBins}, DType::of(Scalar::uint32));
  const auto sum = [&](std::size_t count) {
    kernel("histogram_sum")(queue_, range(2 * kThreads), rows, out, count, kBins, kBins);
    return out.to_vector<std::int64_t>(queue_);
  };
  kernel("histogram_groups")(queue_, range(kGroups * kThreads), x, rows.buffer(), rows, values.size(), kBins,
                             0.F, 0.F, 0.F, 0.F, LocalMemory{8 * kBins * 4});
  EXPECT_EQ(sum(kGroups), expected);
  const std::byte zero{0};
  queue_.fill(rows.buffer(), {&zero, 1});
  kernel("histogram_atomic")(queue_, range(kGroups * kThreads), x, rows.buffer(), rows, values.size(), kBins,
                             0.F, 0.F, 0.F, 0.F);
  EXPECT_EQ(sum(1), expected);
}

TEST_P(GroupKernels, tiles_merge_into_a_stable_whole) {
  constexpr std::size_t kThreads = 64, kItems = 4, kTile = kThreads * kItems;
  const Defines defines = {{"KEY", "uint"},   {"KEY_BITS", "32"}, {"KEY_IS_FLOAT", "0"},
                           {"KEY_TIES", "1"}, {"VALUES", "1"},    {"VALUE", "uint"},
                           {"THREADS", "64"}, {"ITEMS", "4"},     {"GROUPS", "1"}};
  const auto kernel = [&](const char* name) {
    return Kernel(kernel_of({"radix_keys", "merge"}, name, defines).compiled());
  };
  for (const auto& [m, n] : {std::pair{1U, 1U}, {256U, 1U}, {1U, 600U}, {1000U, 777U}}) {
    std::vector<std::uint32_t> a = numbers(m, 50), b = numbers(n, 50), both, order(m + n);
    std::ranges::sort(a);
    std::ranges::sort(b);
    both = a;
    both.insert(both.end(), b.begin(), b.end());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<std::uint32_t> places = order;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return both[i]; });
    const Array x = asarray(queue_, a), y = asarray(queue_, b), out = asarray(queue_, both),
                moved = asarray(queue_, order);
    const Array x_places = asarray(queue_, std::vector(places.begin(), places.begin() + m));
    const Array y_places = asarray(queue_, std::vector(places.begin() + m, places.end()));
    const std::size_t tiles = (m + n + kTile - 1) / kTile;
    const Buffer splits(queue_, (tiles + 1) * 8);
    kernel("merge_splits")(queue_, range(tiles + 1), x, y, splits, m, n, tiles + 1, 0U);
    kernel("merge_groups")(queue_, range(tiles * kThreads), x, y, out, x_places, y_places, moved, splits, m,
                           n, 0U);
    EXPECT_TRUE(std::ranges::is_sorted(out.to_vector<std::uint32_t>(queue_)));
    EXPECT_EQ(moved.to_vector<std::uint32_t>(queue_), order) << m << " and " << n;
  }
}

TEST_P(GroupKernels, tiles_transpose_a_matrix_with_ragged_edges) {
  constexpr std::size_t kRows = 37, kColumns = 50, kTile = 16, kSide = 4;
  const std::vector<std::uint32_t> values = numbers(kRows * kColumns, 1000);
  const Array from = asarray(queue_, values),
              to = zeros(queue_, {kColumns, kRows}, DType::of(Scalar::uint32));
  const std::size_t across = (kColumns + kTile - 1) / kTile, down = (kRows + kTile - 1) / kTile;
  kernel_of({"transpose"}, "transpose", {{"ELEMENT", "uint"}, {"TILE", "16"}, {"ROWS", "4"}, {"GROUPS", "1"}})
      .compiled()(queue_, range(across * down * kTile, kSide), from, to, kRows, kColumns, across);
  const std::vector<std::uint32_t> turned = to.to_vector<std::uint32_t>(queue_);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kColumns; ++c) ASSERT_EQ(turned[c * kRows + r], values[r * kColumns + c]);
}

QUERN_EACH_DEVICE(GroupKernels);

}  // namespace
}  // namespace quern
