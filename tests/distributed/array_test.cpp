// SPDX-License-Identifier: MIT
// Distributed arrays on ranks that are threads, against the same operations on arrays of one rank.
#include "quern/distributed/array.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <random>

#include "distributed/collectives.hpp"
#include "distributed/parts.hpp"
#include "distributed/random_layouts.hpp"
#include "distributed/ranks.hpp"
#include "quern/buffer.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"
#include "quern/user_event.hpp"
#include "quern/views.hpp"

namespace quern::distributed {
namespace {

// Elements that are all different and exact in sums.
std::vector<double> values(const Shape& shape, double first = 1) {
  std::vector<double> numbers(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Array whole_array(const Shape& shape, double first = 1) {
  const Array array = empty(host_queue(), shape, dtype_of<double>());
  const std::vector<double> numbers = values(shape, first);
  if (!numbers.empty()) array.set(host_queue(), numbers.data()).wait();
  return array;
}

std::vector<double> numbers_of(const Array& array) {
  return copy(array).to_vector<double>(host_queue());
}

TEST(DistributedArrays, keep_their_elements_in_every_layout) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const Shape shape = random_shape(random);
    const Layout first = random_layout(random, ranks, shape), second = random_layout(random, ranks, shape);
    const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
    on_ranks(ranks, [&](const Communicator& communicator) {
      const DistributedArray a = distribute(communicator, first, whole_array(shape));
      const DistributedArray b = redistribute(a, second);
      EXPECT_EQ(b.local().shape(), second.local_shape(communicator.rank()));
      EXPECT_EQ(numbers_of(gather(b)), values(shape)) << first.text() << " -> " << second.text();
      const Array at_root = gather(b, root);
      if (communicator.rank() == root) {
        EXPECT_EQ(numbers_of(at_root), values(shape));
      }
    });
  }
}

// Large pieces pass through no memory but that of messages.
TEST(DistributedArrays, large_blocks_keep_their_elements_in_every_layout) {
  const Shape shape = {1400, 500};
  std::mt19937 random(5);
  for (int round = 0; round < 6; ++round) {
    const int ranks = 2 + static_cast<int>(random() % 3);
    const Layout first = random_layout(random, ranks, shape), second = random_layout(random, ranks, shape);
    for (const DType& dtype : {dtype_of<double>(), dtype_of<int>()}) {
      on_ranks(ranks, [&](const Communicator& communicator) {
        const DistributedArray a = distribute(communicator, first, astype(whole_array(shape), dtype));
        const Array back = gather(redistribute(redistribute(a, second), first));
        EXPECT_EQ(numbers_of(astype(back, dtype_of<double>())), values(shape));
      });
    }
  }
}

TEST(DistributedArrays, of_large_blocks_that_could_not_be_computed_are_not_sent) {
  WaitLimits limits;
  limits.fail = std::chrono::seconds(20);
  on_ranks(
      2,
      [](const Communicator& communicator) {
        const Shape shape = {700, 500};
        const Layout rows = Layout::block(ProcessGrid({2, 1}), shape);
        const Layout columns = Layout::block(ProcessGrid({1, 2}), shape);
        const DistributedArray a = distribute(communicator, rows, copy(whole_array(shape)));
        const Array block = copy(a.local());
        const UserEvent go(block.context());
        const Event wait_for[] = {go};
        const std::byte zero[] = {std::byte{0}};
        host_queue().fill(block.buffer(), zero, wait_for);
        go.set_error(std::make_exception_ptr(std::runtime_error("no mesh")));
        const std::uint64_t before = communicator.sent().messages;
        EXPECT_THROW(redistribute(DistributedArray(communicator, rows, block), columns), Error);
        EXPECT_EQ(communicator.sent().messages, before);
        EXPECT_EQ(numbers_of(gather(redistribute(a, columns))), values(shape));
      },
      limits);
}

// Kernels read and write the memory of messages.
TEST(DistributedArrays, large_blocks_are_redistributed_without_temporary_arrays) {
  const Shape shape = {4096, 1024};
  const Layout rows = Layout::block(ProcessGrid({2, 1}), shape);
  const Layout columns = Layout::block(ProcessGrid({1, 2}), shape);
  WaitLimits limits;
  limits.fail = std::chrono::seconds(5);
  const Device host = device("host");
  const std::size_t limit = pool_stats(host).limit;
  trim_pool(host);
  constexpr std::size_t kBlock = std::size_t{4096} * 1024 * 8 / 2, kRest = std::size_t{2} << 20;
  set_pool_limit(host, pool_stats(host).in_use + 4 * kBlock + kRest);
  std::atomic<int> done{0};
  EXPECT_NO_THROW(on_ranks(
      2,
      [&](const Communicator& communicator) {
        const Array block = empty(host_queue(), rows.local_shape(communicator.rank()), dtype_of<double>());
        assign(block, Number(1.0 + communicator.rank()));
        barrier(*communicator.state(), call_of("test", ""));
        const DistributedArray result = redistribute(DistributedArray(communicator, rows, block), columns);
        const Array local = result.local();
        EXPECT_EQ(numbers_of(view(local, {0, 0}))[0], 1);
        EXPECT_EQ(numbers_of(view(local, {4095, 511}))[0], 2);
        ++done;
      },
      limits));
  set_pool_limit(host, limit);
  EXPECT_EQ(done, 2);
}

TEST(DistributedArrays, distributing_and_equal_layouts_send_nothing) {
  on_ranks(4, [](const Communicator& communicator) {
    const auto before = communicator.sent().messages;
    const Layout layout = Layout::block(ProcessGrid({2, 2}), {6, 5});
    const DistributedArray a = distribute(communicator, layout, whole_array({6, 5}));
    const DistributedOperand operands[] = {a, Number(2.0)};
    const DistributedArray b = distributed::apply("multiply", operands);
    const DistributedOperand both[] = {a, b};
    (void)distributed::apply("add", both).local().evaluate();
    EXPECT_EQ(communicator.sent().messages, before);
  });
}

TEST(DistributedArrays, elementwise_functions_broadcast_across_layouts) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const Shape shape = random_shape(random);
    Shape other = shape;
    for (std::int64_t& length : other) {
      if (random() % 3 == 0) length = 1;
    }
    if (other.size() > 1 && random() % 3 == 0) other.erase(other.begin());
    const Layout first = random_layout(random, ranks, shape), second = random_layout(random, ranks, other);
    const Array x = whole_array(shape), y = whole_array(other, 100);
    const std::vector<double> expected = numbers_of(x * 3.0 + y);
    on_ranks(ranks, [&](const Communicator& communicator) {
      const DistributedOperand product[] = {distribute(communicator, first, x), Number(3.0)};
      const DistributedOperand sum[] = {distributed::apply("multiply", product),
                                        distribute(communicator, second, y)};
      EXPECT_EQ(numbers_of(gather(distributed::apply("add", sum))), expected);
    });
  }
}

TEST(DistributedArrays, reductions_over_any_axes_are_those_of_one_rank) {
  std::mt19937 random(5);
  for (int round = 0; round < 80; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    Shape shape = random_shape(random);
    for (std::int64_t& length : shape) length += 1;
    const Layout layout = random_layout(random, ranks, shape);
    std::optional<std::vector<int>> axes;
    if (random() % 3 != 0) {
      axes.emplace();
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (random() % 2 == 0) axes->push_back(static_cast<int>(axis));
      }
    }
    const ReduceOptions options{.over = Over(axes), .keepdims = random() % 2 == 0};
    for (const char* name : {"sum", "max", "min", "prod"}) {
      const Array x = whole_array(shape, 0);
      const Array expected = reduce(name, x, options);
      on_ranks(ranks, [&](const Communicator& communicator) {
        const Array result = gather(reduce(name, distribute(communicator, layout, x), options));
        EXPECT_EQ(result.shape(), expected.shape());
        EXPECT_EQ(numbers_of(result), numbers_of(expected)) << name << " of " << layout.text();
      });
    }
  }
}

TEST(DistributedArrays, ranks_without_elements_count_reductions_too) {
  const Array x = whole_array({1, 4});
  on_ranks(4, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(ProcessGrid({2, 2}), {1, 4});  // two of the ranks have no row
    const DistributedArray sums =
        reduce("sum", distribute(communicator, layout, x), {.over = Over(std::vector<int>{1})});
    EXPECT_EQ(numbers_of(gather(sums)), std::vector<double>{10});
  });
}

TEST(DistributedArrays, sums_have_the_same_bits_on_all_ranks) {
  constexpr int kRanks = 5;
  std::vector<double> sums(kRanks);
  std::mt19937 random(6);
  std::vector<double> numbers(1001);
  for (double& number : numbers) number = std::ldexp(static_cast<double>(random()), -20) - 1000;
  const Array x = asarray(host_queue(), numbers);
  on_ranks(kRanks, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(ProcessGrid({kRanks}), {1001});
    const DistributedArray sum = reduce("sum", distribute(communicator, layout, x));
    EXPECT_TRUE(sum.layout().is_replicated());
    sums[static_cast<std::size_t>(communicator.rank())] = numbers_of(sum.local()).front();
  });
  for (const double sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(DistributedArrays, blocks_of_wrong_shapes_and_operands_that_do_not_fit_are_refused) {
  on_ranks(2, [](const Communicator& communicator) {
    const Layout layout = Layout::block(ProcessGrid({2}), {5});
    EXPECT_THROW(DistributedArray(communicator, layout, whole_array({4})), ArgumentError);
    EXPECT_THROW(distribute(communicator, layout, whole_array({4})), ArgumentError);
    const DistributedArray a = distribute(communicator, layout, whole_array({5}));
    EXPECT_THROW(redistribute(a, Layout::replicated(2, {4})), ArgumentError);
    EXPECT_THROW(redistribute(a, Layout::replicated(3, {5})), ArgumentError);
    const DistributedOperand operands[] = {
        a, distribute(communicator, Layout::replicated(2, {3}), whole_array({3}))};
    EXPECT_THROW(distributed::apply("add", operands), ArgumentError);
    const DistributedOperand numbers[] = {Number(1), Number(2)};
    EXPECT_THROW(distributed::apply("add", numbers), ArgumentError);
  });
}

// n rows of two small numbers.
Array small_numbers(std::int64_t n) {
  std::vector<double> numbers(static_cast<std::size_t>(2 * n));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 7);
  const Array array = empty(host_queue(), {n, 2}, dtype_of<double>());
  array.set(host_queue(), numbers.data()).wait();
  return array;
}

// The products of all pairs of columns.
std::vector<double> products_of_columns(const Array& array) {
  const std::vector<double> numbers = numbers_of(array);
  std::vector<double> products(4);
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    for (std::size_t k = 0; k < 4; ++k) products[k] += numbers[i + k / 2] * numbers[i + k % 2];
  }
  return products;
}

TEST(Products, along_a_split_axis_send_the_partial_products) {
  for (const int ranks : {2, 3, 4}) {
    on_ranks(ranks, [&](const Communicator& communicator) {
      const Array numbers = small_numbers(1 << 14);
      const Layout rows = Layout::block(ProcessGrid({ranks, 1}), numbers.shape());
      const DistributedArray x = distribute(communicator, rows, numbers);
      const std::array<int, 2> turned = {1, 0};
      const MessageCounts before = communicator.sent();
      const DistributedArray product = matmul(permute_dims(x, turned), x);
      const MessageCounts after = communicator.sent();
      EXPECT_LE(after.messages - before.messages, 2U);  // log2(ranks) rounds
      EXPECT_LE(after.bytes - before.bytes, 4U * 8 * static_cast<unsigned>(ranks));
      EXPECT_EQ(numbers_of(gather(product)), products_of_columns(numbers));
    });
  }
}

TEST(Products, of_narrow_matrices_move_few_panels) {
  on_ranks(2, [](const Communicator& communicator) {
    const Array numbers = small_numbers(1 << 14);
    const ProcessGrid grid({2, 1});
    const DistributedArray x = distribute(communicator, Layout::block(grid, numbers.shape()), numbers);
    const Layout cyclic(grid, {AxisLayout::cyclic(1 << 14, 0, 2, 3), AxisLayout::whole(2)});
    const DistributedArray y = redistribute(x, cyclic);
    const std::array<int, 2> turned = {1, 0};
    const MessageCounts before = communicator.sent();
    const DistributedArray product = matmul(permute_dims(x, turned), y);
    EXPECT_LE(communicator.sent().messages - before.messages, 1U);
    EXPECT_EQ(numbers_of(gather(product)), products_of_columns(numbers));
  });
}

}  // namespace
}  // namespace quern::distributed
