// SPDX-License-Identifier: MIT
#include "base/mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace quern {
namespace {

TEST(Mutex, keeps_other_threads_out) {
  constexpr int kThreads = 8, kTimes = 5000;
  Mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int n = 0; n < kTimes; ++n) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kTimes);
}

TEST(Mutex, try_lock_fails_while_it_is_locked) {
  Mutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Mutex, wakes_all_threads_that_wait_one_after_the_other) {
  constexpr int kThreads = 6;
  Mutex mutex;
  std::atomic<int> started = 0, passed = 0;
  std::unique_lock held(mutex);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ++started;
      const std::lock_guard lock(mutex);
      ++passed;
    });
  }
  while (started < kThreads) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that some of them sleep
  EXPECT_EQ(passed, 0);
  held.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, kThreads);
}

TEST(Mutex, works_with_condition_variables) {
  Mutex mutex;
  std::condition_variable_any changed;
  int turn = 0;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    for (int n = 0; n < 100; ++n) {
      changed.wait(lock, [&] { return turn % 2 == 1; });
      ++turn;
      changed.notify_all();
    }
  });
  {
    std::unique_lock lock(mutex);
    for (int n = 0; n < 100; ++n) {
      changed.wait(lock, [&] { return turn % 2 == 0; });
      ++turn;
      changed.notify_all();
    }
  }
  other.join();
  EXPECT_EQ(turn, 200);
}

}  // namespace
}  // namespace quern
