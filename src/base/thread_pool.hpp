// SPDX-License-Identifier: MIT
// The thread pool of the process, and its tasks.
//
// A task is a range of items. Workers, and the thread that waits for the task, claim pieces of the range
// until none is left; the thread that ends the last piece calls finished(). No thread ever waits for another
// one to start: a worker that the system does not schedule delays nothing.
//
// A piece that never ends does not block others either. While tasks wait because all workers are busy, one
// more worker watches. If no worker has returned for another piece for a while, the busy ones count as stuck:
// others, newly started if needed, work on the tasks that no stuck worker has. A stuck worker that returns
// after all is an ordinary worker again.
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
  // No piece is smaller than `grain` items, except the last and those that a waiter takes.
  Task(std::uint64_t items, std::uint64_t grain) noexcept;
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Processes the items first <= i < last. Many threads call it at once, each with its own range.
  virtual void run(std::uint64_t first, std::uint64_t last) noexcept = 0;
  // Called once, by the thread that did the last piece. All writes of run() are visible to it.
  virtual void finished() noexcept = 0;
  // The expected time of one item in nanoseconds; negative if unknown.
  [[nodiscard]] virtual double expected_item_ns() const noexcept { return -1; }

  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  // Whether the workers have it.
  [[nodiscard]] bool submitted() const noexcept { return submitted_.load(std::memory_order_acquire); }
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
      divisor_;  // a piece is this fraction of the rest: large ones first, small ones for the balance
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> submitted_{false};
  unsigned stuck_ = 0;  // workers that have been in one piece of it for long; under the pool's lock
};

class ThreadPool {
 public:
  static ThreadPool& instance();

  // The number of threads that may work at once, including a waiting one: the least of the processors of the
  // affinity mask, the control group's quota (rounded up) and QUERN_THREADS. Starts nothing.
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

  // Submits the task to the workers, starting as many as it needs.
  void submit(std::shared_ptr<Task> task);

  static constexpr std::chrono::nanoseconds kAnyTime = std::chrono::nanoseconds::max();
  // Does one piece of a task on this thread, expected to take at most `budget`. False if the task has not
  // been submitted yet, if nothing of it is left, or if a piece is not known to be as short.
  bool help(Task& task, std::chrono::nanoseconds budget);

  // Whether fewer workers are at work than there are processors, so that a waiting thread may work or spin.
  [[nodiscard]] bool has_room() const noexcept { return active_.load() < threads_ + stuck_.load(); }

  // While an object of this class lives, its thread sleeps, and one more worker may use its processor.
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
  // The state of a worker. It becomes busy or stuck only under the pool's lock.
  struct Worker {
    enum State : std::uint8_t { idle, busy, stuck };
    std::atomic<State> state{idle};
    Task* task = nullptr;            // while it is not idle
    const Task* returned = nullptr;  // a task in which it was stuck before and whose pieces do end
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
  std::mutex mutex_;                          // guards the members below, up to takes_seen_at_
  std::vector<std::shared_ptr<Task>> tasks_;  // tasks with something left to claim
  std::size_t turn_ = 0;                      // next task in turn: tasks share the workers
  unsigned started_ = 0;
  std::vector<Worker*> workers_;
  std::uint64_t takes_ = 0, takes_seen_ = 0;               // of tasks by workers; at the last watch
  std::chrono::steady_clock::time_point takes_seen_at_{};  // time since which there were so many
  std::atomic<unsigned> task_count_{0};
  std::atomic<unsigned> active_{0};  // workers that have a task
  std::atomic<unsigned> lent_{0};
  std::atomic<unsigned> stuck_{0};  // among the active ones
  std::atomic<bool> has_watcher_{false};
  std::atomic<unsigned> spinning_{0}, parked_{0};
  futex::Word signal_{0};  // changes whenever there may be new work for a worker
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
