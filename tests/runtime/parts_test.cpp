// SPDX-License-Identifier: MIT
// Parts of a device: their names and properties, their queues, and the memory that they share.
#include "quern/parts.hpp"

#include <set>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Parts : public EachDevice {
 protected:
  void SetUp() override {
    try {
      halves_ = device_.split(Equally{2});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static Event add_one(const Queue& queue, const Buffer& buffer) {
    return kernels().kernel("add_one")(queue, range(buffer.size() / 4), buffer);
  }
  static std::vector<int> contents(const Queue& queue, const Buffer& buffer) {
    std::vector<int> values(buffer.size() / 4);
    queue.read(buffer, values.data(), buffer.size()).wait();
    return values;
  }
  std::vector<Device> halves_;
};

TEST_P(Parts, parts_are_devices_with_some_of_the_units) {
  ASSERT_EQ(halves_.size(), 2U);
  EXPECT_NE(halves_[0], halves_[1]);
  for (const Device& half : halves_) {
    EXPECT_EQ(half.properties().compute_units, halves_[0].properties().compute_units);
    EXPECT_EQ(half.parent(), device_);
    EXPECT_EQ(half.root(), device_);
    EXPECT_EQ(device(half.spec()), half);
  }
  EXPECT_EQ(halves_[1].spec(), device_.spec() + "[1 of 2]");
  EXPECT_EQ(device_.parent(), std::nullopt);
  EXPECT_EQ(device_.split(Equally{2}), halves_);
}

TEST_P(Parts, divisions_that_do_not_fit_are_errors) {
  const std::size_t units = device_.properties().compute_units;
  const std::vector<Device> before = device_.parts();
  for (const Division& division :
       {Division(Equally{0}), Division(Equally{units + 1}), Division(Counts{}), Division(Counts{{0}}),
        Division(Counts{{units, 1}}), Division(Counts{{SIZE_MAX, 2}})}) {
    EXPECT_THROW((void)device_.split(division), ArgumentError);
  }
  EXPECT_EQ(device_.parts(), before);
}

TEST_P(Parts, work_runs_on_every_part) {
  const std::vector<int> start = iota(1000);
  for (const Device& half : halves_) {
    const Queue queue(half);
    const Buffer buffer(queue, 4000);
    queue.write(buffer, start.data(), 4000);
    for (int i = 0; i < 10; ++i) add_one(queue, buffer);
    EXPECT_EQ(contents(queue, buffer), iota(1000, 10));
  }
}

TEST_P(Parts, waiting_for_the_device_waits_for_its_parts) {
  const Queue queue(halves_[1]);
  const Buffer buffer(halves_[1], 4000);
  const UserEvent go(Context::of(halves_[1]));
  queue.barrier({&static_cast<const Event&>(go), 1});
  const Event event = add_one(queue, buffer);
  const auto soon = [] { return Deadline::clock::now() + std::chrono::milliseconds(20); };
  EXPECT_FALSE(synchronize_until(device_, soon()));
  EXPECT_TRUE(synchronize_until(halves_[0], soon()));
  go.set_done();
  synchronize(device_);
  EXPECT_TRUE(event.done());
}

TEST_P(Parts, a_context_of_parts_shares_its_memory) {
  const Context context(halves_);
  const Queue queues[] = {Queue(context, halves_[0]), Queue(context, halves_[1])};
  const Buffer buffer(context, halves_[0], 4000);
  const std::vector<int> start = iota(1000);
  queues[0].write(buffer, start.data(), 4000);
  for (int i = 0; i < 20; ++i) add_one(queues[i % 2], buffer);
  EXPECT_EQ(contents(queues[1], buffer), iota(1000, 20));
}

TEST_P(Parts, memory_of_the_device_is_used_in_place_or_copied) {
  const Queue queue(halves_[0]);
  const std::vector<int> start = iota(1000);
  const Buffer buffer(device_, 4000);
  queue_.write(buffer, start.data(), 4000);
  if (device_.backend() == "opencl") {
    EXPECT_THROW(add_one(queue, buffer), ArgumentError);
    const Buffer copy(queue, 4000);
    queue.copy(buffer, copy);
    add_one(queue, copy);
    queue.copy(copy, buffer);
  } else {
    add_one(queue, buffer);
  }
  EXPECT_EQ(contents(queue_, buffer), iota(1000, 1));
}

QUERN_EACH_DEVICE(Parts);

}  // namespace
}  // namespace quern::test
