// SPDX-License-Identifier: MIT
// The shared state of a CUDA device: errors, reuse of events, deferred release of handles.
#include "backend/cuda/state.hpp"

#include "backend/cuda/staging.hpp"
#include "backend/cuda/timing.hpp"
#include "base/process.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {

CurrentNoThrow::CurrentNoThrow(const DeviceState& state) noexcept : api_(state.api) {
  if (process::must_not_touch_drivers()) return;
  ContextHandle current = nullptr;
  if (api_.cuCtxGetCurrent(&current) != Result::success) return;
  if (current != state.context) {
    if (api_.cuCtxPushCurrent(state.context) != Result::success) return;
    pushed_ = true;
  }
  usable_ = true;
}

CurrentNoThrow::~CurrentNoThrow() {
  if (pushed_) {
    ContextHandle popped = nullptr;
    api_.cuCtxPopCurrent(&popped);
  }
}

DeviceState::DeviceState(const Driver& driver, DeviceHandle device_handle, ContextHandle context_handle,
                         std::string device_name, LaunchLimits launch_limits)
    : api(driver),
      device(device_handle),
      context(context_handle),
      name(std::move(device_name)),
      limits(launch_limits) {}

DeviceState::~DeviceState() {
  staging_.reset();
  clock_.reset();
  drain();
  const CurrentNoThrow current(*this);
  if (!current) return;
  for (const EventHandle event : plain_events_) api.cuEventDestroy(event);
  for (const EventHandle event : timing_events_) api.cuEventDestroy(event);
  while (const StreamHandle stream = notice_streams_->take()) api.cuStreamDestroy(stream);
}

StreamHandle IdleStreams::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (streams_.empty()) return nullptr;
  const StreamHandle stream = streams_.back();
  streams_.pop_back();
  return stream;
}

void IdleStreams::add(StreamHandle stream) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    streams_.push_back(stream);
  } catch (...) {  // no memory for the list: only this stream is lost
  }
}

void DeviceState::fail(Result result, const char* call, std::size_t requested) const {
  const std::string what = std::string(call) + " failed on " + name + ": " + describe(api, result);
  if (result == Result::out_of_memory) {
    std::size_t free = 0, total = 0;
    std::string figures;
    if (api.cuMemGetInfo(&free, &total) == Result::success) {
      figures = "; the device has " + std::to_string(free) + " of " + std::to_string(total) + " bytes free";
    }
    if (requested != 0) figures = "; " + std::to_string(requested) + " bytes were asked for" + figures;
    throw OutOfDeviceMemory(what + figures, {requested, total - free, 0, total});
  }
  if (is_sticky(result)) {
    throw DeviceLost(what + ". The error may come from earlier work; the last launches were " +
                     last_launches() + ". Nothing on this device can be used any more in this process");
  }
  throw Error(what);
}

std::string DeviceState::last_launches() const {
  const std::size_t end = next_launch_.load(std::memory_order_relaxed);
  const std::size_t count = std::min(end, launches_.size());
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {  // newest first
    const char* kernel = launches_[(end - 1 - i) % launches_.size()].load(std::memory_order_relaxed);
    if (kernel == nullptr) continue;
    if (!out.empty()) out += ", ";
    out += std::string("'") + kernel + "'";
  }
  return out.empty() ? "none" : out + " (newest first)";
}

EventHandle DeviceState::acquire_event(bool timing) {
  {
    const std::lock_guard lock(mutex_);
    auto& events = timing ? timing_events_ : plain_events_;
    if (!events.empty()) {
      const EventHandle event = events.back();
      events.pop_back();
      return event;
    }
  }
  EventHandle event = nullptr;
  const Current current(*this);
  check(api.cuEventCreate(&event, timing ? kEventDefault : kEventDisableTiming), "cuEventCreate");
  return event;
}

void DeviceState::recycle_event(EventHandle event, bool timing) noexcept {
  if (event == nullptr) return;
  try {
    const std::lock_guard lock(mutex_);
    (timing ? timing_events_ : plain_events_).push_back(event);
  } catch (...) {  // no memory for the list: only this event is lost
  }
}

void DeviceState::discard(const Discarded& entry) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    discarded_.push_back(entry);
    any_discarded_.store(true, std::memory_order_relaxed);
  } catch (...) {  // no memory for the list: the handle leaks until the process ends
  }
}

void DeviceState::discard_memory(DevicePointer pointer, EventHandle after) noexcept {
  discard({Discarded::Kind::memory, static_cast<std::uintptr_t>(pointer), after});
}

void DeviceState::discard_pinned(void* pointer) noexcept {
  discard({Discarded::Kind::pinned, reinterpret_cast<std::uintptr_t>(pointer), nullptr});
}

void DeviceState::discard_module(ModuleHandle module) noexcept {
  discard({Discarded::Kind::module, reinterpret_cast<std::uintptr_t>(module), nullptr});
}

void DeviceState::drain() noexcept {
  if (!any_discarded_.load(std::memory_order_relaxed)) return;
  const CurrentNoThrow current(*this);
  if (!current) return;
  std::vector<Discarded> entries;
  {
    const std::lock_guard lock(mutex_);
    entries.swap(discarded_);
    any_discarded_.store(false, std::memory_order_relaxed);
  }
  for (const Discarded& entry : entries) {
    if (entry.after != nullptr && api.cuEventQuery(entry.after) == Result::not_ready) {
      discard(entry);
      continue;
    }
    switch (entry.kind) {
      case Discarded::Kind::memory:
        api.cuMemFree(static_cast<DevicePointer>(entry.handle));
        break;
      case Discarded::Kind::pinned:
        api.cuMemFreeHost(reinterpret_cast<void*>(entry.handle));
        break;
      case Discarded::Kind::module:
        api.cuModuleUnload(reinterpret_cast<ModuleHandle>(entry.handle));
        break;
    }
    recycle_event(entry.after, false);
  }
}

const char* DeviceState::keep_name(std::string_view kernel) {
  const std::lock_guard lock(mutex_);
  return names_.emplace(kernel).first->c_str();
}

Staging& DeviceState::staging() {
  std::call_once(staging_once_, [this] { staging_ = std::make_unique<Staging>(*this); });
  return *staging_;
}

DeviceClock& DeviceState::clock() {
  std::call_once(clock_once_, [this] { clock_ = std::make_unique<DeviceClock>(*this); });
  return *clock_;
}

}  // namespace quern::backend::cuda
