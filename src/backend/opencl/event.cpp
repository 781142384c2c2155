// SPDX-License-Identifier: MIT
// Waiting for OpenCL events with a deadline, and reading their times.
#include "backend/opencl/event.hpp"

#include <algorithm>
#include <thread>

#include "backend/opencl/context.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

// How long a wait polls before it sleeps. A callback costs PoCL about 20 us more than a poll that gives up
// its time slice, so it is for work that takes longer than this.
constexpr auto kPolling = std::chrono::microseconds(60);

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
  check(api().GetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "clGetEventInfo", state_->device->label());
  if (status > CL_COMPLETE) return false;
  std::uint64_t known = state_->done.load(std::memory_order_relaxed);
  while (known < covers_ && !state_->done.compare_exchange_weak(known, covers_, std::memory_order_release,
                                                                std::memory_order_relaxed)) {
  }
  status_.store(status, std::memory_order_release);
  return true;
}

bool Marker::wait(Deadline deadline) {
  if (done()) return true;
  const Deadline polling_ends = std::min(deadline, Clock::now() + kPolling);
  while (Clock::now() < polling_ends) {
    std::this_thread::yield();
    if (done()) return true;
  }
  if (Clock::now() >= deadline) return done();
  if (deadline == Deadline::max()) {
    // Its own failure is the status that done() reads next.
    const cl_event event = event_.get();
    const cl_int status = api().WaitForEvents(1, &event);
    if (status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && !done()) {
      check(status, "clWaitForEvents", state_->device->label());
    }
    return done();
  }
  const std::shared_ptr<Signal> told = signal();
  {
    std::unique_lock lock(told->mutex);
    told->changed.wait_until(lock, deadline, [&] { return told->done; });
  }
  return done();
}

std::shared_ptr<Marker::Signal> Marker::signal() {
  const std::lock_guard lock(signal_mutex_);
  if (signal_ == nullptr) {
    auto made = std::make_shared<Signal>();
    auto for_callback = std::make_unique<std::shared_ptr<Signal>>(made);
    check(api().SetEventCallback(event_.get(), CL_COMPLETE, &Marker::notify, for_callback.get()),
          "clSetEventCallback", state_->device->label());
    (void)for_callback.release();  // the callback comes exactly once, and deletes it
    signal_ = std::move(made);
  }
  return signal_;
}

void CL_CALLBACK Marker::notify(cl_event, cl_int, void* signal) {
  const std::unique_ptr<std::shared_ptr<Signal>> owned(static_cast<std::shared_ptr<Signal>*>(signal));
  const std::lock_guard lock((*owned)->mutex);
  (*owned)->done = true;
  (*owned)->changed.notify_all();
}

std::exception_ptr Marker::error() const {
  const cl_int status = status_.load(std::memory_order_acquire);
  if (status >= CL_COMPLETE) return nullptr;
  const std::string text =
      "work on " + state_->device->label() + " ended with the status " + error_name(status);
  // A command that was accepted and then failed left the device in a state that nobody vouches for; memory
  // that could not be found is the exception.
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY) {
    return std::make_exception_ptr(OutOfDeviceMemory(text, 0));
  }
  return std::make_exception_ptr(DeviceLost(text));
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
