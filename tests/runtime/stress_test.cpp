// SPDX-License-Identifier: MIT
// Many threads that use the same objects at once.
#include <atomic>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Stress : public EachDevice {};

TEST_P(Stress, one_kernel_runs_in_eight_threads) {
  const Kernel slow_set = kernels().kernel("slow_set");
  std::atomic<int> wrong{0};
  in_threads(8, [&](int t) {
    const Queue queue(device_);
    for (int round = 0; round < 20; ++round) {
      const Array x = zeros(queue, {512}, dtype_of<int>());
      slow_set(queue, range(512), x, t * 100 + round, 50);
      if (x.to_vector<int>(queue) != std::vector<int>(512, t * 100 + round)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, one_queue_serves_eight_threads) {
  const Array x = zeros(queue_, {256}, dtype_of<int>());
  const Kernel add_one = kernels().kernel("add_one");
  queue_.finish();
  in_threads(8, [&](int) {
    for (int round = 0; round < 50; ++round) add_one(queue_, range(256), x);
  });
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(256, 400));
}

TEST_P(Stress, queues_that_share_memory_both_ways_do_not_lock_up) {
  const Array x = zeros(queue_, {256}, dtype_of<int>()), y = zeros(queue_, {256}, dtype_of<int>());
  queue_.finish();
  in_threads(4, [&](int t) {
    const Queue queue(device_);
    const Kernel copy = kernels().kernel("copy_ints");
    for (int round = 0; round < 50; ++round) {
      if (t % 2 == 0)
        copy(queue, range(256), x, y);
      else
        copy(queue, range(256), y, x);
    }
    queue.finish();
  });
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(256, 0));
}

TEST_P(Stress, threads_may_finish_a_queue_that_others_fill) {
  const Buffer buffer(device_, 64);
  const std::byte zero{0};
  std::atomic<bool> filled{false};
  in_threads(3, [&](int t) {
    if (t == 0) {
      for (int i = 0; i < 3000; ++i) queue_.fill(buffer, {&zero, 1});
      filled = true;
    } else {
      while (!filled) queue_.finish();
    }
  });
  queue_.finish();
}

TEST_P(Stress, devices_that_wait_for_each_other_do_not_lock_up) {
  const std::vector<Device> all = tested_devices();
  if (all.size() < 2) GTEST_SKIP() << "there is one device only";
  const Device other = all[0] == device_ ? all[1] : all[0];
  in_threads(3, [&](int) {
    const Queue here(device_), there(other);
    const Buffer x(device_, 64), y(other, 64);
    const std::byte zero{0};
    for (int i = 0; i < 300; ++i) {
      const Event first = here.fill(x, {&zero, 1});
      const Event second = there.fill(y, {&zero, 1}, {&first, 1});
      here.fill(x, {&zero, 1}, {&second, 1});
    }
    here.finish();
    there.finish();
  });
}

TEST_P(Stress, programs_are_built_in_many_threads) {
  const std::string text = "kernel void three(global int *x) { x[get_global_id(0)] = 3; }";
  std::atomic<int> wrong{0};
  in_threads(4, [&](int) {
    const Queue queue(device_);
    const Array x = zeros(queue, {64}, dtype_of<int>());
    Program(text).kernel("three")(queue, range(64), x);
    if (x.to_vector<int>(queue) != std::vector<int>(64, 3)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, cycles_of_make_use_destroy_leave_nothing_behind) {
  const Kernel add_one = kernels().kernel("add_one");
  const std::size_t before = pool_stats(device_).in_use;
  for (int i = 0; i < 300; ++i) {
    const Queue queue(device_);
    const Array x = zeros(queue, {64}, dtype_of<int>());
    add_one(queue, range(64), x);
  }
  EXPECT_EQ(pool_stats(device_).in_use, before);
}

QUERN_EACH_DEVICE(Stress);

}  // namespace
}  // namespace quern::test
