// SPDX-License-Identifier: MIT
// A device's profiling clock, mapped to the host's steady clock.
#pragma once

#include <cstdint>
#include <mutex>

#include "backend/opencl/api.hpp"

namespace quern::backend::opencl {

class Device;

// The two clocks are compared whenever a profiling queue is created, at least a second after the last time,
// and times are read off the line through the first and the last comparison: the clocks drift apart by
// hundreds of microseconds a second if only one of them is disciplined. All queues of a device share it, so
// that their times can be compared.
class DeviceClock {
 public:
  void compare(const Device& device, cl_context context);
  [[nodiscard]] std::int64_t to_host(std::int64_t device_ns) const;

 private:
  struct Anchor {
    std::int64_t device = 0, host = 0;
  };
  static Anchor measure(const Device& device, cl_command_queue queue);

  mutable std::mutex mutex_;
  bool compared_ = false;
  Anchor first_, last_;
};

}  // namespace quern::backend::opencl
