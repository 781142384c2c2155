// SPDX-License-Identifier: MIT
// Workers: their number, and how they start, spin, park and share the tasks.
#include "base/thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "base/cgroup.hpp"
#include "base/environment.hpp"
#include "base/local_ranks.hpp"
#include "base/process.hpp"
#include "base/processors.hpp"
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

// Processors and threads of the pool of the process.
struct Share {
  std::vector<int> processors;
  unsigned threads;
};

Share share_of_process() {
  std::vector<int> processors = allowed_processors();
  const auto limited = [](std::size_t count) {
    const auto limit = cgroup::cpu_limit();
    return limit && *limit < static_cast<double>(count) ? static_cast<std::size_t>(std::ceil(*limit)) : count;
  };
  const auto own = std::max<std::size_t>(1, limited(processors.size()));
  const LocalRanks ranks = local_ranks();
  if (const auto wanted = environment_integer("QUERN_THREADS", 1)) {
    const auto threads = static_cast<unsigned>(std::min<long>(*wanted, static_cast<long>(own)));
    return {std::move(processors), threads};
  }
  if (ranks.size == 1) return {std::move(processors), static_cast<unsigned>(own)};
  const std::size_t on_launcher = processors_of_launcher(ranks, processors.size());
  const unsigned threads = threads_of_rank(own, limited(on_launcher), ranks.size);
  if (processors.size() == on_launcher) processors = processors_of_rank(processors, threads, ranks.rank);
  return {std::move(processors), threads};
}

thread_local ThreadPool* pool_of_this_worker = nullptr;
thread_local const Task* task_of_this_worker = nullptr;
// Set while a worker calls finished() of its task: it looks for work right after that.
thread_local bool is_worker_returning = false;

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
  if (done_.fetch_add(count, std::memory_order_acq_rel) + count != items_) return;
  is_worker_returning = this == task_of_this_worker;
  finished();
  is_worker_returning = false;
}

ThreadPool& ThreadPool::instance() {
  static auto* const pool = [] {  // never destroyed: workers may be busy at exit
    Share share = share_of_process();
    return new ThreadPool(std::move(share.processors), share.threads, false);
  }();
  return *pool;
}

ThreadPool& ThreadPool::team(const std::vector<int>& processors) {
  static std::mutex mutex;
  static auto* const teams = new std::map<std::vector<int>, ThreadPool*>;  // workers may be busy at exit
  const std::lock_guard lock(mutex);
  ThreadPool*& team = (*teams)[processors];
  if (team == nullptr) team = new ThreadPool(processors, static_cast<unsigned>(processors.size()), true);
  return *team;
}

ThreadPool::ThreadPool(std::vector<int> processors, unsigned threads, bool is_team)
    : threads_(threads), processors_(std::move(processors)), is_team_(is_team) {
  workers_.reserve(threads_ + kMostStuck);  // a new worker must not fail to enroll
}

ThreadPool& ThreadPool::current() noexcept {
  return pool_of_this_worker != nullptr ? *pool_of_this_worker : instance();
}

// One processor is left to the waiting thread, unless it sleeps. Threads that wait for a team do not work.
unsigned ThreadPool::allowed() const noexcept {
  if (is_team()) return threads_ + stuck_.load();
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
      // A worker that returns is about to take the task, or leaves it to a watcher.
      const unsigned returning = pool_of_this_worker == this && is_worker_returning ? 1 : 0;
      if (active_.load() - returning >= allowed()) have_watcher();
    }
  }
  if (wanted == 0) {  // the system gives no thread or no memory: the caller does the work
    for (Task::Range range; !(range = task->claim(task->items_)).empty();) task->work(range);
    return;
  }
  if (pool_of_this_worker == this) --wanted;  // it looks for work right after this
  call(wanted, Caller::works);
}

bool ThreadPool::add(const std::shared_ptr<Task>& task) noexcept try {
  tasks_.push_back(task);
  task->place_ = static_cast<std::uint32_t>(tasks_.size() - 1);
  if (task->priority_ != 0) ++prioritised_;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void ThreadPool::call(unsigned wanted, Caller caller) noexcept {
  signal_.fetch_add(1);
  const unsigned awake = spinning_.load();
  if (wanted <= awake || parked_.load() == 0) return;
  {
    const std::lock_guard lock(mutex_);
    for (Worker* const worker : workers_) {  // any of the parked ones may wake
      if (!worker->is_parked) continue;
      if (caller == Caller::works)
        worker->place.avoid_this_processor();
      else
        worker->place.allow_all();
    }
  }
  futex::wake(signal_, static_cast<int>(wanted - awake));
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
  if (is_team()) restrict_to(attributes, processors_);
  while (started_ < wanted) {
    pthread_t thread;
    const auto body = [](void* pool) -> void* {
      static_cast<ThreadPool*>(pool)->worker_loop();
      return nullptr;
    };
    if (pthread_create(&thread, &attributes, body, this) != 0) break;
#ifdef __linux__
    pthread_setname_np(thread, ((is_team() ? "quern-team-" : "quern-") + std::to_string(started_)).c_str());
#endif
    ++started_;
  }
  pthread_attr_destroy(&attributes);
  return started_ != 0;
}

bool ThreadPool::help(Task& task, std::chrono::nanoseconds budget) {
  if (!task.submitted() || !may_work_here()) return false;
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
  if (task.place_ >= tasks_.size() || tasks_[task.place_].get() != &task) return;
  kept = std::move(tasks_[task.place_]);
  if (task.place_ + 1 != tasks_.size()) {
    tasks_[task.place_] = std::move(tasks_.back());
    tasks_[task.place_]->place_ = task.place_;
  }
  tasks_.pop_back();
  if (task.priority_ != 0) --prioritised_;
  task_count_.store(static_cast<unsigned>(tasks_.size()), std::memory_order_relaxed);
}

bool ThreadPool::help_any(std::chrono::nanoseconds budget) {
  if (task_count_.load(std::memory_order_relaxed) == 0) return false;
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    task = next_task(nullptr);
  }
  return task != nullptr && help(*task, budget);
}

// Under the lock. The next task in turn among those of the highest priority; null if there is none. Tasks
// with stuck workers are left out, except `returned`.
std::shared_ptr<Task> ThreadPool::next_task(const Task* returned) {
  const std::shared_ptr<Task>* best = nullptr;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& next = tasks_[turn_++ % tasks_.size()];
    if (next->stuck_ != 0 && next.get() != returned) continue;
    if (best == nullptr || next->priority_ > (*best)->priority_) best = &next;
    if (prioritised_ == 0) break;
  }
  return best != nullptr ? *best : nullptr;
}

std::shared_ptr<Task> ThreadPool::take(Worker& worker) {
  if (task_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (tasks_.empty() || active_.load() >= allowed()) return nullptr;
  const std::shared_ptr<Task> task = next_task(worker.returned);
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
  pool_of_this_worker = this;
  std::fesetenv(FE_DFL_ENV);  // resets the rounding mode that the starting thread may have set
  Worker self;
  {
    const std::lock_guard lock(mutex_);
    workers_.push_back(&self);
    self.place.begin();
  }
  for (;;) {
    const std::uint32_t seen = signal_.load();
    if (const std::shared_ptr<Task> task = take(self)) {
      work(self, *task);
    } else {
      idle(self, seen);
    }
  }
}

void ThreadPool::work(Worker& worker, Task& task) noexcept {
  task_of_this_worker = &task;
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
  task_of_this_worker = nullptr;
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

void ThreadPool::idle(Worker& worker, std::uint32_t seen) noexcept {
  spinning_.fetch_add(1);
  bool called = false;
  // A worker that may take no task, since all processors are busy, does not spin. Neither does a single
  // worker: the waiting thread does most of its work, and the other processors are those of other processes,
  // such as ranks.
  const auto spin = threads_ == 1 ? std::chrono::nanoseconds(0) : kSpin;
  for (const auto until = Clock::now() + spin;
       !called && active_.load() < allowed() && Clock::now() < until;) {
    for (int i = 0; i < 32 && !called; ++i) {
      futex::relax();
      called = signal_.load(std::memory_order_relaxed) != seen;
    }
  }
  spinning_.fetch_sub(1);
  if (!called) park(worker, seen);
}

void ThreadPool::park(Worker& worker, std::uint32_t seen) noexcept {
  {
    const std::lock_guard lock(mutex_);
    worker.is_parked = true;
  }
  parked_.fetch_add(1);
  // In this order: a thread that adds a task counts it before it checks which workers are parked.
  if (task_count_.load() != 0 && !has_watcher_.exchange(true)) {
    watch(seen);
    has_watcher_.store(false);
  } else {
    futex::wait(signal_, seen);  // returns at once if the signal has changed since it was read
  }
  parked_.fetch_sub(1);
  const std::lock_guard lock(mutex_);
  worker.is_parked = false;
  worker.place.allow_all();
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
  pool_.call(1, Caller::sleeps);
}

ThreadPool::Lending::~Lending() {
  pool_.lent_.fetch_sub(1);
}

}  // namespace quern
