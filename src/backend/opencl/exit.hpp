// SPDX-License-Identifier: MIT
// Work in flight when the process exits, on drivers that run it in threads of this process.
#pragma once

#include <memory>

#include "backend/opencl/event.hpp"

namespace quern::backend::opencl {

// CPU drivers compile and run kernels in their own threads; when exit destroys the driver's (or LLVM's)
// static data under them, the process crashes. So such queues are finished first, those that were destroyed
// with work in flight too. A kernel that never ends must not keep the process: after a while it exits without
// destroying anything.
void finish_at_exit(const std::shared_ptr<QueueState>& queue);
// Keeps a queue that goes while its work is in flight.
void linger(std::shared_ptr<QueueState> queue) noexcept;
// Exit handlers run in reverse order: called again after something made the driver register more of its own.
void register_exit_handler();

// A call that makes a driver start work or compile. Of CPU drivers none may be under way when the process
// exits, and none begins any more: a thread that would sleeps until the end.
class DriverCall {
 public:
  explicit DriverCall(const Device& device) noexcept;
  ~DriverCall();
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  bool counts_;
};

}  // namespace quern::backend::opencl
