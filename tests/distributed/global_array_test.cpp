// SPDX-License-Identifier: MIT
// One-sided reads, writes and sums against the same on one array in the memory of the test.
#include "quern/distributed/global_array.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <set>

#include "distributed/block_map.hpp"
#include "distributed/parts.hpp"
#include "distributed/ranks.hpp"
#include "quern/arithmetic.hpp"
#include "quern/distributed_error.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

template <class T>
std::span<std::byte> bytes(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

std::size_t count(const Patch& box) {
  return static_cast<std::size_t>(distributed::elements_of(shape_of(box)));
}

// The flat indices of the elements of a patch in an array of this shape.
std::vector<std::size_t> flat_indices(const Shape& shape, const Patch& patch) {
  std::vector<std::size_t> flat = {0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::size_t> next;
    for (const std::size_t before : flat) {
      for (std::int64_t i = patch[axis].start; i < patch[axis].stop; ++i)
        next.push_back(before * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(i));
    }
    flat = std::move(next);
  }
  return flat;
}

Patch random_patch(std::mt19937& random, const Shape& shape) {
  Patch patch;
  for (const std::int64_t length : shape) {
    const auto a = static_cast<std::int64_t>(random() % static_cast<unsigned>(length + 1));
    const auto b = static_cast<std::int64_t>(random() % static_cast<unsigned>(length + 1));
    patch.push_back({std::min(a, b), std::max(a, b)});
  }
  return patch;
}

// Blocks, also uneven and empty ones.
Layout random_blocks(std::mt19937& random, int ranks, const Shape& shape) {
  if (random() % 6 == 0)
    return Layout::owned(ranks, shape, static_cast<int>(random() % static_cast<unsigned>(ranks)));
  const ProcessGrid grid = ProcessGrid::for_shape(ranks, shape);
  std::vector<AxisLayout> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const int parts = grid.lengths()[i];
    std::vector<std::int64_t> cuts = {0, shape[i]};
    for (int part = 1; part < parts; ++part)
      cuts.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(shape[i] + 1)));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::int64_t> lengths;
    for (std::size_t part = 1; part < cuts.size(); ++part) lengths.push_back(cuts[part] - cuts[part - 1]);
    axes.push_back(random() % 2 == 0 ? AxisLayout::block(shape[i], static_cast<int>(i), parts)
                                     : AxisLayout::irregular(lengths, static_cast<int>(i)));
  }
  return {grid, std::move(axes)};
}

TEST(GlobalArrays, any_rank_reads_and_writes_any_patch) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const int ranks = 1 + static_cast<int>(random() % 6);
    Shape shape;
    for (unsigned axes = 1 + random() % 3; axes > 0; --axes) shape.push_back(1 + random() % 9);
    const Layout layout = random_blocks(random, ranks, shape);
    HaloOptions ghosts;
    if (layout.root() < 0 && random() % 2 == 0) {
      for (std::size_t i = 0; i < shape.size(); ++i) ghosts.widths.emplace_back(random() % 3, random() % 3);
    }
    // A list of operations that the ranks do in turn.
    std::vector<double> expected(static_cast<std::size_t>(distributed::elements_of(shape)));
    struct Step {
      int rank, kind;
      Patch patch;
      std::vector<double> values;
    };
    std::vector<Step> steps;
    for (int i = 0; i < 12; ++i) {
      Step step{static_cast<int>(random() % static_cast<unsigned>(ranks)),
                static_cast<int>(random() % 3),
                random_patch(random, shape),
                {}};
      step.values.resize(count(step.patch));
      for (double& value : step.values) value = static_cast<double>(random() % 100);
      const auto places = flat_indices(shape, step.patch);
      for (std::size_t at = 0; at < places.size(); ++at) {
        if (step.kind == 0) expected[places[at]] = step.values[at];
        if (step.kind == 1) expected[places[at]] += 3 * step.values[at];
        if (step.kind == 2) step.values[at] = expected[places[at]];
      }
      steps.push_back(std::move(step));
    }
    on_ranks(ranks, [&](const Communicator& communicator) {
      const GlobalArray array(communicator, layout, dtype_of<double>(), ghosts);
      for (const Step& step : steps) {
        if (communicator.rank() == step.rank) {
          std::vector<double> values = step.values;
          if (step.kind == 0) array.put(step.patch, bytes(values));
          if (step.kind == 1) array.accumulate(step.patch, bytes(values), 3);
          if (step.kind == 2) {
            std::fill(values.begin(), values.end(), -1);
            array.get(step.patch, bytes(values));
            EXPECT_EQ(values, step.values) << "seed " << seed;
          }
        }
        array.sync();
      }
      // Each rank's block, as an array of its own.
      const Patch block = array.block_of(communicator.rank());
      std::vector<double> own(count(block));
      read(array.local(), bytes(own));
      const auto places = flat_indices(shape, block);
      for (std::size_t at = 0; at < places.size(); ++at)
        EXPECT_EQ(own[at], expected[places[at]]) << "seed " << seed;
      // Elements by lists of indices, in any order.
      std::vector<std::int64_t> indices;
      std::vector<double> wanted, found;
      std::mt19937 draws(seed + 100);
      for (int i = 0; i < 20; ++i) {
        std::size_t flat = 0;
        for (const std::int64_t length : shape) {
          indices.push_back(static_cast<std::int64_t>(draws() % static_cast<unsigned>(length)));
          flat = flat * static_cast<std::size_t>(length) + static_cast<std::size_t>(indices.back());
        }
        wanted.push_back(expected[flat]);
      }
      found.resize(wanted.size());
      array.gather(indices, bytes(found));
      EXPECT_EQ(found, wanted);
      array.sync();
    });
  }
}

TEST(GlobalArrays, concurrent_sums_lose_nothing) {
  constexpr int kRanks = 6, kTimes = 20;
  const Shape shape = {64, 1000};  // several stripes for each rank
  on_ranks(kRanks, [&](const Communicator& communicator) {
    const GlobalArray array(communicator, Layout::for_shape(kRanks, shape), dtype_of<double>());
    std::mt19937 random(static_cast<unsigned>(communicator.rank()));
    std::vector<double> all(64000, 1);
    std::vector<std::int64_t> corner;
    for (int i = 0; i < 10; ++i) corner.insert(corner.end(), {63, 999});
    std::vector<double> ones(10, 1);
    for (int i = 0; i < kTimes; ++i) {
      array.accumulate({{0, 64}, {0, 1000}}, bytes(all), 2);
      array.scatter_accumulate(corner, bytes(ones));
    }
    array.sync();
    array.get({{0, 64}, {0, 1000}}, bytes(all));
    for (std::size_t i = 0; i + 1 < all.size(); ++i) ASSERT_EQ(all[i], 2.0 * kRanks * kTimes);
    EXPECT_EQ(all.back(), 2.0 * kRanks * kTimes + 10.0 * kRanks * kTimes);
  });
}

TEST(GlobalArrays, sums_of_every_type_are_those_of_a_loop) {
  on_ranks(2, [&](const Communicator& communicator) {
    const auto check = [&]<class T>(T start, T more, double scale, T expected) {
      const GlobalArray array(communicator, Layout::for_shape(2, {6}), dtype_of<T>());
      std::vector<T> values(6, start), added(6, more);
      if (communicator.rank() == 0) {
        array.put({{0, 6}}, bytes(values));
        array.accumulate({{0, 6}}, bytes(added), scale);
      }
      array.sync();
      array.get({{0, 6}}, bytes(values));
      EXPECT_EQ(values, std::vector<T>(6, expected)) << dtype_of<T>().name();
      array.sync();
    };
    check(std::int8_t{100}, std::int8_t{50}, 1, static_cast<std::int8_t>(-106));
    check(std::uint8_t{200}, std::uint8_t{100}, 3, static_cast<std::uint8_t>(500));
    check(std::uint16_t{1}, std::uint16_t{65535}, 65535, static_cast<std::uint16_t>(2));
    check(std::int32_t{-5}, std::int32_t{7}, -2, std::int32_t{-19});
    check(std::int64_t{1} << 40, std::int64_t{1} << 41, 3, std::int64_t{7} << 40);
    check(1.5f, 2.0f, 0.25, 2.0f);
    check(1.5, 2.0, -1, -0.5);
  });
}

TEST(GlobalArrays, ghost_cells_are_those_of_a_halo_array) {
  const Shape shape = {7, 5};
  HaloOptions options;
  options.widths = {{1, 2}, {2, 1}};
  options.periodic = {true, false};
  on_ranks(4, [&](const Communicator& communicator) {
    const Layout layout = Layout::for_shape(4, shape);
    const GlobalArray array(communicator, layout, dtype_of<double>(), options);
    const HaloArray peer(communicator, layout, options, dtype_of<double>(), host_queue());
    const Patch block = array.block_of(communicator.rank());
    std::vector<double> numbers(count(block));
    const auto places = flat_indices(shape, block);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(places[i] + 1);
    const Array mine = array_of(host_queue(), bytes(numbers), shape_of(block), dtype_of<double>());
    assign(array.local(), mine);
    assign(peer.interior(), mine);
    array.update_ghosts();
    peer.exchange();
    std::vector<double> ours(
        static_cast<std::size_t>(distributed::elements_of(array.local_with_ghosts().shape()))),
        theirs(ours.size());
    read(array.local_with_ghosts(), bytes(ours));
    read(peer.local(), bytes(theirs));
    EXPECT_EQ(ours, theirs);
  });
}

TEST(GlobalArrays, every_number_of_a_counter_is_given_out_once) {
  constexpr int kRanks = 5, kEach = 2000;
  std::vector<std::vector<std::int64_t>> got(kRanks);
  on_ranks(kRanks, [&](const Communicator& communicator) {
    Counter counter(communicator);
    const GlobalArray array(communicator, Layout::for_shape(kRanks, {kRanks}), dtype_of<std::int32_t>());
    auto& mine = got[static_cast<std::size_t>(communicator.rank())];
    const std::int64_t last = kRanks - 1;
    for (int i = 0; i < kEach; ++i) {
      mine.push_back(counter.next());
      static_cast<void>(array.read_inc({&last, 1}, 2));
    }
    array.sync();
    EXPECT_EQ(array.read_inc({&last, 1}, 0), 2 * kRanks * kEach);
    counter.reset(7);
    if (communicator.rank() == 2) {
      EXPECT_EQ(counter.next(), 7);
    }
    communicator.barrier();
  });
  std::set<std::int64_t> all;
  for (const auto& each : got) all.insert(each.begin(), each.end());
  EXPECT_EQ(all.size(), std::size_t{kRanks} * kEach);
  EXPECT_EQ(*all.rbegin(), kRanks * kEach - 1);
}

// The number is in memory of the ranks, too: ThreadSanitizer knows their locks by the addresses of each rank.
TEST(GlobalArrays, locks_exclude_other_ranks) {
  on_ranks(4, [&](const Communicator& communicator) {
    const GlobalLocks locks(communicator, 3);
    const GlobalArray array(communicator, Layout::for_shape(4, {1}), dtype_of<std::int64_t>());
    std::vector<std::int64_t> number(1);
    for (int i = 0; i < 500; ++i) {
      locks.lock(1);
      array.get({{0, 1}}, bytes(number));
      ++number[0];
      array.put({{0, 1}}, bytes(number));
      locks.unlock(1);
    }
    EXPECT_THROW(locks.unlock(1), ArgumentError);
    EXPECT_THROW(locks.lock(3), ArgumentError);
    array.sync();
    array.get({{0, 1}}, bytes(number));
    EXPECT_EQ(number[0], 2000);
    array.sync();
  });
}

TEST(GlobalArrays, a_lock_that_is_not_released_in_time_names_its_holder) {
  WaitLimits limits;
  limits.fail = std::chrono::milliseconds(300);
  std::atomic<bool> is_held{false}, is_over{false};
  on_ranks(
      2,
      [&](const Communicator& communicator) {
        GlobalLocks locks(communicator, 1);
        if (communicator.rank() == 0) {
          locks.lock(0);
          is_held = true;
          while (!is_over) std::this_thread::yield();
        } else {
          while (!is_held) std::this_thread::yield();
          try {
            locks.lock(0);
            ADD_FAILURE() << "no error";
          } catch (const DistributedError& error) {
            EXPECT_EQ(error.ranks(), std::vector<int>{0});
            EXPECT_NE(std::string(error.what()).find("lock"), std::string::npos) << error.what();
          }
          is_over = true;
        }
      },
      limits);
}

TEST(GlobalArrays, bad_arguments_are_refused_before_anything_is_written) {
  on_ranks(2, [&](const Communicator& communicator) {
    const GlobalArray array(communicator, Layout::for_shape(2, {4, 4}), dtype_of<float>());
    std::vector<float> values(16, 1);
    EXPECT_THROW(array.put({{0, 5}, {0, 4}}, bytes(values)), ArgumentError);
    EXPECT_THROW(array.put({{0, 4}}, bytes(values)), ArgumentError);
    EXPECT_THROW(array.put({{0, 4}, {0, 3}}, bytes(values)), ArgumentError);
    EXPECT_THROW(array.get({{3, 2}, {0, 4}}, bytes(values)), ArgumentError);
    EXPECT_THROW(array.accumulate({{0, 4}, {0, 4}}, bytes(values), {0, 1}), ArgumentError);
    const std::vector<std::int64_t> indices = {0, 0, 4, 0};
    std::vector<float> two(2, 1);
    EXPECT_THROW(array.scatter(indices, bytes(two)), ArgumentError);
    EXPECT_THROW(static_cast<void>(array.read_inc(std::span(indices).first(2))), ArgumentError);
    array.sync();
    array.get({{0, 4}, {0, 4}}, bytes(values));
    EXPECT_EQ(values, std::vector<float>(16));
    EXPECT_THROW(GlobalArray(communicator, Layout::replicated(2, {4}), dtype_of<float>()), ArgumentError);
    communicator.barrier();
  });
}

TEST(GlobalArrays, more_memory_than_there_is_is_an_error_on_all_ranks) {
  std::atomic<int> errors = 0;
  on_ranks(3, [&](const Communicator& communicator) {
    try {
      const GlobalArray array(communicator, Layout::for_shape(3, {std::int64_t{1} << 52}),
                              dtype_of<double>());
    } catch (const DistributedError& error) {
      EXPECT_NE(std::string(error.what()).find("shared memory"), std::string::npos) << error.what();
      ++errors;
    }
    communicator.barrier();  // the ranks still work together
  });
  EXPECT_EQ(errors, 3);
}

}  // namespace
}  // namespace quern::distributed
