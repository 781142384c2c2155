// SPDX-License-Identifier: MIT
// The one thread pool of the process, and the tasks it works on.
//
// A task is a range of items. Whoever works on it, a worker or the thread that waits for it, claims pieces of
// the range until none is left; the thread that ends the last piece calls finished(). Nobody ever waits for a
// thread that has not come: a worker that the system does not schedule holds nothing up.
//
// Nor does a piece that never ends. While tasks wait because all workers are busy, one more worker watches.
// When for a while no worker has come back for another piece, those that are busy count as stuck: others,
// new ones where needed, work on the tasks that no stuck worker has. A stuck worker that comes back after all
// is one like any other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/futex.hpp"

namespace quern {

class Task {
 public:
  // No piece is smaller than `grain` items, but for the last and for those a waiter takes.
  Task(std::uint64_t items, std::uint64_t grain) noexcept;
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Does the items first <= i < last. Many threads call it at once, each with its own range.
  virtual void run(std::uint64_t first, std::uint64_t last) noexcept = 0;
  // Called once, by the thread that did the last piece. All that run() wrote is visible to it.
  virtual void finished() noexcept = 0;
  // What one item is expected to take in nanoseconds; negative when that is not known.
  [[nodiscard]] virtual double expected_item_ns() const noexcept { return -1; }

  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  [[nodiscard]] bool exhausted() const noexcept { return next_.load(std::memory_order_relaxed) >= items_; }

 private:
  friend class ThreadPool;
  struct Range {
    std::uint64_t first = 0, last = 0;
    [[nodiscard]] bool empty() const noexcept { return first == last; }
  };

  Range claim(std::uint64_t most) noexcept;
  void work(Range range) noexcept;

  const std::uint64_t items_;
  const std::uint64_t grain_;
  const std::uint64_t
      divisor_;  // a piece is this part of what is left: large ones first, small ones for the balance
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> submitted_{false};
  unsigned stuck_ = 0;  // workers that have been in one piece of it for long; under the pool's lock
};

class ThreadPool {
 public:
  static ThreadPool& instance();

  // How many threads may work at once, a waiting one included: the processors of the affinity mask, what the
  // control group's quota allows (rounded up) and QUERN_THREADS, whichever is least. Starts nothing.
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

  // Lets the workers have the task, starting as many as it needs.
  void submit(std::shared_ptr<Task> task);

  static constexpr std::chrono::nanoseconds kAnyTime = std::chrono::nanoseconds::max();
  // Does one piece of a task on this thread, expected to take no longer than `budget`. False when the task
  // has not been submitted yet, when nothing of it is left, or when it is not known that a piece would be as
  // short.
  bool help(Task& task, std::chrono::nanoseconds budget);

  // While one lives, its thread sleeps, and one more worker may have the processor it leaves.
  class Lending {
   public:
    explicit Lending(ThreadPool& pool);
    ~Lending();
    Lending(const Lending&) = delete;
    Lending& operator=(const Lending&) = delete;

   private:
    ThreadPool& pool_;
  };

 private:
  explicit ThreadPool(unsigned threads);
  // What a worker is doing. Only the pool's lock makes it busy or stuck.
  struct Worker {
    enum State : std::uint8_t { idle, busy, stuck };
    std::atomic<State> state{idle};
    Task* task = nullptr;            // while it is not idle
    const Task* returned = nullptr;  // a task in which it was stuck before: it ends its pieces after all
  };

  void worker_loop() noexcept;
  std::shared_ptr<Task> take(Worker& worker);
  void work(Worker& worker, Task& task) noexcept;
  void leave(Worker& worker) noexcept;
  void have_watcher();
  void watch(std::uint32_t seen) noexcept;
  bool add(const std::shared_ptr<Task>& task) noexcept;
  void give_up(const Task& task);
  [[nodiscard]] unsigned allowed() const noexcept;
  bool start_workers(unsigned wanted);
  void call(unsigned wanted) noexcept;
  void idle(std::uint32_t seen) noexcept;

  const unsigned threads_;
  std::mutex mutex_;                          // guards what follows, up to takes_seen_at_
  std::vector<std::shared_ptr<Task>> tasks_;  // those with something left to claim
  std::size_t turn_ = 0;                      // whose turn it is: tasks share the workers
  unsigned started_ = 0;
  std::vector<Worker*> workers_;
  std::uint64_t takes_ = 0, takes_seen_ = 0;               // of tasks by workers; when last watched
  std::chrono::steady_clock::time_point takes_seen_at_{};  // since when there were so many
  std::atomic<unsigned> task_count_{0};
  std::atomic<unsigned> active_{0};  // workers that have a task
  std::atomic<unsigned> lent_{0};
  std::atomic<unsigned> stuck_{0};  // of the active ones
  std::atomic<bool> has_watcher_{false};
  std::atomic<unsigned> spinning_{0}, parked_{0};
  futex::Word signal_{0};  // changes whenever there may be something new for a worker
};

// Runs body(first, last) over 0 <= i < items on the pool and on the calling thread; returns when all is done.
// The body does not throw.
template <class Body>
void parallel_for(std::uint64_t items, std::uint64_t grain, Body&& body) {
  if (items <= grain) {
    if (items != 0) body(std::uint64_t{0}, items);
    return;
  }
  struct Loop final : Task {
    Loop(std::uint64_t items, std::uint64_t grain, Body& body) : Task(items, grain), body_(body) {}
    void run(std::uint64_t first, std::uint64_t last) noexcept override { body_(first, last); }
    void finished() noexcept override {
      over.store(1);
      futex::wake_all(over);
    }
    Body& body_;
    futex::Word over{0};
  };
  const auto loop = std::make_shared<Loop>(items, grain, body);
  ThreadPool& pool = ThreadPool::instance();
  pool.submit(loop);
  while (pool.help(*loop, ThreadPool::kAnyTime)) {
  }
  for (int i = 0; i < 2000 && loop->over.load() == 0; ++i) futex::relax();
  while (loop->over.load() == 0) futex::wait(loop->over, 0);
}

}  // namespace quern
