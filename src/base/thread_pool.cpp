// SPDX-License-Identifier: MIT
// Workers: how many, how they start, spin, park and share the tasks.
#include "base/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <string>
#include <thread>

#include "base/cgroup.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "base/signals.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker without work spins before it parks. Waking a parked one costs the caller a system call
// and the work some 10 to 100 us, so the launches of a burst should find it awake.
constexpr std::chrono::nanoseconds kSpin = std::chrono::microseconds(50);

constexpr std::size_t kStackBytes = std::size_t{8} << 20;  // lowered kernels keep work-groups' arrays on it

unsigned affinity_count() {
#ifdef __linux__
  for (std::size_t limit = 1024; limit <= (std::size_t{1} << 20); limit *= 4) {
    cpu_set_t* set = CPU_ALLOC(limit);
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(limit);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return static_cast<unsigned>(count);
  }
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

unsigned thread_count() {
  unsigned count = affinity_count();
  if (const auto limit = cgroup::cpu_limit(); limit && *limit < count) {
    count = static_cast<unsigned>(std::ceil(*limit));
  }
  if (const auto wanted = environment_integer("QUERN_THREADS", 1)) {
    count = static_cast<unsigned>(std::min<long>(*wanted, static_cast<long>(count)));
  }
  return std::max(1U, count);
}

thread_local bool this_is_a_worker = false;

}  // namespace

Task::Task(std::uint64_t items, std::uint64_t grain) noexcept
    : items_(items),
      grain_(std::max<std::uint64_t>(grain, 1)),
      divisor_(std::uint64_t{4} * ThreadPool::instance().threads()) {}

Task::Range Task::claim(std::uint64_t most) noexcept {
  std::uint64_t at = next_.load(std::memory_order_relaxed);
  for (;;) {
    if (at >= items_) return {};
    const std::uint64_t left = items_ - at;
    const std::uint64_t size = std::min({std::max(grain_, left / divisor_), most, left});
    if (next_.compare_exchange_weak(at, at + size, std::memory_order_relaxed)) return {at, at + size};
  }
}

void Task::work(Range range) noexcept {
  run(range.first, range.last);
  const std::uint64_t count = range.last - range.first;
  if (done_.fetch_add(count, std::memory_order_acq_rel) + count == items_) finished();
}

ThreadPool& ThreadPool::instance() {
  static auto* const pool =
      new ThreadPool(thread_count());  // never destroyed: workers may be busy while we exit
  return *pool;
}

ThreadPool::ThreadPool(unsigned threads) noexcept : threads_(threads) {}

// One processor is left to the thread that waits, unless it sleeps.
unsigned ThreadPool::allowed() const noexcept {
  return std::min(threads_, std::max(1U, threads_ - 1) + lent_.load());
}

void ThreadPool::submit(std::shared_ptr<Task> task) {
  const std::uint64_t pieces = (task->items_ + task->grain_ - 1) / task->grain_;
  unsigned wanted = static_cast<unsigned>(std::min<std::uint64_t>(pieces, allowed()));
  {
    const std::lock_guard lock(mutex_);
    if (!start_workers(std::min(threads_, active_.load() + wanted))) {
      wanted = 0;
    } else {
      tasks_.push_back(task);
      task->submitted_.store(true, std::memory_order_release);
      task_count_.store(static_cast<unsigned>(tasks_.size()), std::memory_order_relaxed);
    }
  }
  if (wanted == 0) {  // the system gives us no thread at all: the caller does the work
    for (Task::Range range; !(range = task->claim(task->items_)).empty();) task->work(range);
    return;
  }
  if (this_is_a_worker) --wanted;  // it looks for work right after this
  call(wanted);
}

void ThreadPool::call(unsigned wanted) noexcept {
  signal_.fetch_add(1);
  const unsigned awake = spinning_.load();
  if (wanted > awake && parked_.load() != 0) futex::wake(signal_, static_cast<int>(wanted - awake));
}

// Under the lock. False when there is no worker and none can be started.
bool ThreadPool::start_workers(unsigned wanted) {
  if (started_ >= wanted) return true;
  process::mark_used();
  const ThreadSignals signals;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  std::size_t stack = 0;
  if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < kStackBytes) {
    pthread_attr_setstacksize(&attributes, kStackBytes);
  }
  while (started_ < wanted) {
    pthread_t thread;
    const auto body = [](void* pool) -> void* {
      static_cast<ThreadPool*>(pool)->worker_loop();
      return nullptr;
    };
    if (pthread_create(&thread, &attributes, body, this) != 0) break;
#ifdef __linux__
    pthread_setname_np(thread, ("quern-" + std::to_string(started_)).c_str());
#endif
    ++started_;
  }
  pthread_attr_destroy(&attributes);
  return started_ != 0;
}

bool ThreadPool::help(Task& task, std::chrono::nanoseconds budget) {
  if (!task.submitted_.load(std::memory_order_acquire)) return false;
  std::uint64_t most = task.items_;
  if (budget != kAnyTime) {
    const double item = task.expected_item_ns();
    if (item < 0) return false;
    const double affordable = static_cast<double>(budget.count()) / std::max(item, 1e-6);
    if (affordable < 1) return false;
    if (affordable < static_cast<double>(most)) most = static_cast<std::uint64_t>(affordable);
  }
  const Task::Range range = task.claim(most);
  if (range.empty()) return false;
  if (range.last == task.items_) give_up(task);
  task.work(range);
  return true;
}

// A task with nothing left to claim leaves the list.
void ThreadPool::give_up(const Task& task) {
  std::shared_ptr<Task> kept;  // let go outside the lock
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& t) { return t.get() == &task; });
  if (at == tasks_.end()) return;
  kept = std::move(*at);
  tasks_.erase(at);
  task_count_.store(static_cast<unsigned>(tasks_.size()), std::memory_order_relaxed);
}

std::shared_ptr<Task> ThreadPool::take() {
  if (task_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (tasks_.empty() || active_.load() >= allowed()) return nullptr;
  active_.fetch_add(1);
  // Two calls in a row may both have counted on the same spinning worker: whoever leaves a task behind passes
  // it on.
  if (tasks_.size() > 1 && active_.load() < allowed() && parked_.load() != 0) {
    signal_.fetch_add(1);
    futex::wake(signal_, 1);
  }
  return tasks_[turn_++ % tasks_.size()];
}

void ThreadPool::worker_loop() noexcept {
  this_is_a_worker = true;
  std::fesetenv(FE_DFL_ENV);  // not the rounding that the thread which started us happened to have set
  for (;;) {
    const std::uint32_t seen = signal_.load();
    if (std::shared_ptr<Task> task = take()) {
      for (;;) {
        const Task::Range range = task->claim(task->items_);
        if (range.empty()) break;
        if (range.last == task->items_) give_up(*task);
        task->work(range);
        // Other tasks get their turn after each piece, and a processor that was lent goes back.
        if (task_count_.load(std::memory_order_relaxed) > 1 || active_.load() > allowed()) break;
      }
      active_.fetch_sub(1);
    } else {
      idle(seen);
    }
  }
}

void ThreadPool::idle(std::uint32_t seen) noexcept {
  spinning_.fetch_add(1);
  bool called = false;
  for (const auto until = Clock::now() + kSpin; !called && Clock::now() < until;) {
    for (int i = 0; i < 32 && !called; ++i) {
      futex::relax();
      called = signal_.load(std::memory_order_relaxed) != seen;
    }
  }
  spinning_.fetch_sub(1);
  if (called) return;
  parked_.fetch_add(1);
  futex::wait(signal_, seen);  // returns at once when the signal has changed since it was read
  parked_.fetch_sub(1);
}

ThreadPool::Lending::Lending(ThreadPool& pool) : pool_(pool) {
  pool_.lent_.fetch_add(1);
  if (pool_.task_count_.load(std::memory_order_relaxed) == 0) return;
  {
    const std::lock_guard lock(pool_.mutex_);
    pool_.start_workers(std::min(pool_.threads_, pool_.active_.load() + 1));
  }
  pool_.call(1);
}

ThreadPool::Lending::~Lending() {
  pool_.lent_.fetch_sub(1);
}

}  // namespace quern
