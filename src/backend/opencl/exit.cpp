// SPDX-License-Identifier: MIT
// Finishes the queues of in-process drivers before the process exits.
#include "backend/opencl/exit.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
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

bool runs_in_this_process(const QueueState& queue) {
  return queue.device->properties().kind == DeviceKind::cpu;
}

}  // namespace

void finish_at_exit(const std::shared_ptr<QueueState>& queue) {
  if (!runs_in_this_process(*queue)) return;
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
  if (process::must_not_touch_drivers() || !runs_in_this_process(*queue) || queue->idle()) return;
  cl_event event = nullptr;
  if (api().EnqueueMarkerWithWaitList(queue->queue.get(), 0, nullptr, &event) != CL_SUCCESS) return;
  EventHandle last(event);
  api().Flush(queue->queue.get());
  Registry& queues = registry();
  const std::lock_guard lock(queues.mutex);
  queues.lingering.push_back({std::move(queue), std::move(last)});
}

void register_exit_handler() {
  std::atexit([] { finish_opencl_before_exit(); });
}

}  // namespace opencl

void finish_opencl_before_exit() noexcept {
  using namespace opencl;
  if (process::must_not_touch_drivers()) return;
  Registry& queues = registry();
  std::vector<std::shared_ptr<QueueState>> unfinished;
  {
    const std::lock_guard lock(queues.mutex);
    for (const auto& weak : queues.live) {
      if (auto queue = weak.lock()) unfinished.push_back(std::move(queue));
    }
    for (Lingering& one : queues.lingering) unfinished.push_back(one.queue);
  }
  for (const auto& queue : unfinished) api().Finish(queue->queue.get());
}

}  // namespace quern::backend
