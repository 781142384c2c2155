// SPDX-License-Identifier: MIT
// Work that was written down but not enqueued: lazy arrays, which live above the runtime, are told before it
// matters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace quern::detail {

class QueueState;
class UseRecord;

class PendingWork {
 public:
  virtual ~PendingWork() = default;
  // Enqueues everything that reads this memory, which is about to change.
  virtual void before_write(UseRecord& memory) = 0;
  // Enqueues everything that was written on this queue.
  virtual void before_finish(const QueueState& queue) = 0;
  // All of this queue's work up to this ticket is done: throws where some of it has noted that it could not
  // do what it was told, and nobody knows yet.
  virtual void after_finish(const QueueState& queue, std::uint64_t ticket) = 0;
};

// Null until there is any. Never replaced, never destroyed.
inline std::atomic<PendingWork*> pending_work{nullptr};
// Launches whose notes nobody was told of, or has looked at yet.
inline std::atomic<std::size_t> unread_notes{0};

}  // namespace quern::detail
