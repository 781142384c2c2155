// SPDX-License-Identifier: MIT
// Long waits in slices, between which the hook of quern/waiting.hpp is called.
#pragma once

#include <atomic>
#include <chrono>
#include <utility>

#include "quern/properties.hpp"
#include "quern/waiting.hpp"

namespace quern::detail {

inline std::atomic<void (*)()> wait_hook{nullptr};

// Waits for as long as it takes. `wait_until` takes a deadline and says whether the wait is over. Not for a thread
// that holds a lock, nor for a copy to memory that goes when the hook throws.
template <class WaitUntil>
void wait_with_hook(WaitUntil&& wait_until) {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  void (*const hook)() = wait_hook.load(std::memory_order_relaxed);
  if (hook == nullptr) {
    wait_until(Deadline::max());
    return;
  }
  while (!wait_until(std::chrono::steady_clock::now() + kSlice)) hook();
}

}  // namespace quern::detail
