// SPDX-License-Identifier: MIT
// Queues whose notifications are late.
#pragma once

namespace quern::backend {

// Implemented by queues that may raise the signal of Marker::notify() long after the end of the work.
class LateNotification {
 public:
  virtual ~LateNotification() = default;
  // Whether a thread that polls a marker finds it done sooner than it is notified.
  [[nodiscard]] virtual bool notifies_late() const noexcept = 0;
};

}  // namespace quern::backend
