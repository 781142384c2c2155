// SPDX-License-Identifier: MIT
// Workers: their number, and how they start, spin, park and share the tasks.
#include "base/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <new>
#include <string>
#include <thread>

#include "base/cgroup.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "base/signals.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker without work spins before it parks. Waking a parked worker costs the caller a system call
// and the work some 10 to 100 us, so the launches of a burst should find it awake.
constexpr std::chrono::nanoseconds kSpin = std::chrono::microseconds(50);

// If tasks wait and no worker has returned for this long, the busy workers count as stuck. Kernels that
// really take so long share their processors with others for a while, which does no harm. The limit grows
// with the number of stuck workers.
constexpr std::chrono::nanoseconds kPatience = std::chrono::milliseconds(100);
// More threads do not help a process in which so many work-groups never end.
constexpr unsigned kMostStuck = 256;

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
  static auto* const pool = new ThreadPool(thread_count());  // never destroyed: workers may be busy at exit
  return *pool;
}

ThreadPool::ThreadPool(unsigned threads) : threads_(threads) {
  workers_.reserve(threads_ + kMostStuck);  // a new worker must not fail to enroll
}

// One processor is left to the waiting thread, unless it sleeps.
unsigned ThreadPool::allowed() const noexcept {
  return std::min(threads_, std::max(1U, threads_ - 1) + lent_.load()) + stuck_.load();
}

void ThreadPool::submit(std::shared_ptr<Task> task) {
  const std::uint64_t pieces = (task->items_ + task->grain_ - 1) / task->grain_;
  unsigned wanted = static_cast<unsigned>(std::min<std::uint64_t>(pieces, allowed()));
  {
    const std::lock_guard lock(mutex_);
    if (!start_workers(std::min(threads_ + stuck_.load(), active_.load() + wanted)) || !add(task)) {
      wanted = 0;
    } else {
      task->submitted_.store(true, std::memory_order_release);
      task_count_.store(static_cast<unsigned>(tasks_.size()));  // before have_watcher() checks parked workers
      if (active_.load() >= allowed()) have_watcher();
    }
  }
  if (wanted == 0) {  // the system gives no thread or no memory: the caller does the work
    for (Task::Range range; !(range = task->claim(task->items_)).empty();) task->work(range);
    return;
  }
  if (this_is_a_worker) --wanted;  // it looks for work right after this
  call(wanted);
}

bool ThreadPool::add(const std::shared_ptr<Task>& task) noexcept try {
  tasks_.push_back(task);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void ThreadPool::call(unsigned wanted) noexcept {
  signal_.fetch_add(1);
  const unsigned awake = spinning_.load();
  if (wanted > awake && parked_.load() != 0) futex::wake(signal_, static_cast<int>(wanted - awake));
}

// Under the lock. False if there is no worker and none can be started.
bool ThreadPool::start_workers(unsigned wanted) {
  wanted = std::min(wanted, threads_ + kMostStuck);
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
  if (!task.submitted()) return false;
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
  std::shared_ptr<Task> kept;  // released outside the lock
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& t) { return t.get() == &task; });
  if (at == tasks_.end()) return;
  kept = std::move(*at);
  tasks_.erase(at);
  task_count_.store(static_cast<unsigned>(tasks_.size()), std::memory_order_relaxed);
}

std::shared_ptr<Task> ThreadPool::take(Worker& worker) {
  if (task_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (tasks_.empty() || active_.load() >= allowed()) return nullptr;
  std::shared_ptr<Task> task;
  for (std::size_t i = 0; i < tasks_.size() && task == nullptr; ++i) {
    const auto& next = tasks_[turn_++ % tasks_.size()];
    if (next->stuck_ == 0 || next.get() == worker.returned) task = next;
  }
  if (task == nullptr) return nullptr;
  active_.fetch_add(1);
  ++takes_;
  worker.task = task.get();
  worker.state.store(Worker::busy, std::memory_order_relaxed);
  if (tasks_.size() == 1) return task;
  // Two consecutive calls may both have counted on the same spinning worker: a thread that leaves a task
  // behind passes it on, or ensures that a worker watches over it.
  if (active_.load() < allowed() && parked_.load() != 0) {
    signal_.fetch_add(1);
    futex::wake(signal_, 1);
  } else {
    have_watcher();
  }
  return task;
}

// Under the lock, with waiting tasks: some worker that is not busy must look after them.
void ThreadPool::have_watcher() {
  if (has_watcher_.load()) return;
  if (active_.load() >= started_) {
    start_workers(active_.load() + 1);  // it finds the tasks by itself
  } else if (parked_.load() != 0) {
    signal_.fetch_add(1);
    futex::wake(signal_, 1);
  }  // otherwise it spins, and will see them before it parks
}

void ThreadPool::worker_loop() noexcept {
  this_is_a_worker = true;
  std::fesetenv(FE_DFL_ENV);  // resets the rounding mode that the starting thread may have set
  Worker self;
  {
    const std::lock_guard lock(mutex_);
    workers_.push_back(&self);
  }
  for (;;) {
    const std::uint32_t seen = signal_.load();
    if (const std::shared_ptr<Task> task = take(self)) {
      work(self, *task);
    } else {
      idle(seen);
    }
  }
}

void ThreadPool::work(Worker& worker, Task& task) noexcept {
  for (;;) {
    const Task::Range range = task.claim(task.items_);
    if (range.empty()) break;
    if (range.last == task.items_) give_up(task);
    task.work(range);
    // Other tasks get their turn after each piece, and a lent processor is returned.
    if (task_count_.load(std::memory_order_relaxed) > 1 || active_.load() > allowed() ||
        worker.state.load(std::memory_order_relaxed) == Worker::stuck)
      break;
  }
  leave(worker);
}

void ThreadPool::leave(Worker& worker) noexcept {
  // The task lives until we return, and must not be accessed once we are idle.
  if (worker.state.exchange(Worker::idle) == Worker::stuck) {
    const std::lock_guard lock(mutex_);
    stuck_.fetch_sub(1);
    --worker.task->stuck_;
    worker.returned = worker.task;
  }
  active_.fetch_sub(1);
}

void ThreadPool::idle(std::uint32_t seen) noexcept {
  spinning_.fetch_add(1);
  bool called = false;
  // A worker that may take no task, since all processors are busy, does not spin.
  for (const auto until = Clock::now() + kSpin;
       !called && active_.load() < allowed() && Clock::now() < until;) {
    for (int i = 0; i < 32 && !called; ++i) {
      futex::relax();
      called = signal_.load(std::memory_order_relaxed) != seen;
    }
  }
  spinning_.fetch_sub(1);
  if (called) return;
  parked_.fetch_add(1);
  // In this order: a thread that adds a task counts it before it checks which workers are parked.
  if (task_count_.load() != 0 && !has_watcher_.exchange(true)) {
    watch(seen);
    has_watcher_.store(false);
  } else {
    futex::wait(signal_, seen);  // returns at once if the signal has changed since it was read
  }
  parked_.fetch_sub(1);
}

// Sleeps until there is new work. If no worker has returned for too long meanwhile, the busy ones count as
// stuck, which makes room for others.
void ThreadPool::watch(std::uint32_t seen) noexcept {
  Clock::time_point until;
  {
    const std::lock_guard lock(mutex_);
    if (takes_ != takes_seen_) takes_seen_ = takes_, takes_seen_at_ = Clock::now();
    until = takes_seen_at_ + kPatience * (1 + stuck_.load() / threads_);
  }
  futex::wait(signal_, seen, until);
  if (Clock::now() < until) return;
  const std::lock_guard lock(mutex_);
  if (takes_ != takes_seen_ || tasks_.empty()) return;
  for (Worker* worker : workers_) {
    Worker::State state = Worker::busy;
    if (!worker->state.compare_exchange_strong(state, Worker::stuck)) continue;
    stuck_.fetch_add(1);
    ++worker->task->stuck_;
  }
  takes_seen_at_ = Clock::now();
}

ThreadPool::Lending::Lending(ThreadPool& pool) : pool_(pool) {
  pool_.lent_.fetch_add(1);
  if (pool_.task_count_.load(std::memory_order_relaxed) == 0) return;
  {
    const std::lock_guard lock(pool_.mutex_);
    pool_.start_workers(std::min(pool_.threads_ + pool_.stuck_.load(), pool_.active_.load() + 1));
  }
  pool_.call(1);
}

ThreadPool::Lending::~Lending() {
  pool_.lent_.fetch_sub(1);
}

}  // namespace quern
