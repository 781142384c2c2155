// SPDX-License-Identifier: MIT
// Single elements by distributed places, products of stacks, and exact sums, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "distributed/exact_sum.hpp"
#include "quern/distributed.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

Queue queue_of_host() {
  return Queue::of(device("host"));
}

DistributedArray spread(const Communicator& ranks, const Layout& layout,
                        const std::vector<std::int64_t>& values) {
  const Queue queue = queue_of_host();
  const Array whole = empty(queue, layout.shape(), dtype_of<std::int64_t>());
  whole.set(queue, values.data()).wait();
  return distribute(ranks, layout, whole);
}

TEST(ElementsAtPlaces, are_read_and_written) {
  for (const int ranks : {1, 3, 4}) {
    on_threads(ranks, [&](const Communicator& communicator) {
      const Queue queue = queue_of_host();
      const std::vector<Layout> layouts = {
          Layout::for_shape(ranks, {5, 4}), Layout::replicated(ranks, {5, 4}),
          Layout::owned(ranks, {5, 4}, ranks - 1), Layout::block(ProcessGrid({ranks}), {5, 4})};
      std::vector<std::int64_t> values(20);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(100 + i);
      const std::vector<std::int64_t> wanted = {19, 0, 7, 7, 12, 3};
      for (const Layout& layout : layouts) {
        const DistributedArray x = spread(communicator, layout, values);
        for (const Layout& of_places : {Layout::for_shape(ranks, {6}), Layout::replicated(ranks, {6})}) {
          const DistributedArray places = spread(communicator, of_places, wanted);
          std::vector<std::int64_t> expected;
          for (const std::int64_t place : wanted) expected.push_back(100 + place);
          EXPECT_EQ(gather(gather_at(x, places)).to_vector<std::int64_t>(queue), expected);
          const DistributedArray y(communicator, layout, copy(x.local()));
          scatter_at(y, places, spread(communicator, of_places, {1, 2, 3, 3, 4, 5}));
          std::vector<std::int64_t> written = values;
          const std::int64_t given[] = {1, 2, 3, 3, 4, 5};
          for (std::size_t i = 0; i < wanted.size(); ++i)
            written[static_cast<std::size_t>(wanted[i])] = given[i];
          EXPECT_EQ(gather(y).to_vector<std::int64_t>(queue), written);
        }
      }
    });
  }
}

TEST(ElementsAtPlaces, out_of_bounds_are_an_error_of_all_ranks) {
  on_threads(3, [](const Communicator& communicator) {
    const DistributedArray x = spread(communicator, Layout::for_shape(3, {4}), {1, 2, 3, 4});
    const DistributedArray places = spread(communicator, Layout::for_shape(3, {3}), {0, 4, 1});
    EXPECT_THROW(static_cast<void>(gather_at(x, places)), ArgumentError);
    EXPECT_THROW(scatter_at(x, places, places), ArgumentError);
    communicator.barrier();
  });
}

TEST(ProductsOfStacks, are_those_of_each_matrix) {
  on_threads(3, [](const Communicator& communicator) {
    const Queue queue = queue_of_host();
    std::vector<std::int64_t> a(2 * 3 * 4), b(4 * 5), expected(2 * 3 * 5);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int64_t>(i % 5) - 2;
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t column = 0; column < 5; ++column)
        for (std::size_t k = 0; k < 4; ++k) expected[row * 5 + column] += a[row * 4 + k] * b[k * 5 + column];
    for (const Layout& layout : {Layout::for_shape(3, {2, 3, 4}), Layout::owned(3, {2, 3, 4}, 1),
                                 Layout(ProcessGrid({3}), {AxisLayout::whole(2), AxisLayout::whole(3),
                                                           AxisLayout::block(4, 0, 3)})}) {
      const DistributedArray product =
          matmul(spread(communicator, layout, a), spread(communicator, Layout::for_shape(3, {4, 5}), b));
      EXPECT_EQ(gather(product).to_vector<std::int64_t>(queue), expected);
    }
  });
}

TEST(Products, of_many_panels_are_those_of_loops_and_send_one_message_a_panel_to_a_rank) {
  constexpr std::int64_t kRows = 7, kInner = 1300, kColumns = 9, kPanels = 3;  // of 512 columns
  std::vector<std::int64_t> a(kRows * kInner), b(kInner * kColumns), expected(kRows * kColumns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>(i % 11) - 5;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int64_t>(i % 13) - 6;
  for (std::int64_t row = 0; row < kRows; ++row)
    for (std::int64_t column = 0; column < kColumns; ++column)
      for (std::int64_t k = 0; k < kInner; ++k)
        expected[static_cast<std::size_t>(row * kColumns + column)] +=
            a[static_cast<std::size_t>(row * kInner + k)] *
            b[static_cast<std::size_t>(k * kColumns + column)];
  on_threads(4, [&](const Communicator& communicator) {
    const Queue queue = queue_of_host();
    const Layout quarters = Layout::block(ProcessGrid({2, 2}), {kRows, kInner});
    const Layout rows = Layout::block(ProcessGrid({4}), {kRows, kInner});
    const Layout of_b = Layout::block(ProcessGrid({2, 2}), {kInner, kColumns});
    for (const Layout& layout : {quarters, rows, Layout::owned(4, {kRows, kInner}, 2)}) {
      const DistributedArray left = spread(communicator, layout, a), right = spread(communicator, of_b, b);
      const auto before = communicator.sent().messages;
      const DistributedArray product = matmul(left, right);
      EXPECT_LE(communicator.sent().messages - before, kPanels * 3U);
      EXPECT_EQ(gather(product).to_vector<std::int64_t>(queue), expected);
    }
  });
}

TEST(ExactSums, do_not_depend_on_the_order) {
  std::mt19937_64 random(7);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random),
                                std::uniform_int_distribution<int>(-1000, 900)(random)));
  ExactSum forward, backward, first, second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forward.add(values[i]);
    backward.add(values[values.size() - 1 - i]);
    (i % 3 == 0 ? first : second).add(values[i]);
  }
  second.add(first);
  EXPECT_EQ(forward.to_double(), backward.to_double());
  EXPECT_EQ(forward.to_double(), second.to_double());
  for (const double value : values) backward.add(-value);
  EXPECT_EQ(backward.to_double(), 0.0);
}

TEST(ExactSums, are_rounded_once) {
  const auto sum = [](std::initializer_list<double> values) {
    ExactSum result;
    for (const double value : values) result.add(value);
    return result;
  };
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(sum({1.0, 0x1p-53}).to_double(), 1.0);
  EXPECT_EQ(sum({1.0, 0x1p-53, kTiny}).to_double(), 1.0 + 0x1p-52);
  EXPECT_EQ(sum({-1.0, -0x1p-53, -kTiny}).to_double(), -1.0 - 0x1p-52);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023, -0x1p1023}).to_double(), 0x1p1023);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023}).to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum({kTiny, kTiny}).to_double(), 2 * kTiny);
  EXPECT_EQ(sum({1.0, 0x1p-24, 0x1p-60}).to_float(), 1.0f + 0x1p-23f);
  EXPECT_EQ(sum({0x1p-149, 0x1p-150, 0x1p-151}).to_float(), 0x1p-148f);
  EXPECT_TRUE(std::isnan(sum({HUGE_VAL, -HUGE_VAL}).to_double()));
  EXPECT_EQ(sum({HUGE_VAL, 1.0}).to_double(), HUGE_VAL);
}

}  // namespace
}  // namespace quern::distributed
