// SPDX-License-Identifier: MIT
// Times of operations: events around them, placed on the host's steady clock.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

// The driver reports the time between two events as a float of milliseconds, which is finer than a
// microsecond only up to some seconds. So times are measured relative to base events, a new one every few
// seconds, each placed relative to the one before; the first is placed on the host's clock by waiting for it,
// to within a few microseconds. All queues of a device share the bases, so their times can be compared to
// within a microsecond. Over hours the device's clock may drift from the host's; after a pause the host's
// clock is read again.
class DeviceClock {
 public:
  explicit DeviceClock(DeviceState& state);
  ~DeviceClock();
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;

  struct Base {
    Base(DeviceState& device_state, EventHandle base_event) : state(device_state), event(base_event) {}
    ~Base() { state.recycle_event(event, true); }
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;

    DeviceState& state;
    EventHandle event;
    std::shared_ptr<Base> previous;  // until placed
    std::int64_t host_time = 0;      // nanoseconds of the steady clock, once placed
    bool placed = false;
  };

  // A base that is recent enough for operations enqueued now. Does not wait.
  std::shared_ptr<Base> base();
  // The host's time of an event, in nanoseconds.
  std::int64_t host_time(const std::shared_ptr<Base>& base, EventHandle event);

 private:
  void place(const std::shared_ptr<Base>& base);
  std::shared_ptr<Base> record_base();

  DeviceState& state_;
  StreamHandle stream_ = nullptr;
  std::mutex mutex_, place_mutex_;
  std::shared_ptr<Base> current_;
  std::chrono::steady_clock::time_point made_;
};

// A point in a stream whose time is known later: the end of an operation and, if the next one was enqueued
// before it passed, the start of that one. If the first ends while the second is being submitted, the second
// seems to start some microseconds early.
class TimedEvent {
 public:
  // Records the event, with the context current.
  TimedEvent(StatePtr state, StreamHandle stream);
  ~TimedEvent();
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;

  // Whether the stream has not passed it yet. With the context current.
  [[nodiscard]] bool is_ahead() const noexcept;
  // Nanoseconds of the host's clock. Only once the stream has passed it.
  [[nodiscard]] std::int64_t host_time() const;

 private:
  StatePtr state_;
  std::shared_ptr<DeviceClock::Base> base_;
  EventHandle event_;
};

using TimedEventPtr = std::shared_ptr<const TimedEvent>;

class CudaTiming final : public Timing {
 public:
  CudaTiming(StatePtr state, std::int64_t queued, TimedEventPtr start)
      : state_(std::move(state)), queued_(queued), start_(std::move(start)) {}
  void set_end(TimedEventPtr end) noexcept { end_ = std::move(end); }

  Times times() override;

 private:
  StatePtr state_;
  std::int64_t queued_;
  TimedEventPtr start_, end_;
};

inline std::int64_t nanoseconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace quern::backend::cuda
