// SPDX-License-Identifier: MIT
// Finishes the queues of in-process drivers before the process exits.
#include "backend/opencl/exit.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/opencl/context.hpp"
#include "backend/registry.hpp"
#include "base/process.hpp"

namespace quern::backend {
namespace opencl {
namespace {

struct Lingering {
  std::shared_ptr<QueueState> queue;
  EventHandle last;  // done when all its work is
};

struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<QueueState>> live;
  std::vector<Lingering> lingering;
};

Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

bool is_done(const Lingering& one) {
  cl_int status = CL_COMPLETE;
  const cl_int asked =
      api().GetEventInfo(one.last.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return asked != CL_SUCCESS || status <= CL_COMPLETE;
}

bool runs_in_this_process(const Device& device) {
  return device.properties().kind == DeviceKind::cpu;
}

// How long an exit waits for work in flight, for which no code of the program waits any more.
constexpr auto kPatience = std::chrono::seconds(5);
// The rest of that time for the work of threads that continued while the interpreter ended.
constexpr auto kLastPatience = std::chrono::milliseconds(500);

Deadline exit_deadline() {
  static const Deadline deadline = Clock::now() + kPatience;  // counted from the first time
  return std::max<Deadline>(deadline, Clock::now() + kLastPatience);
}

std::atomic<int> driver_calls{0};
std::atomic<bool> is_leaving{false};
std::atomic<std::thread::id> leaving_thread{};

bool wait_for(const auto& is_over, Deadline deadline) {
  while (!is_over()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return true;
}

EventHandle marker_of(const QueueState& queue) {
  cl_event event = nullptr;
  if (api().EnqueueMarkerWithWaitList(queue.queue.get(), 0, nullptr, &event) != CL_SUCCESS) return {};
  EventHandle marker(event);
  api().Flush(queue.queue.get());
  return marker;
}

bool has_queues() {
  Registry& queues = registry();
  const std::lock_guard lock(queues.mutex);
  return !queues.live.empty() || !queues.lingering.empty();
}

// Waits for all work in flight. clFinish would also wait for work that is enqueued meanwhile.
bool finish_queues(Deadline deadline) {
  Registry& queues = registry();
  std::vector<std::shared_ptr<QueueState>> live;
  std::vector<Lingering> unfinished;
  {
    const std::lock_guard lock(queues.mutex);
    for (const auto& weak : queues.live) {
      if (auto queue = weak.lock()) live.push_back(std::move(queue));
    }
    for (const Lingering& one : queues.lingering) live.push_back(one.queue);
  }
  for (auto& queue : live) {
    if (EventHandle last = marker_of(*queue)) unfinished.push_back({std::move(queue), std::move(last)});
  }
  return std::all_of(unfinished.begin(), unfinished.end(),
                     [&](const Lingering& one) { return wait_for([&] { return is_done(one); }, deadline); });
}

// The last chance before the driver's own data is destroyed.
void leave([[maybe_unused]] int status) noexcept try {
  if (process::must_not_touch_drivers()) return;
  leaving_thread.store(std::this_thread::get_id());
  is_leaving.store(true);
  const Deadline deadline = exit_deadline();
  if (wait_for([] { return driver_calls.load() == 0; }, deadline) && finish_queues(deadline)) return;
#ifdef __GLIBC__
  // Threads of the driver continue to run: nothing may be destroyed, and written output must be flushed.
  for (std::FILE* file : {stdout, stderr}) {
    if (ftrylockfile(file) != 0) continue;
    fflush_unlocked(file);
    funlockfile(file);
  }
  _exit(status);
#endif
} catch (...) {
  // No memory for the list of queues.
}

}  // namespace

DriverCall::DriverCall(const Device& device) noexcept : counts_(runs_in_this_process(device)) {
  if (!counts_) return;
  driver_calls.fetch_add(1);
  if (!is_leaving.load() || leaving_thread.load() == std::this_thread::get_id()) return;
  driver_calls.fetch_sub(1);
  for (;;) pause();
}

DriverCall::~DriverCall() {
  if (counts_) driver_calls.fetch_sub(1);
}

void finish_at_exit(const std::shared_ptr<QueueState>& queue) {
  if (!runs_in_this_process(*queue->device)) return;
  Registry& queues = registry();
  std::vector<Lingering> gone;  // released after the lock
  const std::lock_guard lock(queues.mutex);
  std::erase_if(queues.live, [](const auto& weak) { return weak.expired(); });
  if (queues.live.empty()) register_exit_handler();
  queues.live.push_back(queue);
  const auto done = std::partition(queues.lingering.begin(), queues.lingering.end(),
                                   [](const Lingering& one) { return !is_done(one); });
  gone.assign(std::make_move_iterator(done), std::make_move_iterator(queues.lingering.end()));
  queues.lingering.erase(done, queues.lingering.end());
}

void linger(std::shared_ptr<QueueState> queue) noexcept {
  if (process::must_not_touch_drivers() || !runs_in_this_process(*queue->device) || queue->idle()) return;
  EventHandle last = marker_of(*queue);
  if (!last) return;
  Registry& queues = registry();
  const std::lock_guard lock(queues.mutex);
  queues.lingering.push_back({std::move(queue), std::move(last)});
}

void register_exit_handler() {
#ifdef __GLIBC__
  on_exit([](int status, void*) { leave(status); }, nullptr);
#else
  std::atexit([] { leave(0); });
#endif
}

}  // namespace opencl

void finish_opencl_before_exit() noexcept try {
  if (process::must_not_touch_drivers()) return;
  opencl::finish_queues(opencl::exit_deadline());
  // The driver may have registered handlers with every kernel that it compiled after ours.
  if (opencl::has_queues()) opencl::register_exit_handler();
} catch (...) {
  // No memory for the list of queues: the exit handler tries again.
}

}  // namespace quern::backend
