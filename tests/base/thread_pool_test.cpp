// SPDX-License-Identifier: MIT
// The thread pool: every item once, helpers, sharing, how many threads there are.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "base/cgroup.hpp"
#include "base/parallel_copy.hpp"

namespace quern {
namespace {

TEST(ThreadPool, a_loop_does_every_item_once) {
  for (const std::uint64_t items : {0UL, 1UL, 2UL, 7UL, 1000UL, 100'001UL}) {
    for (const std::uint64_t grain : {1UL, 10UL, 1000UL}) {
      std::vector<std::atomic<int>> count(items);
      parallel_for(items, grain, [&](std::uint64_t first, std::uint64_t last) {
        EXPECT_LT(first, last);
        for (std::uint64_t i = first; i < last; ++i) ++count[i];
      });
      for (const auto& c : count) ASSERT_EQ(1, c.load());
    }
  }
}

TEST(ThreadPool, loops_of_many_threads_do_not_mix) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::uint64_t> sum{0};
        parallel_for(1000, 10, [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t i = first; i < last; ++i) sum += i;
        });
        wrong += sum.load() != 999 * 1000 / 2;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(ThreadPool, a_loop_may_hold_another) {
  std::atomic<int> count{0};
  parallel_for(20, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      parallel_for(50, 1, [&](std::uint64_t f, std::uint64_t l) { count += static_cast<int>(l - f); });
    }
  });
  EXPECT_EQ(1000, count.load());
}

struct CountingTask : Task {
  CountingTask(std::uint64_t items, double ns) : Task(items, 1), expected(ns) {}
  void run(std::uint64_t first, std::uint64_t last) noexcept override { done += last - first; }
  void finished() noexcept override { ++finishes; }
  double expected_item_ns() const noexcept override { return expected; }
  double expected;
  std::atomic<std::uint64_t> done{0};
  std::atomic<int> finishes{0};
};

TEST(ThreadPool, a_task_is_finished_once_without_anyones_help) {
  for (int round = 0; round < 300; ++round) {
    const auto task = std::make_shared<CountingTask>(static_cast<std::uint64_t>(round % 40 + 1), -1);
    ThreadPool::instance().submit(task);
    while (task->finishes.load() == 0) std::this_thread::yield();
    EXPECT_EQ(task->items(), task->done.load());
    EXPECT_EQ(1, task->finishes.load());
  }
}

// Its pieces do not end before it is opened.
struct Blocker : CountingTask {
  using CountingTask::CountingTask;
  void run(std::uint64_t first, std::uint64_t last) noexcept override {
    while (!open.load()) std::this_thread::yield();
    CountingTask::run(first, last);
  }
  std::atomic<bool> open{false};
};

// Runs tasks of other kinds, and says whether all were finished, beside the pieces that do not end.
bool others_finish(ThreadPool& pool, int count) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::vector<std::shared_ptr<CountingTask>> tasks;
  for (int i = 0; i < count; ++i) {
    tasks.push_back(std::make_shared<CountingTask>(static_cast<std::uint64_t>(i % 5 + 1), -1));
    pool.submit(tasks.back());
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const auto& task : tasks) {
    while (task->finishes.load() == 0) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return true;
}

TEST(ThreadPool, pieces_that_do_not_end_hold_up_no_other_task) {
  ThreadPool& pool = ThreadPool::instance();
  std::vector<std::shared_ptr<Blocker>> blockers;
  for (int round = 0; round < 4; ++round) {
    // Of one piece, and of more than there are workers.
    blockers.push_back(std::make_shared<Blocker>(round % 2 == 0 ? 1 : 1000, -1));
    pool.submit(blockers.back());
    EXPECT_TRUE(others_finish(pool, 30)) << "round " << round;
    if (testing::Test::HasFailure()) break;
  }
  for (const auto& blocker : blockers) EXPECT_EQ(0, blocker->finishes.load());
  for (const auto& blocker : blockers) blocker->open = true;
  for (const auto& blocker : blockers) {
    while (blocker->finishes.load() == 0) std::this_thread::yield();
    EXPECT_EQ(blocker->items(), blocker->done.load());
  }
  EXPECT_TRUE(others_finish(pool, 30));
}

TEST(ThreadPool, a_helper_takes_only_what_is_known_to_be_short_and_submitted) {
  ThreadPool& pool = ThreadPool::instance();
  CountingTask unknown(10, -1), slow(10, 1e9), fast(10, 1);
  for (Task* task : {static_cast<Task*>(&unknown), static_cast<Task*>(&slow), static_cast<Task*>(&fast)}) {
    EXPECT_FALSE(pool.help(*task, std::chrono::milliseconds(20)));  // not submitted
  }
  for (const double ns : {-1.0, 1e9}) {
    const auto task = std::make_shared<Blocker>(1000, ns);
    pool.submit(task);
    EXPECT_FALSE(pool.help(*task, std::chrono::milliseconds(20)));
    task->open = true;
    while (task->finishes.load() == 0) std::this_thread::yield();
  }
}

TEST(ThreadPool, workers_that_were_woken_may_use_all_processors) {
  cpu_set_t all;
  ASSERT_EQ(0, sched_getaffinity(0, sizeof all, &all));
  std::atomic<int> limited{0};
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // long enough for workers to park
    parallel_for(64, 1, [&](std::uint64_t, std::uint64_t) {
      cpu_set_t own;
      if (sched_getaffinity(0, sizeof own, &own) != 0 || !CPU_EQUAL(&own, &all)) ++limited;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  }
  EXPECT_EQ(0, limited.load());
}

TEST(StartElsewhere, a_thread_may_use_all_processors_again) {
  cpu_set_t all, own;
  ASSERT_EQ(0, sched_getaffinity(0, sizeof all, &all));
  StartElsewhere place;
  place.begin();
  // Twice, as by two threads that wake it: what it could use before is kept.
  place.avoid_this_processor();
  place.avoid_this_processor();
  ASSERT_EQ(0, sched_getaffinity(0, sizeof own, &own));
  EXPECT_EQ(std::max(1, CPU_COUNT(&all) - 1), CPU_COUNT(&own));
  place.allow_all();
  ASSERT_EQ(0, sched_getaffinity(0, sizeof own, &own));
  EXPECT_TRUE(CPU_EQUAL(&own, &all));
}

// The signals that each of the pool's threads blocks, by the system's own list.
std::vector<unsigned long long> masks_of_workers() {
  std::vector<unsigned long long> masks;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string key, name, mask;
    while (status >> key) {
      if (key == "Name:") status >> name;
      if (key == "SigBlk:") status >> mask;
    }
    if (name.starts_with("quern-")) masks.push_back(std::stoull(mask, nullptr, 16));
  }
  return masks;
}

bool blocks(unsigned long long mask, int signal) {
  return (mask >> (signal - 1) & 1) != 0;
}

TEST(ThreadPool, workers_take_no_signals_but_of_faults) {
  parallel_for(1000, 1, [](std::uint64_t, std::uint64_t) {});
  // A thread that begins blocks all of them for a moment.
  std::vector<unsigned long long> masks;
  for (int attempt = 0; attempt < 10000; ++attempt) {
    masks = masks_of_workers();
    if (!masks.empty() && std::none_of(masks.begin(), masks.end(), [](auto m) { return blocks(m, SIGSEGV); }))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(masks.size(), 1U);
  for (const unsigned long long mask : masks) {
    for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1})
      EXPECT_TRUE(blocks(mask, signal)) << signal;
    // Faults of its own would end the process without a word.
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) EXPECT_FALSE(blocks(mask, signal)) << signal;
  }
}

// The count is decided once in a process, so each case asks a fresh one.
int run_in_child(const char* test, const char* threads, bool one_processor) {
  const pid_t child = fork();
  if (child == 0) {
    if (threads != nullptr) {
      setenv("QUERN_THREADS", threads, 1);
    } else {
      unsetenv("QUERN_THREADS");
    }
    if (one_processor) {
      cpu_set_t all, one;
      CPU_ZERO(&one);
      sched_getaffinity(0, sizeof all, &all);
      for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &all)) {
          CPU_SET(i, &one);
          break;
        }
      }
      sched_setaffinity(0, sizeof one, &one);
    }
    const std::string filter = std::string("--gtest_filter=ThreadPoolChild.DISABLED_") + test;
    execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1",
          nullptr);
    _exit(255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThreadPoolChild, DISABLED_reports_its_threads) {
  // Works, too, with whatever number that is.
  std::atomic<std::uint64_t> sum{0};
  parallel_for(1000, 1, [&](std::uint64_t first, std::uint64_t last) { sum += last - first; });
  _exit(sum.load() == 1000 ? static_cast<int>(ThreadPool::instance().threads()) : 254);
}

TEST(ThreadPoolChild, DISABLED_goes_on_beside_pieces_that_do_not_end) {
  ThreadPool& pool = ThreadPool::instance();
  pool.submit(std::make_shared<Blocker>(1000, -1));
  _exit(others_finish(pool, 10) ? 0 : 1);
}

int child_count(const char* threads, bool one_processor = false) {
  return run_in_child("reports_its_threads", threads, one_processor);
}

TEST(ThreadPool, pieces_that_do_not_end_hold_up_nothing_on_one_processor) {
  EXPECT_EQ(0, run_in_child("goes_on_beside_pieces_that_do_not_end", "1", true));
}

TEST(ThreadPool, honours_quern_threads_and_affinity) {
  const int all = child_count(nullptr);
  EXPECT_GE(all, 1);
  EXPECT_EQ(1, child_count("1"));
  EXPECT_EQ(std::min(2, all), child_count("2"));
  EXPECT_EQ(all, child_count("100000"));
  EXPECT_EQ(all, child_count("nonsense"));
  EXPECT_EQ(all, child_count("0"));
  EXPECT_EQ(all, child_count("-3"));
  EXPECT_EQ(1, child_count(nullptr, true));
}

TEST(Cgroup, reads_cpu_max) {
  EXPECT_EQ(1.5, cgroup::parse_cpu_max("150000 100000\n"));
  EXPECT_EQ(std::nullopt, cgroup::parse_cpu_max("max 100000\n"));
  EXPECT_EQ(std::nullopt, cgroup::parse_cpu_max(""));
}

TEST(ParallelCopy, copies_like_memcpy) {
  for (const std::size_t n : {0UL, 1UL, 1000UL, (1UL << 20) - 1, 1UL << 20, (7UL << 20) + 13}) {
    std::vector<unsigned char> from(n), to(n + 2, 9);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<unsigned char>(i * 31 + i / 1000);
    parallel_copy(to.data() + 1, from.data(), n);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1));
    EXPECT_EQ(9, to[0]);
    EXPECT_EQ(9, to[n + 1]);
  }
}

}  // namespace
}  // namespace quern
