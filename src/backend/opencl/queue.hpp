// SPDX-License-Identifier: MIT
// An in-order OpenCL command queue or a lane of an out-of-order one: launches, copies, fills, markers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/late_notification.hpp"
#include "backend/mapping.hpp"
#include "backend/opencl/api.hpp"
#include "backend/opencl/event.hpp"
#include "backend/opencl/exit.hpp"
#include "backend/time_recording.hpp"

namespace quern::backend::opencl {

class Memory;

// Another owner may enqueue commands, too.
enum class QueueOwner : std::uint8_t { us, other };

// In an out-of-order command queue, the commands of a lane. Each waits for the event of the one before it,
// and for those that wait() named since.
struct Lane {
  std::mutex mutex;  // guards the members; record() takes it, too
  EventHandle last;  // null before the first command
  std::vector<EventHandle> awaited;

  [[nodiscard]] std::vector<cl_event> wait_list() const;
  void set_last(cl_event event);  // owns it
};

class Queue final : public backend::Queue, public MappingQueue, public LateNotification {
 public:
  // The queue is a lane if the options ask for an out-of-order queue and the device has them.
  Queue(std::shared_ptr<Context> context, std::shared_ptr<const Device> device, QueueHandle queue,
        const QueueOptions& options, QueueOwner owner);
  ~Queue() override;

  TimingPtr launch(backend::Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override;
  TimingPtr fill(backend::Memory& memory, std::size_t offset, std::size_t nbytes,
                 std::span<const std::byte> pattern) override;
  TimingPtr copy(backend::Memory& from, std::size_t from_offset, backend::Memory& to, std::size_t to_offset,
                 std::size_t nbytes) override;
  TimingPtr write(backend::Memory& to, std::size_t offset, const void* from, std::size_t nbytes) override;
  TimingPtr read(const backend::Memory& from, std::size_t offset, void* to, std::size_t nbytes) override;
  // A pitch of 0 means contiguous rows or slices, as in OpenCL.
  TimingPtr copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) override;

  // On a CPU the memory is the host's, and so is shared virtual memory. Of other memory drivers map a copy,
  // which they free with the unmap.
  [[nodiscard]] bool maps_in_place(const backend::Memory& memory) const noexcept override;
  TimingPtr map(backend::Memory& memory, std::size_t offset, std::size_t nbytes, HostAccess access,
                std::unique_ptr<MappedRange>& range) override;
  TimingPtr unmap(MappedRange& range) override;
  TimingPtr migrate(std::span<backend::Memory* const> memory, bool to_host) override;

  TimingPtr call(const std::function<void(std::uintptr_t native)>& function) override;

  std::unique_ptr<backend::Queue> make_lane() override;
  [[nodiscard]] int priority() const noexcept override;

  std::shared_ptr<backend::Marker> record() override;
  bool wait(const std::shared_ptr<backend::Marker>& marker) override;
  void flush() override;
  [[nodiscard]] bool idle() const noexcept override { return active().idle(); }
  // NVIDIA's driver calls functions of events milliseconds late.
  [[nodiscard]] bool notifies_late() const noexcept override {
    return plain_->device->properties().kind != DeviceKind::cpu;
  }
  // Its caller may enqueue commands by itself, so the commands of this queue stay on this handle from now on.
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    is_handle_known_.store(true, std::memory_order_relaxed);
    return reinterpret_cast<std::uintptr_t>(plain_->queue.get());
  }
  [[nodiscard]] std::shared_ptr<const QueueState> state() const noexcept { return plain_; }

 private:
  // The timing of an operation that may take several commands; null unless times are recorded.
  using Operation = std::shared_ptr<EventTiming>;

  [[nodiscard]] QueueState& active() const noexcept { return *active_.load(std::memory_order_acquire); }
  [[nodiscard]] cl_command_queue id() const noexcept { return active().queue.get(); }
  [[nodiscard]] const std::string& label() const noexcept { return plain_->device->label(); }
  // Continues on the native queue that records times while a profile is open, and on the plain one otherwise.
  // Each operation calls this first.
  void choose_queue() {
    const bool wants_times = options_.profiling || (records_times() && may_change_queue_ &&
                                                    !is_handle_known_.load(std::memory_order_relaxed));
    if (wants_times != has_times_) [[unlikely]]
      change_queue(wants_times);
  }
  void change_queue(bool wants_times);
  [[nodiscard]] bool make_timed_queue();
  // Calls command(event), which uses wait_count() and wait_list(), and counts it. Outside a lane `event` is
  // null unless times are recorded, because events cost time.
  template <class Command>
  void enqueue(Operation& operation, const char* call, std::size_t nbytes, const Command& command);
  template <class Command>
  [[nodiscard]] cl_int issue(Operation& operation, const Command& command);
  [[nodiscard]] cl_uint wait_count() const noexcept { return static_cast<cl_uint>(waits_.size()); }
  [[nodiscard]] const cl_event* wait_list() const noexcept {
    return waits_.empty() ? nullptr : waits_.data();
  }
  TimingPtr call_in_lane(const std::function<void(std::uintptr_t native)>& function);
  void add_event(Operation& operation, cl_event event);
  static void count(QueueState& queue) noexcept;
  // An operation without work still has times.
  TimingPtr nothing();

  void copy_bytes(Operation& operation, cl_mem from, std::size_t from_offset, cl_mem to,
                  std::size_t to_offset, std::size_t nbytes);
  void fill_natively(Operation& operation, Memory& memory, std::size_t offset, std::size_t nbytes,
                     std::span<const std::byte> pattern);
  void fill_by_copies(Operation& operation, Memory& memory, std::size_t offset, std::size_t nbytes,
                      std::span<const std::byte> pattern);

  struct Rect;  // one side of a copy_rect(), with the handle looked up and the pitches filled in
  void copy_plane(Operation& operation, const Rect& from, const Rect& to, std::array<std::size_t, 3> region);
  void copy_row(Operation& operation, const Rect& from, const Rect& to, std::size_t nbytes);
  void copy_rect_by_parts(Operation& operation, const Rect& from, const Rect& to,
                          std::array<std::size_t, 3> region);

  // OpenCL decides when a queue is created whether its commands have times. So a queue that was not made for
  // profiling gets a second native queue when a profile is open. At each change the new one waits for the
  // old one.
  std::shared_ptr<QueueState> plain_;
  std::shared_ptr<QueueState> timed_;  // null until needed, and then never changed
  std::atomic<QueueState*> active_;
  // Used by the enqueuing thread only.
  const QueueOptions options_;
  const std::unique_ptr<Lane> lane_;  // null for an in-order queue
  std::vector<cl_event> waits_;       // of the command that is being enqueued
  QueueHandle library_queue_;         // an in-order one for calls of libraries in a lane; null until needed
  bool has_times_;                    // of the active queue
  bool may_change_queue_;             // to a timed one
  mutable std::atomic<bool> is_handle_known_{false};
};

template <class Command>
void Queue::enqueue(Operation& operation, const char* call, std::size_t nbytes, const Command& command) {
  const DriverCall driver(*plain_->device);
  check(issue(operation, command), call, label(), nbytes);
}

template <class Command>
cl_int Queue::issue(Operation& operation, const Command& command) {
  cl_event event = nullptr;
  if (lane_ == nullptr) {
    const cl_int status = command(has_times_ ? &event : nullptr);
    if (status != CL_SUCCESS) return status;
    if (has_times_) add_event(operation, event);
  } else {
    const std::lock_guard lock(lane_->mutex);
    waits_ = lane_->wait_list();
    const cl_int status = command(&event);
    waits_.clear();
    if (status != CL_SUCCESS) return status;
    lane_->set_last(event);
    if (has_times_ && api().RetainEvent(event) == CL_SUCCESS) add_event(operation, event);
  }
  count(active());
  return CL_SUCCESS;
}

}  // namespace quern::backend::opencl
