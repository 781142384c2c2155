// SPDX-License-Identifier: MIT
// Events of a queue: markers that can be waited for, and the times of profiled commands on the host's clock.
#pragma once

#include <atomic>
#include <memory>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"
#include "backend/opencl/device.hpp"
#include "backend/opencl/memory.hpp"

namespace quern::backend::opencl {

class Context;

// The part of a queue's state that its markers need; it may outlive the queue.
struct QueueState : std::enable_shared_from_this<QueueState> {
  std::shared_ptr<Context> context;
  std::shared_ptr<const Device> device;
  QueueHandle queue;
  std::uint64_t id = unique_id();  // of the native queue, so the same for its lanes
  // The number of enqueued commands, and of those known to be done. Counted after each enqueue, so that a
  // marker never covers a command that came after it.
  std::atomic<std::uint64_t> enqueued{0};
  std::atomic<std::uint64_t> done{0};

  [[nodiscard]] bool idle() const noexcept {
    return done.load(std::memory_order_acquire) >= enqueued.load(std::memory_order_acquire);
  }
};

class Marker final : public backend::Marker {
 public:
  Marker(std::shared_ptr<QueueState> state, EventHandle event, std::uint64_t covers)
      : state_(std::move(state)), event_(std::move(event)), covers_(covers) {}

  [[nodiscard]] bool done() override;
  bool wait(Deadline deadline) override;
  [[nodiscard]] std::exception_ptr error() const override;
  void notify(std::shared_ptr<Signal> signal) override;

  [[nodiscard]] cl_event event() const noexcept { return event_.get(); }
  [[nodiscard]] const QueueState& state() const noexcept { return *state_; }
  // A queue must be flushed before a thread waits for its event: its commands may still be with the host.
  void flush();

 private:
  std::shared_ptr<QueueState> state_;
  EventHandle event_;
  std::uint64_t covers_;  // commands of the queue that are done when this is
  std::atomic<cl_int> status_{CL_QUEUED};
  std::atomic<bool> flushed_{false};
};

// From the start of the first command to the end of the last, for operations of several commands.
class EventTiming final : public Timing {
 public:
  EventTiming(std::shared_ptr<QueueState> state, EventHandle first)
      : state_(std::move(state)), first_(std::move(first)) {}
  void extend_to(EventHandle last) { last_ = std::move(last); }
  Times times() override;

 private:
  std::shared_ptr<QueueState> state_;
  EventHandle first_, last_;
};

}  // namespace quern::backend::opencl
