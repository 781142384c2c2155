// SPDX-License-Identifier: MIT
// Allocators of the program's own, and the pool's statistics by queue.
#include "quern/pool.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Counting final : public Allocator {
 public:
  std::uintptr_t allocate(std::size_t nbytes) override {
    if (fails) throw std::domain_error("no such arena");
    const std::lock_guard lock(mutex_);
    if (in_use_ + nbytes > limit) throw std::bad_alloc();
    const auto address =
        reinterpret_cast<std::uintptr_t>(std::aligned_alloc(128, (nbytes + 127) / 128 * 128));
    live_[address] = nbytes;
    in_use_ += nbytes;
    ++allocations;
    return address;
  }
  void free(std::uintptr_t native, std::size_t nbytes) noexcept override {
    const std::lock_guard lock(mutex_);
    wrong_frees += live_.erase(native) == 1 ? 0 : 1;
    in_use_ -= nbytes;
    std::free(reinterpret_cast<void*>(native));
  }
  [[nodiscard]] std::size_t live() {
    const std::lock_guard lock(mutex_);
    return live_.size();
  }

  std::size_t limit = SIZE_MAX;
  bool fails = false;
  int allocations = 0, wrong_frees = 0;

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> live_;
  std::size_t in_use_ = 0;
};

class Allocators : public ::testing::Test {
 protected:
  ~Allocators() override { set_allocator(device_, nullptr); }
  Device device_ = device("host");
  Queue queue_{device_};
  std::shared_ptr<Counting> counting_ = std::make_shared<Counting>();
};

TEST_F(Allocators, supply_the_memory_of_buffers) {
  set_allocator(device_, counting_, {.pooled = false});
  {
    const Buffer buffer(device_, 4000);
    EXPECT_EQ(counting_->live(), 1U);
    kernels().kernel("add_one")(queue_, range(1000), buffer);
    queue_.finish();
  }
  EXPECT_EQ(counting_->live(), 0U);
  EXPECT_EQ(counting_->wrong_frees, 0);
}

TEST_F(Allocators, get_memory_back_after_its_work) {
  set_allocator(device_, counting_, {.pooled = false});
  std::vector<Event> events;
  for (int i = 0; i < 20; ++i) {
    const Buffer buffer(queue_, 4096 * sizeof(int));
    events.push_back(kernels().kernel("slow_set")(queue_, range(4096), buffer, i, 2000));
  }
  queue_.finish();
  Queue(device_).finish();  // looks for memory that is no longer used
  EXPECT_EQ(counting_->live(), 0U);
  EXPECT_EQ(counting_->allocations, 20);
}

TEST_F(Allocators, are_asked_again_when_the_pool_has_returned_its_memory) {
  set_allocator(device_, counting_);
  counting_->limit = 3 << 20;
  { const Buffer unused(device_, 2 << 20); }
  EXPECT_EQ(counting_->live(), 1U);
  const Buffer needs_it(device_, 3 << 20);
  EXPECT_EQ(counting_->live(), 1U);
  EXPECT_THROW(Buffer(device_, 1 << 20), OutOfDeviceMemory);
}

TEST_F(Allocators, pass_their_errors_on) {
  set_allocator(device_, counting_);
  counting_->fails = true;
  EXPECT_THROW(Buffer(device_, 1000), std::domain_error);
  counting_->fails = false;
  EXPECT_EQ(Buffer(device_, 1000).size(), 1000U);
}

TEST_F(Allocators, live_as_long_as_their_memory) {
  const std::weak_ptr<Counting> weak = counting_;
  set_allocator(device_, std::move(counting_));
  {
    const Buffer buffer(device_, 1000);
    set_allocator(device_, nullptr);
    EXPECT_FALSE(weak.expired());
  }
  EXPECT_TRUE(weak.expired());
}

class Pools : public EachDevice {};

TEST_P(Pools, count_by_queue) {
  const Queue other(device_);
  {
    const Buffer first(queue_, 4096), second(queue_, 4096), third(other, 4096);
    EXPECT_EQ(pool_stats(queue_).in_use, 8192U);
    EXPECT_EQ(pool_stats(other).in_use, 4096U);
  }
  const QueuePoolStats stats = pool_stats(queue_);
  EXPECT_EQ(stats.in_use, 0U);
  EXPECT_EQ(stats.in_pool, 8192U);
  EXPECT_EQ(stats.peak, 8192U);
  EXPECT_EQ(stats.allocations, 2U);
  trim_pool(device_);
  EXPECT_EQ(pool_stats(queue_).in_pool, 0U);
}

QUERN_EACH_DEVICE(Pools);

}  // namespace
}  // namespace quern::test
