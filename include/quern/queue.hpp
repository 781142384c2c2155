// SPDX-License-Identifier: MIT
// Queues: where work is enqueued. In order; many per device; every operation returns an event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/event.hpp"

namespace QUERN_API quern {

// One side of a rectangle copy: a buffer, or host memory when `buffer` is null.
struct RectView {
  const Buffer* buffer = nullptr;
  void* host = nullptr;
  std::array<std::size_t, 3> origin = {0, 0, 0};  // bytes, rows, slices
  std::size_t row_pitch = 0;                      // bytes; 0: rows follow each other
  std::size_t slice_pitch = 0;                    // bytes; 0: slices follow each other
};

class Queue {
 public:
  explicit Queue(const Device& device, QueueOptions options = {});
  Queue(const Context& context, const Device& device, QueueOptions options = {});
  // The queue that is used when none is named, one for each device.
  static Queue of(const Device& device);
  // A queue that somebody else owns (cl_command_queue, CUstream); `owner` is kept as long as it is in use.
  static Queue wrap(const Context& context, const Device& device, std::uintptr_t native,
                    std::shared_ptr<void> owner = nullptr);

  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  [[nodiscard]] bool profiling() const noexcept;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept;

  // Host memory must stay valid until the event is done; `keep` is held that long.
  Event write(const Buffer& to, const void* from, std::size_t nbytes, WaitList wait_for = {},
              std::shared_ptr<void> keep = nullptr) const;
  Event read(const Buffer& from, void* to, std::size_t nbytes, WaitList wait_for = {},
             std::shared_ptr<void> keep = nullptr) const;
  // To be waited for before a read that the caller will wait for at once: done when nothing is left that the
  // read would have to wait for, or at once where that would only cost time.
  Event before_read(const Buffer& from, WaitList wait_for = {}) const;
  // Buffers of the same size, of this queue's device or one of them of any other device.
  Event copy(const Buffer& from, const Buffer& to, WaitList wait_for = {}) const;
  // Repeats the pattern over the buffer, whose size it divides.
  Event fill(const Buffer& buffer, std::span<const std::byte> pattern, WaitList wait_for = {}) const;
  // region: bytes of a row, rows, slices.
  Event copy_rect(const RectView& from, const RectView& to, std::array<std::size_t, 3> region,
                  WaitList wait_for = {}, std::shared_ptr<void> keep = nullptr) const;
  // Everything enqueued later runs after these events, and the result is done after everything enqueued so
  // far.
  Event barrier(WaitList wait_for = {}) const;

  void flush() const;
  void finish() const;
  bool finish_until(Deadline deadline) const;  // false when the deadline passed first

  // While recording, the event of everything that is enqueued is kept; stopping hands the events over.
  void start_recording() const;
  [[nodiscard]] std::vector<Event> stop_recording() const;

  friend bool operator==(const Queue& a, const Queue& b) noexcept { return a.state_ == b.state_; }

  // For the library itself.
  explicit Queue(std::shared_ptr<detail::QueueState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::QueueState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::QueueState> state_;
};

// While it lives, work of this thread on the queue's device that names no queue goes to this one.
class QueueScope {
 public:
  explicit QueueScope(const Queue& queue) noexcept;
  QueueScope(const QueueScope&) = delete;
  QueueScope& operator=(const QueueScope&) = delete;
  ~QueueScope();
  // The innermost one's queue; null where there is none.
  [[nodiscard]] static const Queue* current() noexcept;

 private:
  const Queue* before_;
};

}  // namespace quern
