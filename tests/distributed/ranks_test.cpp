// SPDX-License-Identifier: MIT
// The public header alone: communicators of threads and of one process, arrays on them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "quern/distributed.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

Queue host_queue_of_device() {
  return Queue::of(device("host"));
}

TEST(PublicCommunicators, number_their_ranks) {
  const Communicator alone = self();
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.description(), "one process");
  alone.barrier();
  std::atomic<int> sum = 0;
  on_threads(4, [&](const Communicator& communicator) {
    EXPECT_EQ(communicator.size(), 4);
    sum += communicator.rank();
    communicator.barrier();
    const Communicator part = communicator.split(communicator.rank() / 2);
    EXPECT_EQ(part.size(), 2);
    EXPECT_EQ(part.rank(), communicator.rank() % 2);
  });
  EXPECT_EQ(sum, 6);
  EXPECT_THROW(static_cast<void>(threads(0)), ArgumentError);
  EXPECT_THROW(static_cast<void>(alone.split(-1)), ArgumentError);
}

TEST(PublicCommunicators, rethrow_the_first_exception_and_end_the_other_ranks) {
  EXPECT_THROW(on_threads(3,
                          [](const Communicator& communicator) {
                            if (communicator.rank() == 1) throw std::out_of_range("no mesh");
                            communicator.barrier();
                          }),
               std::out_of_range);
}

TEST(PublicCommunicators, name_a_rank_whose_function_has_returned) {
  for (const bool is_part : {false, true}) {
    try {
      on_threads(3, [&](const Communicator& communicator) {
        const Communicator part = communicator.split(0);
        if (communicator.rank() == 1) return;
        (is_part ? part : communicator).barrier();
      });
      FAIL() << "rank 1 has not called barrier()";
    } catch (const DistributedError& error) {
      EXPECT_NE(std::string(error.what()).find("the program of rank 1 has ended after operation"),
                std::string::npos)
          << error.what();
      EXPECT_EQ(error.ranks(), std::vector<int>{1});
    }
  }
}

TEST(PublicCommunicators, end_silently_at_different_times) {
  on_threads(4, [](const Communicator& communicator) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * communicator.rank()));
    communicator.barrier();
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * (4 - communicator.rank())));
  });
}

TEST(DistributedParts, of_layouts_that_differ_in_lengths_disagree) {
  EXPECT_THROW(on_threads(2,
                          [](const Communicator& communicator) {
                            const std::vector<std::int64_t> lengths = communicator.rank() == 0
                                                                          ? std::vector<std::int64_t>{3, 5}
                                                                          : std::vector<std::int64_t>{4, 4};
                            const Layout layout(ProcessGrid({2}), {AxisLayout::irregular(lengths, 0)});
                            const Array block =
                                zeros(host_queue_of_device(), layout.local_shape(communicator.rank()),
                                      dtype_of<double>());
                            static_cast<void>(reduce("sum", {communicator, layout, block}));
                          }),
               DistributedError);
}

TEST(DistributedParts, of_a_0d_array_on_one_rank_get_axes) {
  on_threads(3, [](const Communicator& communicator) {
    const Queue queue = host_queue_of_device();
    const Layout owned = Layout::owned(3, {}, 1);
    const DistributedArray x = distribute(communicator, owned, full(queue, {}, 7.0, dtype_of<double>()));
    const int axis = 0;
    EXPECT_EQ(gather(expand_dims(x, std::span(&axis, 1))).to_vector<double>(queue), std::vector<double>{7});
    EXPECT_EQ(gather(reshape(x, {1, 1})).to_vector<double>(queue), std::vector<double>{7});
  });
}

TEST(DistributedParts, are_those_of_the_whole_array) {
  on_threads(3, [](const Communicator& communicator) {
    const Queue queue = host_queue_of_device();
    const Array whole = reshape(arange(queue, 0, 1, 60, dtype_of<std::int64_t>()), {6, 10});
    const DistributedArray x = distribute(communicator, Layout::block(ProcessGrid({3}), {6, 10}), whole);
    const Index index[] = {Index::slice(5, 0, -2), Index::slice(1, -1, 3)};
    const auto expected = copy(view(whole, index)).to_vector<std::int64_t>(queue);
    EXPECT_EQ(gather(get_item(x, index)).to_vector<std::int64_t>(queue), expected);
    set_item(x, index, Number(-1));
    assign(view(whole, index), -1);
    EXPECT_EQ(gather(x).to_vector<std::int64_t>(queue), whole.to_vector<std::int64_t>(queue));
  });
}

}  // namespace
}  // namespace quern::distributed
