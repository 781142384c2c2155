// SPDX-License-Identifier: MIT
// The thread pool of the process, teams of threads on some of its processors, and their tasks.
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

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/futex.hpp"
#include "base/start_elsewhere.hpp"

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
  // Workers take tasks of higher priority first. Set before the task is submitted.
  void set_priority(int priority) noexcept {
    priority_ = static_cast<std::int8_t>(std::clamp(priority, -127, 127));
  }
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
  std::int8_t priority_ = 0;
  // Under the pool's lock:
  std::uint16_t stuck_ = 0;  // workers that have been in one piece of it for long
  std::uint32_t place_ = 0;  // in the pool's list, while it is there
};

class ThreadPool {
 public:
  // The pool of the process. Waiting threads of the program work on its tasks, too.
  static ThreadPool& instance();
  // The team of these processors: its workers, and no other threads, work on its tasks. They run on these
  // processors only. A team is never destroyed; the next part of the same processors has it, too.
  static ThreadPool& team(const std::vector<int>& processors);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // The pool whose worker the calling thread is; otherwise the pool of the process.
  static ThreadPool& current() noexcept;

  // The number of threads that may work at once, including a waiting one: the least of the processors of the
  // affinity mask, the control group's quota (rounded up) and QUERN_THREADS. Without QUERN_THREADS, ranks
  // that a launcher has started on this machine share the processors (base/local_ranks). Starts nothing.
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  [[nodiscard]] bool is_team() const noexcept { return is_team_; }
  // The processors that the workers of a team run on, and that a device may be split into; at least as many
  // as there are threads.
  [[nodiscard]] const std::vector<int>& processors() const noexcept { return processors_; }
  // Whether the calling thread may work on tasks of this pool.
  [[nodiscard]] bool may_work_here() const noexcept { return !is_team() || &current() == this; }

  // Submits the task to the workers, starting as many as it needs.
  void submit(std::shared_ptr<Task> task);

  static constexpr std::chrono::nanoseconds kAnyTime = std::chrono::nanoseconds::max();
  // Does one piece of a task on this thread, expected to take at most `budget`. False if the task has not
  // been submitted yet, if nothing of it is left, if a piece is not known to be as short, or if this thread
  // may not work here.
  bool help(Task& task, std::chrono::nanoseconds budget);
  // The same for one of the submitted tasks, of the highest priority.
  bool help_any(std::chrono::nanoseconds budget);

  // Whether fewer workers are at work than there are processors, so that a waiting thread may work or spin.
  [[nodiscard]] bool has_idle_processor() const noexcept { return active_.load() < threads_ + stuck_.load(); }

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
  ThreadPool(std::vector<int> processors, unsigned threads, bool is_team);
  // The state of a worker. It becomes busy or stuck only under the pool's lock.
  struct Worker {
    enum State : std::uint8_t { idle, busy, stuck };
    std::atomic<State> state{idle};
    Task* task = nullptr;            // while it is not idle
    const Task* returned = nullptr;  // a task in which it was stuck before and whose pieces do end
    bool is_parked = false;          // under the lock, as the next
    StartElsewhere place;
  };

  void worker_loop() noexcept;
  std::shared_ptr<Task> take(Worker& worker);
  void work(Worker& worker, Task& task) noexcept;
  void leave(Worker& worker) noexcept;
  void have_watcher();
  void watch(std::uint32_t seen) noexcept;
  bool add(const std::shared_ptr<Task>& task) noexcept;
  [[nodiscard]] std::shared_ptr<Task> next_task(const Task* returned);
  void give_up(const Task& task);
  [[nodiscard]] unsigned allowed() const noexcept;
  bool start_workers(unsigned wanted);
  enum class Caller : std::uint8_t { works, sleeps };  // after the call
  void call(unsigned wanted, Caller caller) noexcept;
  void idle(Worker& worker, std::uint32_t seen) noexcept;
  void park(Worker& worker, std::uint32_t seen) noexcept;

  const unsigned threads_;
  const std::vector<int> processors_;
  const bool is_team_;
  std::mutex mutex_;                          // guards the members below, up to takes_seen_at_
  std::vector<std::shared_ptr<Task>> tasks_;  // tasks with something left to claim
  std::size_t turn_ = 0;                      // next task in turn: tasks share the workers
  std::size_t prioritised_ = 0;               // tasks in the list whose priority is not 0
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

// Runs body(first, last) over 0 <= i < items on the current pool and on the calling thread; returns when all
// is done. The body does not throw.
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
  ThreadPool& pool = ThreadPool::current();
  pool.submit(loop);
  while (pool.help(*loop, ThreadPool::kAnyTime)) {
  }
  for (int i = 0; i < 2000 && loop->over.load() == 0; ++i) futex::relax();
  while (loop->over.load() == 0) futex::wait(loop->over, 0);
}

}  // namespace quern
