// SPDX-License-Identifier: MIT
// State that all objects of one CUDA device share: its primary context, reusable events, handles to release,
// the last launches.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backend/cuda/api.hpp"

namespace quern::backend::cuda {

class Staging;
class DeviceClock;

// Limits that are checked on each launch.
struct LaunchLimits {
  std::array<std::size_t, 3> groups = {2147483647, 65535, 65535};
  std::array<std::size_t, 3> local = {1024, 1024, 64};
  std::size_t dynamic_local = 49152;
  std::size_t pitch = 2147483647;
};

// Streams that no operation uses at present. Host functions return streams to it, so it never calls the
// driver.
class IdleStreams {
 public:
  [[nodiscard]] StreamHandle take() noexcept;  // null if there is none
  void add(StreamHandle stream) noexcept;

 private:
  std::mutex mutex_;
  std::vector<StreamHandle> streams_;
};

class DeviceState {
 public:
  // The context is retained already. It is never released: other libraries of the process use it too, and it
  // ends with the process.
  DeviceState(const Driver& api, DeviceHandle device, ContextHandle context, std::string name,
              LaunchLimits limits);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const Driver& api;
  const DeviceHandle device;
  const ContextHandle context;
  const std::string name;  // "'NVIDIA H200' (cuda:0)", for messages
  const LaunchLimits limits;

  void check(Result result, const char* call, std::size_t requested = 0) const {
    if (result != Result::success) [[unlikely]]
      fail(result, call, requested);
  }
  // Throws OutOfDeviceMemory, DeviceLost or Error.
  [[noreturn]] void fail(Result result, const char* call, std::size_t requested = 0) const;

  // Events cost microseconds to create and nothing to reuse: recording one again does not affect earlier
  // waits for it.
  EventHandle acquire_event(bool timing);
  void recycle_event(EventHandle event, bool timing) noexcept;

  // Freeing memory and unloading modules may wait for the whole device, and destructors must not wait: they
  // leave the handle here. drain() frees these handles; everything that allocates or loads calls it first.
  void discard_memory(DevicePointer pointer, EventHandle after = nullptr) noexcept;
  void discard_pinned(void* pointer) noexcept;
  void discard_module(ModuleHandle module) noexcept;
  void drain() noexcept;

  // A copy of a kernel's name that lives as long as this object, for note_launch().
  const char* keep_name(std::string_view kernel);
  void note_launch(const char* kernel) noexcept {
    // Two threads may use one entry: the list is for messages, and an exact count takes longer.
    const std::size_t number = next_launch_.load(std::memory_order_relaxed);
    next_launch_.store(number + 1, std::memory_order_relaxed);
    launches_[number % launches_.size()].store(kernel, std::memory_order_relaxed);
  }

  // Streams in which markers notify the runtime.
  [[nodiscard]] const std::shared_ptr<IdleStreams>& notice_streams() const noexcept {
    return notice_streams_;
  }

  Staging& staging();
  DeviceClock& clock();

  // A module calls printf. The driver prints the text when a program synchronises, which querying an event
  // does not.
  std::atomic<bool> prints{false};

 private:
  struct Discarded {
    enum class Kind : std::uint8_t { memory, pinned, module } kind;
    std::uintptr_t handle;
    EventHandle after;  // released after this event; null: at once
  };
  void discard(const Discarded& entry) noexcept;
  [[nodiscard]] std::string last_launches() const;

  std::mutex mutex_;
  std::vector<EventHandle> plain_events_, timing_events_;
  const std::shared_ptr<IdleStreams> notice_streams_ = std::make_shared<IdleStreams>();
  std::vector<Discarded> discarded_;
  std::unordered_set<std::string> names_;
  std::atomic<bool> any_discarded_{false};

  std::atomic<std::size_t> next_launch_{0};
  std::array<std::atomic<const char*>, 8> launches_{};

  std::once_flag staging_once_, clock_once_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<DeviceClock> clock_;
};

using StatePtr = std::shared_ptr<DeviceState>;

// Makes the device's context current on this thread for a scope, and restores the caller's.
class Current {
 public:
  explicit Current(const DeviceState& state) : api_(state.api) {
    ContextHandle current = nullptr;
    api_.cuCtxGetCurrent(&current);
    if (current != state.context) {
      state.check(api_.cuCtxPushCurrent(state.context), "cuCtxPushCurrent");
      pushed_ = true;
    }
  }
  ~Current() {
    if (pushed_) {
      ContextHandle popped = nullptr;
      api_.cuCtxPopCurrent(&popped);
    }
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Driver& api_;
  bool pushed_ = false;
};

// The same for destructors: it does nothing, and reports so, if drivers must not be touched or the context is
// gone.
class CurrentNoThrow {
 public:
  explicit CurrentNoThrow(const DeviceState& state) noexcept;
  ~CurrentNoThrow();
  CurrentNoThrow(const CurrentNoThrow&) = delete;
  CurrentNoThrow& operator=(const CurrentNoThrow&) = delete;
  explicit operator bool() const noexcept { return usable_; }

 private:
  const Driver& api_;
  bool pushed_ = false;
  bool usable_ = false;
};

}  // namespace quern::backend::cuda
