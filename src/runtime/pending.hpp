// SPDX-License-Identifier: MIT
// Work that was written down but not enqueued: lazy arrays, which live above the runtime, are told before it
// matters.
#pragma once

#include <atomic>

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
};

// Null until there is any. Never replaced, never destroyed.
inline std::atomic<PendingWork*> pending_work{nullptr};

}  // namespace quern::detail
