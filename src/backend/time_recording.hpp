// SPDX-License-Identifier: MIT
// Whether queues that were not made for profiling record times, too, because a profile is open.
#pragma once

#include <atomic>

namespace quern::backend {

// Written by the runtime. A queue reads it for each operation, so an operation that is enqueued while it
// changes may have times or not.
inline constinit std::atomic<bool> time_recording{false};

[[nodiscard]] inline bool records_times() noexcept {
  return time_recording.load(std::memory_order_relaxed);
}

}  // namespace quern::backend
