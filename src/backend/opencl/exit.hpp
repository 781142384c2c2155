// SPDX-License-Identifier: MIT
// Work in flight when the process exits, for drivers that run it in threads of this process.
#pragma once

#include <memory>

#include "backend/opencl/event.hpp"

namespace quern::backend::opencl {

// CPU drivers compile and run kernels in their own threads; when exit destroys the static data of the driver
// (or of LLVM) under them, the process crashes. So such queues are finished first, including those that were
// destroyed with work in flight. A kernel that never ends must not block the exit: after a while the process
// exits without destroying anything.
void finish_at_exit(const std::shared_ptr<QueueState>& queue);
// Keeps a queue that is destroyed while its work is in flight.
void linger(std::shared_ptr<QueueState> queue) noexcept;
// Exit handlers run in reverse order: called again after the driver may have registered more of its own.
void register_exit_handler();

// A call that makes a driver start work or compile. For CPU drivers, no such call may be under way when the
// process exits, and none may begin: a thread that tries sleeps until the end.
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
