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
  // Somebody waited for this ticket: throws where work that is done has noted that it could not do what it
  // was told.
  virtual void after_wait(const QueueState& queue, std::uint64_t ticket) = 0;
};

// Null until there is any. Never replaced, never destroyed.
inline std::atomic<PendingWork*> pending_work{nullptr};
// Launches whose notes nobody has looked at yet.
inline std::atomic<std::size_t> unread_notes{0};

inline void read_notes(const QueueState& queue, std::uint64_t ticket) {
  if (unread_notes.load(std::memory_order_relaxed) != 0) pending_work.load()->after_wait(queue, ticket);
}

}  // namespace quern::detail
