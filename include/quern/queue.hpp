// SPDX-License-Identifier: MIT
// Queues, on which work is enqueued. A queue runs in order or out of order, a device may have many, and every
// operation returns an event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/event.hpp"

namespace QUERN_API quern {

// One side of a rectangle copy: a buffer, or host memory if `buffer` is null.
struct RectView {
  const Buffer* buffer = nullptr;
  void* host = nullptr;
  std::array<std::size_t, 3> origin = {0, 0, 0};  // bytes, rows, slices
  std::size_t row_pitch = 0;                      // bytes; 0: rows are contiguous
  std::size_t slice_pitch = 0;                    // bytes; 0: slices are contiguous
};

// By default a queue runs its operations in the order of their enqueues. If it is made with
// QueueOptions::out_of_order, an operation begins as soon as these have ended: the events of its wait list;
// earlier operations, of any queue, that write memory that it uses, or use memory that it writes; and the
// last barrier before it. On the host such operations run on the one thread pool, several at once; on OpenCL
// in an out-of-order command queue; on CUDA on up to 8 streams.
//
// QueueOptions::track_memory = false leaves out the second of these. The caller then ensures by wait lists
// that no operation uses memory that an unfinished operation writes, and none writes memory that an
// unfinished operation uses; this includes host memory of copies and operations of other queues. Memory is
// still kept alive while it is in use, and freed memory still waits for its former users. Array expressions
// and the library's algorithms enqueue several operations on the same memory: on an out-of-order queue
// without tracking they throw ArgumentError.
class Queue {
 public:
  explicit Queue(const Device& device, QueueOptions options = {});
  Queue(const Context& context, const Device& device, QueueOptions options = {});
  // The default queue of a device.
  static Queue of(const Device& device);
  // Wraps a queue of another owner (cl_command_queue, CUstream); `owner` is kept alive while it is in use.
  static Queue wrap(const Context& context, const Device& device, std::uintptr_t native,
                    std::shared_ptr<void> owner = nullptr);

  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  [[nodiscard]] bool profiling() const noexcept;
  [[nodiscard]] bool out_of_order() const noexcept;
  [[nodiscard]] bool track_memory() const noexcept;
  // The priority that the device gives to the work; 0 if it has no priorities.
  [[nodiscard]] int priority() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;  // of QueueOptions
  // For messages: "queue 'upload' of 'host'", or "a queue of 'host'" without a name.
  [[nodiscard]] std::string description() const;
  // Of an out-of-order queue on CUDA: its first stream.
  [[nodiscard]] std::uintptr_t native_handle() const noexcept;

  // Host memory must stay valid until the event is done; `keep` is held that long.
  Event write(const Buffer& to, const void* from, std::size_t nbytes, WaitList wait_for = {},
              std::shared_ptr<void> keep = nullptr) const;
  Event read(const Buffer& from, void* to, std::size_t nbytes, WaitList wait_for = {},
             std::shared_ptr<void> keep = nullptr) const;
  // An event to wait for before a blocking read: complete when the read would not wait for earlier work, or
  // immediately if waiting separately would only cost time.
  Event before_read(const Buffer& from, WaitList wait_for = {}) const;
  // An event that is complete after all enqueued writes to the buffer.
  Event when_written(const Buffer& buffer, WaitList wait_for = {}) const;
  // An event that is complete after all enqueued reads and writes of the buffer.
  Event when_unused(const Buffer& buffer, WaitList wait_for = {}) const;
  // Copies between buffers of the same size; one of them may be on any other device.
  Event copy(const Buffer& from, const Buffer& to, WaitList wait_for = {}) const;
  // Repeats the pattern over the buffer; the pattern's size must divide the buffer's.
  Event fill(const Buffer& buffer, std::span<const std::byte> pattern, WaitList wait_for = {}) const;
  // region: bytes of a row, rows, slices.
  Event copy_rect(const RectView& from, const RectView& to, std::array<std::size_t, 3> region,
                  WaitList wait_for = {}, std::shared_ptr<void> keep = nullptr) const;
  // Work enqueued later runs after the returned event, which is complete after these events or, without
  // events, after all work enqueued so far. On an in-order queue always after all work enqueued so far.
  Event barrier(WaitList wait_for = {}) const;
  // The same event, but work enqueued later on an out-of-order queue does not wait for it.
  Event marker(WaitList wait_for = {}) const;

  void flush() const;
  void finish() const;
  bool finish_until(Deadline deadline) const;  // false if the deadline passed first
  // Enqueues pending expressions of the queue; the event is complete after all work enqueued so far.
  [[nodiscard]] Event finished() const;
  // finish_until() for the work up to this event of the queue.
  bool finish_up_to(const Event& last, Deadline deadline = Deadline::max()) const;
  // Says how many operations are held back, and what the first of them waits for; empty if there are none.
  [[nodiscard]] std::string held_back() const;

  // While recording, the queue keeps the event of every operation; stopping returns the events.
  void start_recording() const;
  [[nodiscard]] std::vector<Event> stop_recording() const;

  friend bool operator==(const Queue& a, const Queue& b) noexcept { return a.state_ == b.state_; }

  // Internal.
  explicit Queue(std::shared_ptr<detail::QueueState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::QueueState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::QueueState> state_;
};

// While a QueueScope lives, work of its thread on the queue's device that names no queue goes to this queue.
class QueueScope {
 public:
  explicit QueueScope(const Queue& queue) noexcept;
  QueueScope(const QueueScope&) = delete;
  QueueScope& operator=(const QueueScope&) = delete;
  ~QueueScope();
  // The queue of the innermost scope; null if there is none.
  [[nodiscard]] static const Queue* current() noexcept;

 private:
  const Queue* before_;
};

}  // namespace quern
