// SPDX-License-Identifier: MIT
// Ghost cells against loops over all cells of each block, and an iteration against the same on one rank.
#include "distributed/halo.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <set>

#include "distributed/collectives.hpp"
#include "distributed/random_layouts.hpp"
#include "distributed/ranks.hpp"
#include "quern/distributed/array.hpp"
#include "quern/distributed_error.hpp"
#include "quern/error.hpp"
#include "quern/user_event.hpp"
#include "quern/views.hpp"

namespace quern::distributed {
namespace {

std::int64_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Array numbered(const Shape& shape) {  // 1, 2, 3...
  std::vector<double> numbers(static_cast<std::size_t>(size_of(shape)));
  std::iota(numbers.begin(), numbers.end(), 1);
  const Array array = empty(host_queue(), shape, dtype_of<double>());
  array.set(host_queue(), numbers.data()).wait();
  return array;
}

// What the block of a rank with its ghost cells must be, cell by cell; 0 outside the array and, without
// corners, beyond two faces.
std::vector<double> expected_block(const Layout& layout, const HaloOptions& options, int rank) {
  const Shape shape = layout.shape();
  Shape padded = layout.local_shape(rank);
  const auto intervals = layout.intervals(rank);
  for (std::size_t axis = 0; axis < padded.size(); ++axis) {
    padded[axis] += options.widths[axis].first + options.widths[axis].second;
  }
  std::vector<double> cells(static_cast<std::size_t>(size_of(padded)));
  for (std::size_t flat = 0; flat < cells.size(); ++flat) {
    std::vector<std::int64_t> index(padded.size());
    auto rest = static_cast<std::int64_t>(flat);
    for (std::size_t axis = padded.size(); axis-- > 0; rest /= padded[axis])
      index[axis] = rest % padded[axis];
    std::int64_t number = 0;
    int beyond = 0;
    bool is_outside = false;
    for (std::size_t axis = 0; axis < padded.size(); ++axis) {
      const Interval block = intervals[axis].front();
      std::int64_t global = block.start + index[axis] - options.widths[axis].first;
      if (global < block.start || global >= block.stop) {
        ++beyond;
        if (options.periodic[axis]) {
          global = ((global % shape[axis]) + shape[axis]) % shape[axis];
        } else {
          is_outside = is_outside || global < 0 || global >= shape[axis];
        }
      }
      number = number * shape[axis] + global;
    }
    if (!is_outside && (beyond < 2 || options.corners)) cells[flat] = static_cast<double>(number + 1);
  }
  return cells;
}

TEST(Halos, hold_the_neighbours_elements_for_all_widths_grids_and_edges) {
  std::mt19937 random(7);
  for (int round = 0; round < 120; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    Shape shape;
    for (unsigned axes = 1 + random() % 3; axes > 0; --axes) shape.push_back(1 + random() % 7);
    const Layout layout = Layout::for_shape(ranks, shape);
    HaloOptions options;
    options.corners = random() % 2 == 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      options.widths.emplace_back(random() % 4, random() % 4);  // often wider than a block
      options.periodic.push_back(random() % 2 == 0);
    }
    const Array whole = numbered(shape);
    on_ranks(ranks, [&](const Communicator& communicator) {
      const int rank = communicator.rank();
      HaloArray halo(communicator, layout, options, dtype_of<double>(), host_queue());
      assign(halo.interior(), distribute(communicator, layout, whole).local());
      const auto before = communicator.sent().messages;
      halo.exchange();
      if (size_of(layout.local_shape(rank)) != 0) {
        EXPECT_EQ(copy(halo.local()).to_vector<double>(host_queue()), expected_block(layout, options, rank));
      }
      // One message to each rank that reads elements of this one.
      std::set<int> readers;
      for (int other = 0; other < ranks; ++other) {
        for (const GhostPiece& piece : ghost_pieces(layout, options, other)) {
          if (piece.owner == rank && other != rank) readers.insert(other);
        }
      }
      EXPECT_EQ(communicator.sent().messages - before, readers.size());
    });
  }
}

TEST(Halos, one_sweep_over_a_grid_sends_one_message_for_each_face) {
  std::atomic<std::uint64_t> messages{0}, bytes{0};
  on_ranks(6, [&](const Communicator& communicator) {
    HaloOptions options{.widths = {{1, 1}, {1, 1}}, .periodic = {}, .corners = false};
    HaloArray halo(communicator, Layout::block(ProcessGrid({2, 3}), {20, 30}), options, dtype_of<double>(),
                   host_queue());
    const MessageCounts before = communicator.sent();
    halo.exchange();
    messages += communicator.sent().messages - before.messages;
    bytes += communicator.sent().bytes - before.bytes;
  });
  // 3 faces between the two rows of blocks, 2 * 2 between the columns, each crossed in both directions.
  EXPECT_EQ(messages.load(), 2u * (3 + 4));
  EXPECT_EQ(bytes.load(), 8u * 2 * (30 + 2 * 20));
}

TEST(Halos, of_several_arrays_travel_in_one_message_for_each_neighbour) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const Shape shape = {1 + static_cast<std::int64_t>(random() % 9),
                         1 + static_cast<std::int64_t>(random() % 9)};
    const Layout layout = Layout::for_shape(ranks, shape);
    std::vector<HaloOptions> options(3);
    for (HaloOptions& one : options) {
      one.corners = random() % 2 == 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        one.widths.emplace_back(random() % 3, random() % 3);
        one.periodic.push_back(random() % 2 == 0);
      }
    }
    const Array whole = numbered(shape);
    on_ranks(ranks, [&](const Communicator& communicator) {
      const int rank = communicator.rank();
      std::vector<HaloArray> fields;
      std::set<int> readers;
      for (std::size_t i = 0; i < options.size(); ++i) {
        fields.emplace_back(communicator, layout, options[i], i == 1 ? dtype_of<float>() : dtype_of<double>(),
                            host_queue());
        assign(fields[i].interior(),
               (1.0 + static_cast<double>(i)) * distribute(communicator, layout, whole).local());
        for (int other = 0; other < ranks; ++other) {
          for (const GhostPiece& piece : ghost_pieces(layout, options[i], other)) {
            if (piece.owner == rank && other != rank) readers.insert(other);
          }
        }
      }
      const auto before = communicator.sent().messages;
      exchange(fields);
      EXPECT_EQ(communicator.sent().messages - before, readers.size());
      if (size_of(layout.local_shape(rank)) == 0) return;
      for (std::size_t i = 0; i < options.size(); ++i) {
        std::vector<double> expected = expected_block(layout, options[i], rank);
        for (double& cell : expected) cell *= 1.0 + static_cast<double>(i);
        EXPECT_EQ(astype(fields[i].local(), dtype_of<double>()).to_vector<double>(host_queue()), expected);
      }
    });
  }
}

TEST(Halos, have_one_exchange_at_a_time) {
  on_ranks(2, [](const Communicator& communicator) {
    const auto make = [&] {
      return HaloArray(communicator, Layout::for_shape(2, {8}), {.widths = {{1, 1}}}, dtype_of<double>(),
                       host_queue());
    };
    const HaloArray u = make(), v = make();
    EXPECT_THROW(exchange({}), ArgumentError);
    EXPECT_THROW(exchange({u, u}), ArgumentError);
    HaloExchange both({u, v});
    EXPECT_THROW(v.exchange_begin(), ArgumentError);
    EXPECT_THROW(exchange({v}), ArgumentError);
    both.finish();
    EXPECT_THROW(both.finish(), ArgumentError);
    v.exchange();
    u.exchange_begin();
    EXPECT_THROW(HaloExchange({v, u}), ArgumentError);
    u.exchange_end();
    exchange({v, u});
  });
}

TEST(Halos, of_ranks_with_other_options_are_refused_on_all_ranks) {
  const HaloOptions narrow{.widths = {{1, 1}}};
  const std::vector<std::pair<HaloOptions, DType>> others = {
      {{.widths = {{1, 0}}}, dtype_of<double>()},
      {{.widths = {{1, 1}}, .periodic = {true}}, dtype_of<double>()},
      {{.widths = {{1, 1}}, .corners = false}, dtype_of<double>()},
      {narrow, dtype_of<float>()}};
  for (const auto& [other, dtype] : others) {
    on_ranks(4, [&, &other = other, &dtype = dtype](const Communicator& communicator) {
      const bool is_other = communicator.rank() == 2;
      const Layout layout = Layout::for_shape(4, {8});
      try {
        const HaloArray halo(communicator, layout, is_other ? other : narrow,
                             is_other ? dtype : dtype_of<double>(), host_queue());
        FAIL() << "rank " << communicator.rank() << ": no error";
      } catch (const DistributedError& error) {
        EXPECT_EQ(error.ranks(), is_other ? (std::vector{0, 1, 3}) : std::vector{2});
        EXPECT_NE(std::string(error.what()).find(is_other ? "ranks 0, 1 and 3" : "rank 2"), std::string::npos)
            << error.what();
      }
      // Missing entries are false.
      HaloOptions same = narrow;
      if (is_other) same.periodic = {false};
      HaloArray(communicator, layout, same, dtype_of<double>(), host_queue()).exchange();
    });
  }
}

TEST(Halos, jacobi_iterations_are_those_of_one_rank) {
  const Shape shape = {17, 23};
  const auto sweep = [](const Array& padded) {  // of the inner cells
    const auto shifted = [&](std::int64_t down, std::int64_t right) {
      const std::int64_t rows = padded.shape()[0], columns = padded.shape()[1];
      return view(padded,
                  {Index::slice(1 + down, rows - 1 + down), Index::slice(1 + right, columns - 1 + right)});
    };
    return 0.25 * (shifted(-1, 0) + shifted(1, 0) + shifted(0, -1) + shifted(0, 1));
  };
  const Array alone = zeros(host_queue(), {shape[0] + 2, shape[1] + 2}, dtype_of<double>());
  const Array inner = view(alone, {Index::slice(1, -1), Index::slice(1, -1)});
  assign(inner, numbered(shape));
  for (int step = 0; step < 20; ++step) assign(inner, copy(sweep(alone)));
  const std::vector<double> expected = copy(inner).to_vector<double>(host_queue());

  for (const int ranks : {1, 2, 3, 4, 6}) {
    on_ranks(ranks, [&](const Communicator& communicator) {
      const Layout layout = Layout::for_shape(ranks, shape);
      HaloOptions options{.widths = {{1, 1}, {1, 1}}, .periodic = {}, .corners = false};
      HaloArray halo(communicator, layout, options, dtype_of<double>(), host_queue());
      assign(halo.interior(), distribute(communicator, layout, numbered(shape)).local());
      for (int step = 0; step < 20; ++step) {
        halo.exchange();
        assign(halo.interior(), copy(sweep(halo.local())));
      }
      const DistributedArray result(communicator, layout, copy(halo.interior()));
      EXPECT_EQ(copy(gather(result)).to_vector<double>(host_queue()), expected);
    });
  }
}

TEST(Halos, may_be_exchanged_again_after_elements_that_could_not_be_read) {
  WaitLimits limits;
  limits.fail = std::chrono::seconds(20);
  on_ranks(
      2,
      [](const Communicator& communicator) {
        HaloArray halo(communicator, Layout::for_shape(2, {8}), {.widths = {{1, 1}}}, dtype_of<double>(),
                       host_queue());
        if (communicator.rank() == 0) {
          const Queue queue(device("host"));
          const UserEvent go(Context::of(device("host")));
          const Event wait_for[] = {go};
          const std::byte zero[] = {std::byte{0}};
          queue.fill(halo.local().buffer(), zero, wait_for);
          go.set_error(std::make_exception_ptr(std::runtime_error("no mesh")));
          EXPECT_THROW(halo.exchange_begin(), Error);
          queue.fill(halo.local().buffer(), zero).wait();
        }
        const Array value = zeros(host_queue(), {4}, dtype_of<double>());
        assign(halo.interior(), value + (1.0 + communicator.rank()));
        halo.exchange();
        const std::vector<double> cells = copy(halo.local()).to_vector<double>(host_queue());
        EXPECT_EQ(cells[communicator.rank() == 0 ? 5 : 0], 2.0 - communicator.rank());
      },
      limits);
}

TEST(Halos, that_cannot_be_are_refused) {
  on_ranks(2, [](const Communicator& communicator) {
    const auto make = [&](const Layout& layout, HaloOptions options) {
      HaloArray(communicator, layout, std::move(options), dtype_of<double>(), host_queue());
    };
    const Layout block = Layout::for_shape(2, {8});
    EXPECT_THROW(make(block, {.widths = {}}), ArgumentError);
    EXPECT_THROW(make(block, {.widths = {{-1, 0}}}), ArgumentError);
    EXPECT_THROW(make(Layout::owned(2, {8}, 0), {.widths = {{1, 1}}}), ArgumentError);
    EXPECT_THROW(make(Layout(ProcessGrid({2}), {AxisLayout::cyclic(8, 0, 2, 2)}), {.widths = {{1, 1}}}),
                 ArgumentError);
    HaloArray halo(communicator, block, {.widths = {{1, 1}}}, dtype_of<double>(), host_queue());
    EXPECT_THROW(halo.exchange_end(), ArgumentError);
    halo.exchange_begin();
    EXPECT_THROW(halo.exchange_begin(), ArgumentError);
    halo.exchange_end();
  });
}

}  // namespace
}  // namespace quern::distributed
