// SPDX-License-Identifier: MIT
// Waiting for OpenCL events with a deadline, and reading their times.
#include "backend/opencl/event.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "backend/opencl/context.hpp"
#include "backend/opencl/exit.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

// A wait polls: first as fast as other threads let it, then with pauses of a twentieth of the elapsed time.
// The drivers' own waits are worse: on an H200 clWaitForEvents keeps a core busy, and an event callback comes
// 4 to 16 ms late.
constexpr auto kEager = std::chrono::microseconds(200);
constexpr auto kLongestPause = std::chrono::microseconds(500);

}  // namespace

void Marker::flush() {
  if (flushed_.load(std::memory_order_acquire)) return;
  check(api().Flush(state_->queue.get()), "clFlush", state_->device->label());
  flushed_.store(true, std::memory_order_release);
}

bool Marker::done() {
  if (status_.load(std::memory_order_acquire) <= CL_COMPLETE) return true;
  flush();
  cl_int status = CL_QUEUED;
  const cl_int asked =
      api().GetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  // NVIDIA's driver does not return the status of failed work: the query itself fails.
  if (asked != CL_SUCCESS) status = asked;
  if (status > CL_COMPLETE) return false;
  std::uint64_t known = state_->done.load(std::memory_order_relaxed);
  while (known < covers_ && !state_->done.compare_exchange_weak(known, covers_, std::memory_order_release,
                                                                std::memory_order_relaxed)) {
  }
  status_.store(status, std::memory_order_release);
  // The first completed work made a CPU driver compile, and register exit handlers of its own.
  static std::once_flag once;
  if (state_->device->properties().kind == DeviceKind::cpu) std::call_once(once, register_exit_handler);
  return true;
}

bool Marker::wait(Deadline deadline) {
  if (done()) return true;
  const Deadline start = Clock::now();
  const bool on_cpu = state_->device->properties().kind == DeviceKind::cpu;
  for (Deadline now = start; now < deadline; now = Clock::now()) {
    const auto passed = now - start;
    if (passed < kEager) {
      std::this_thread::yield();
    } else if (on_cpu && deadline == Deadline::max()) {
      // PoCL's own wait sleeps, and wakes at once. The event's status holds the error.
      const cl_event event = event_.get();
      (void)api().WaitForEvents(1, &event);
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>({passed / 20, kLongestPause, deadline - now}));
    }
    if (done()) return true;
  }
  return false;
}

std::exception_ptr Marker::error() const {
  const cl_int status = status_.load(std::memory_order_acquire);
  if (status >= CL_COMPLETE) return nullptr;
  const std::string text =
      "work on " + state_->device->label() + " ended with the status " + error_name(status);
  // A command that was accepted and then failed left the device in an unknown state; a failed memory
  // allocation is the exception.
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY) {
    return std::make_exception_ptr(OutOfDeviceMemory(text, 0));
  }
  return std::make_exception_ptr(DeviceLost(text));
}

void Marker::notify(std::shared_ptr<Signal> signal) {
  if (done()) {  // flushes, too
    signal->raise();
    return;
  }
  auto target = std::make_unique<std::shared_ptr<Signal>>(std::move(signal));
  // A thread of the driver makes the call, also for failed work.
  const auto raise = [](cl_event, cl_int, void* data) {
    const std::unique_ptr<std::shared_ptr<Signal>> raised(static_cast<std::shared_ptr<Signal>*>(data));
    (*raised)->raise();
  };
  check(api().SetEventCallback(event_.get(), CL_COMPLETE, raise, target.get()), "clSetEventCallback",
        state_->device->label());
  static_cast<void>(target.release());  // the callback owns it
}

Times EventTiming::times() {
  const DeviceClock& clock = state_->device->clock();
  const auto at = [&](const EventHandle& event, cl_profiling_info query) {
    cl_ulong ticks = 0;
    check(api().GetEventProfilingInfo(event.get(), query, sizeof ticks, &ticks, nullptr),
          "clGetEventProfilingInfo", state_->device->label());
    return clock.to_host(static_cast<std::int64_t>(ticks));
  };
  Times times;
  times.queued = at(first_, CL_PROFILING_COMMAND_QUEUED);
  times.submitted = std::max(times.queued, at(first_, CL_PROFILING_COMMAND_SUBMIT));
  times.started = std::max(times.submitted, at(first_, CL_PROFILING_COMMAND_START));
  times.ended = std::max(times.started, at(last_ ? last_ : first_, CL_PROFILING_COMMAND_END));
  return times;
}

}  // namespace quern::backend::opencl
