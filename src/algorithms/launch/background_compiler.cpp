// SPDX-License-Identifier: MIT
// The background thread that compiles kernels, and its queue.
#include "algorithms/launch/background_compiler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/environment.hpp"
#include "base/interruption.hpp"
#include "base/long_work.hpp"
#include "base/process.hpp"
#include "base/signals.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace quern::algorithms {
namespace {

// Compiling takes about 100 ms on one core and pays only for more elements than this. The time of small
// arrays is that of the launch, which is the same for loops and kernels, so they need many launches.
constexpr std::uint64_t kManyElements = 1 << 18, kManyLaunches = 256;

constexpr std::size_t kMostWaiting = 64;

HostLoopUse wanted_use() {
  const auto text = environment("QUERN_HOST_LOOPS");
  if (!text || text->empty()) return HostLoopUse::until_compiled;
  if (*text == "never") return HostLoopUse::never;
  if (*text == "only") return HostLoopUse::only;
  throw ArgumentError(ArgumentError::Kind::value,
                      "QUERN_HOST_LOOPS is '" + *text + "', expected 'never' or 'only'");
}

std::atomic<HostLoopUse>& current_use() {
  static std::atomic<HostLoopUse> use{wanted_use()};
  return use;
}

class BackgroundCompiler {
 public:
  // Never destroyed: its thread may be busy while the process exits.
  static BackgroundCompiler& instance() {
    static auto* const compiler = new BackgroundCompiler;
    return *compiler;
  }

  bool add(const Kernel& kernel, const Queue& queue) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting || !start()) return false;
    waiting_.push_back({kernel, queue});
    changed_.notify_all();
    return true;
  }

  void finish() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(20),
                              [&] { return waiting_.empty() && !is_busy_; })) {
      lock.unlock();
      check_interruption();
      lock.lock();
    }
  }

 private:
  struct Job {
    Kernel kernel;
    Queue queue;
  };

  // The caller holds the lock. Returns false if the system cannot start a thread.
  bool start() {
    if (is_running_) return true;
    process::mark_used();
    const ThreadSignals signals;
    try {
      std::thread([this] { run(); }).detach();
      is_running_ = true;
    } catch (const std::system_error&) {
    }
    return is_running_;
  }

  void run() noexcept {
    never_show_work_of_this_thread();
#ifdef __linux__
    // A lower priority than that of the program's own work. Compilers that the thread starts inherit it.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 5);
#endif
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !waiting_.empty(); });
      std::optional<Job> job(std::move(waiting_.front()));
      waiting_.pop_front();
      is_busy_ = true;
      lock.unlock();
      try {
        const bool can_compile = job->queue.state()->context()->native().can_compile();
        if (can_compile && !process::must_not_touch_drivers()) job->kernel.prepare(job->queue);
      } catch (...) {  // the compiler failed: launches continue to run precompiled functions
      }
      job.reset();
      lock.lock();
      is_busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  bool is_running_ = false, is_busy_ = false;
};

}  // namespace

Demand::Launches& Demand::launches_of(const Queue& queue) {
  const auto& context = queue.state()->context();
  const std::size_t device = queue.state()->device();
  // Compares owners: a new context may have the address of one that is gone.
  const auto is_of_queue = [&](const Launches& one) {
    return one.device == device && !one.context.owner_before(context) && !context.owner_before(one.context);
  };
  if (const auto found = std::ranges::find_if(launches_, is_of_queue); found != launches_.end())
    return *found;
  std::erase_if(launches_, [](const Launches& one) { return one.context.expired(); });
  launches_.push_back({context, device});
  return launches_.back();
}

bool Demand::add(const Queue& queue, std::uint64_t elements) {
  const std::lock_guard lock(mutex_);
  Launches& launches = launches_of(queue);
  ++launches.count;
  launches.elements += elements;
  return (launches.elements >= kManyElements || launches.count >= kManyLaunches) &&
         !std::exchange(launches.asked, true);
}

void Demand::retry(const Queue& queue) {
  const std::lock_guard lock(mutex_);
  launches_of(queue).asked = false;
}

const Kernel* compiled_for_replays(const Kernel& kernel, const Queue& queue) {
  if (!queue.state()->context()->native().can_compile()) return nullptr;
  kernel.prepare(queue);
  return &kernel;
}

bool compile_in_background(const Kernel& kernel, const Queue& queue) {
  return BackgroundCompiler::instance().add(kernel, queue);
}

}  // namespace quern::algorithms

namespace quern {

void finish_compilation() {
  process::check_not_forked();
  algorithms::BackgroundCompiler::instance().finish();
}

HostLoopUse host_loop_use() {
  return algorithms::current_use().load(std::memory_order_relaxed);
}

void set_host_loop_use(HostLoopUse use) {
  algorithms::current_use().store(use, std::memory_order_relaxed);
}

}  // namespace quern
