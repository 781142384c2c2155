// SPDX-License-Identifier: MIT
// Fibers by themselves: rounds between barriers, disagreement, overflow, many threads.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "backend/host/fiber.hpp"

namespace quern::backend::host {
namespace {

quern_launch launch_of_one_group() {
  quern_launch launch = {};
  for (std::size_t d = 0; d < 3; ++d) launch.group_count[d] = 2;
  launch.runtime = &kRuntime;
  return launch;
}

const quern_launch kLaunch = launch_of_one_group();
constexpr unsigned long long kStack = 64 << 10;

int run(quern_item_function* item, void* data, unsigned long long items, unsigned long long stack = kStack) {
  return kRuntime.run_group(&kLaunch, 5, item, data, items, stack);
}

struct Rounds {
  std::vector<int> order;
  int rounds = 3;
};

void three_rounds(void* data, unsigned long long item) {
  auto& log = *static_cast<Rounds*>(data);
  for (int r = 0; r < log.rounds; ++r) {
    log.order.push_back(static_cast<int>(item) + 100 * r);
    kRuntime.barrier(&kLaunch, "k.cl:1");
  }
}

TEST(Fibers, all_come_to_a_barrier_before_one_goes_on) {
  Rounds log;
  ASSERT_EQ(run(three_rounds, &log, 40), 0);
  ASSERT_EQ(log.order.size(), 120U);
  for (int i = 0; i < 120; ++i) EXPECT_EQ(log.order[static_cast<std::size_t>(i)] / 100, i / 40);
  EXPECT_FALSE(has_failed());
}

TEST(Fibers, one_work_item_passes_its_barriers) {
  Rounds log;
  EXPECT_EQ(run(three_rounds, &log, 1), 0);
  EXPECT_EQ(log.order, (std::vector<int>{0, 100, 200}));
}

TEST(Fibers, the_largest_group_has_stacks_for_all) {
#ifdef __SANITIZE_THREAD__
  constexpr std::size_t kItems = 2048;  // it counts fibers as threads, and has room for so many
#else
  constexpr std::size_t kItems = 8192;
#endif
  Rounds log;
  EXPECT_EQ(run(three_rounds, &log, kItems), 0);
  EXPECT_EQ(log.order.size(), 3 * kItems);
}

TEST(Fibers, keep_floating_point_and_integer_variables) {
  std::vector<double> results(100);
  const auto item = [](void* data, unsigned long long i) {
    double a = 0.5 * static_cast<double>(i), b = 1;
    unsigned long long c = i, d = ~i, e = i * i, f = i << 32;
    for (int r = 0; r < 5; ++r) {
      kRuntime.barrier(&kLaunch, "k.cl:1");
      a += 1, b *= 2, c += d, d ^= e, e += f, f -= c;
    }
    unsigned long long w = i, x = ~i, y = i * i, z = i << 32;
    for (int r = 0; r < 5; ++r) w += x, x ^= y, y += z, z -= w;
    const bool same = w == c && x == d && y == e && z == f;
    static_cast<double*>(data)[i] = same ? a + b : -1;
  };
  ASSERT_EQ(run(item, results.data(), results.size()), 0);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], 0.5 * static_cast<double>(i) + 5 + 32);
}

TEST(Fibers, start_on_an_aligned_stack) {
  std::vector<std::size_t> misplaced(16);
  const auto item = [](void* data, unsigned long long i) {
    alignas(16) volatile char object[16];
    object[0] = static_cast<char>(i);
    static_cast<std::size_t*>(data)[i] = reinterpret_cast<std::uintptr_t>(&object) % 16;
  };
  ASSERT_EQ(run(item, misplaced.data(), misplaced.size()), 0);
  EXPECT_EQ(misplaced, std::vector<std::size_t>(16));
}

TEST(Fibers, that_return_while_others_wait_are_a_failure_with_group_and_place) {
  const auto item = [](void*, unsigned long long i) {
    if (i != 3) kRuntime.barrier(&kLaunch, "k.cl:12");
  };
  EXPECT_NE(run(item, nullptr, 8), 0);
  ASSERT_TRUE(has_failed());
  EXPECT_EQ(take_failure(), "work-items of group (1,0,1) disagree about the barrier at k.cl:12");
  EXPECT_FALSE(has_failed());
}

TEST(Fibers, that_wait_at_different_barriers_are_a_failure) {
  const auto item = [](void*, unsigned long long i) {
    kRuntime.barrier(&kLaunch, "k.cl:1");
    kRuntime.barrier(&kLaunch, i < 7 ? "k.cl:2" : "k.cl:3");
  };
  EXPECT_NE(run(item, nullptr, 8), 0);
  EXPECT_NE(take_failure().find("k.cl:3"), std::string::npos);
  Rounds log;  // the abandoned ones are forgotten
  EXPECT_EQ(run(three_rounds, &log, 40), 0);
  EXPECT_EQ(log.order.size(), 120U);
}

TEST(Fibers, that_wait_at_different_barriers_of_one_line_are_a_failure) {
  const auto item = [](void*, unsigned long long i) {
    kRuntime.barrier(&kLaunch, i < 7 ? "k.cl:2\0"
                                       "0"
                                     : "k.cl:2\0"
                                       "1");
  };
  EXPECT_NE(run(item, nullptr, 8), 0);
  EXPECT_EQ(take_failure(), "work-items of group (1,0,1) disagree about the barrier at k.cl:2");
}

TEST(Fibers, names_of_places_need_not_be_the_same_object) {
  const auto item = [](void*, unsigned long long) {
    const std::string place(
        "k.cl:1\0"
        "4",
        8);  // short enough to lie on the work-item's own stack
    kRuntime.barrier(&kLaunch, place.c_str());
  };
  EXPECT_EQ(run(item, nullptr, 8), 0);
}

TEST(Fibers, more_stack_than_there_may_be_is_an_overflow) {
  EXPECT_NE(run(three_rounds, nullptr, 256, kMaxStacks / 255), 0);
  EXPECT_NE(take_failure().find("stack overflow"), std::string::npos);
}

template <std::size_t kBytes>
__attribute__((noinline)) void wait_with_an_array(unsigned long long item) {
  char room[kBytes];
  room[0] = static_cast<char>(item);
  asm volatile("" : : "r"(room) : "memory");  // all of it is needed
  kRuntime.barrier(&kLaunch, "k.cl:1");
}

TEST(Fibers, a_frame_below_its_stack_is_an_overflow) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the frames are larger, or elsewhere";
#endif
  // The second work-item's array reaches into the first one's stack, where that is not used.
  const auto item = [](void*, unsigned long long i) {
    i == 1 ? wait_with_an_array<(20 << 10)>(i) : wait_with_an_array<16>(i);
  };
  EXPECT_NE(run(item, nullptr, 2, 8 << 10), 0);
  EXPECT_NE(take_failure().find("stack overflow"), std::string::npos);
}

TEST(Fibers, threads_have_their_own) {
  std::vector<std::thread> threads;
  std::vector<Rounds> logs(8);
  for (Rounds& log : logs) {
    log.rounds = 50;
    threads.emplace_back([&log] {
      for (int i = 0; i < 20; ++i) {
        log.order.clear();
        if (run(three_rounds, &log, 64) != 0) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Rounds& log : logs) EXPECT_EQ(log.order.size(), 50U * 64);
}

}  // namespace
}  // namespace quern::backend::host
