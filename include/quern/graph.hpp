// SPDX-License-Identifier: MIT
// Captured graphs: operations that are recorded once and then enqueued together by one call.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/error.hpp"
#include "quern/event.hpp"
#include "quern/kernel.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

namespace detail {
class CaptureState;
class GraphState;
}  // namespace detail

// Thrown for what cannot be captured: reads of values, waits, maps, operations that wait for work outside of
// the capture.
class CaptureError : public Error {
 public:
  using Error::Error;
};

// The operations of a capture. Copies are handles of the same graph. It keeps the memory of its operations
// alive. Thread-safe.
class Graph {
 public:
  // Enqueues all operations as one, on any queue of the same device and context. Other operations are ordered
  // with it by the memory that it uses, and so are two launches of it.
  Event launch(const Queue& queue, WaitList wait_for = {}) const;

  // Changes an argument of a captured kernel, for later launches. `kernel` is the event that the launch of
  // the kernel returned in the capture.
  void update(const Event& kernel, const std::string& parameter, const KernelArgument& value) const;
  void update(const Event& kernel, std::size_t parameter, const KernelArgument& value) const;
  // Later launches use the memory of `now` wherever operations used that of `old`. Both have the same type,
  // shape and layout. Throws ArgumentError if no operation uses memory of `old`.
  void update(const Array& old, const Array& now) const;
  void update(const Buffer& old, const Buffer& now) const;
  // The same for several buffers at once, which may exchange their places.
  struct Replacement {
    Buffer old, now;
  };
  void update(std::span<const Replacement> replacements) const;

  [[nodiscard]] std::size_t size() const;  // operations
  // The signature of a captured kernel.
  [[nodiscard]] Signature signature(const Event& kernel) const;
  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  // Whether the capture has ended, so that it can be launched.
  [[nodiscard]] bool complete() const noexcept;

  // Internal.
  explicit Graph(std::shared_ptr<detail::GraphState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::GraphState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::GraphState> state_;
};

// While it lives, the operations that its thread enqueues on the queue are recorded and do not run. An
// operation on another queue of the same device is recorded, too, if it depends on recorded work by an event
// or by memory, and so are the later operations of that queue. Work that names no queue goes to the captured
// queue. Destroying it before end() abandons the capture.
class Capture {
 public:
  explicit Capture(const Queue& queue);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();
  // The graph, which is complete after end().
  [[nodiscard]] const Graph& graph() const noexcept { return graph_; }
  // Records the expressions of the capture that are still pending, and completes the graph. Called on the
  // thread that made the capture.
  const Graph& end();

 private:
  Queue queue_;
  Graph graph_;
  std::unique_ptr<detail::CaptureState> state_;
  QueueScope scope_;
};

// While it lives, the operations of this thread run although it captures. They must not use memory that was
// allocated in the capture.
class CapturePause {
 public:
  CapturePause();
  CapturePause(const CapturePause&) = delete;
  CapturePause& operator=(const CapturePause&) = delete;
  ~CapturePause();

 private:
  detail::CaptureState* capture_;
};

// Whether this thread captures, and the memory was allocated in the capture.
[[nodiscard]] bool is_captured_memory(const Buffer& buffer) noexcept;

// Throws CaptureError if this thread captures and would record a read of the memory on the queue. A caller
// that waits for the values of a read calls it first.
void check_read_outside_capture(const Queue& queue, const Buffer& memory);

// Whether the operations of this thread are recorded.
[[nodiscard]] bool is_capturing() noexcept;
// Whether the event is that of an operation in a capture, which runs when its graph is launched.
[[nodiscard]] bool is_captured(const Event& event) noexcept;

}  // namespace quern
