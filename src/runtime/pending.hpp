// SPDX-License-Identifier: MIT
// The interface through which the runtime reaches work that is recorded but not enqueued: lazy arrays, which
// are in a higher layer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace quern::detail {

class ContextState;
class QueueState;
class UseRecord;

class PendingWork {
 public:
  virtual ~PendingWork() = default;
  // Enqueues all pending work that reads this memory, before it is written.
  virtual void before_write(UseRecord& memory) = 0;
  // Enqueues all pending work that was recorded on this queue.
  virtual void before_finish(const QueueState& queue) = 0;
  // Enqueues all pending work on this device, before operations on it are captured.
  virtual void before_capture(const ContextState& context, std::size_t device) = 0;
  // Enqueues an expression that a capture has noted, if it is still pending.
  virtual void evaluate_noted(const std::shared_ptr<void>& expression) = 0;
  // Called when all work of this queue up to this ticket is done. Throws the error of a launch that recorded
  // a bad index, if it is not reported yet.
  virtual void after_finish(const QueueState& queue, std::uint64_t ticket) = 0;
};

// Null until the first lazy array. Never replaced, never destroyed.
inline std::atomic<PendingWork*> pending_work{nullptr};
// Launches that check indices and whose slots are not read, or whose error is not reported yet.
inline std::atomic<std::size_t> unread_index_errors{0};

}  // namespace quern::detail
