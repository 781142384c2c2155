// SPDX-License-Identifier: MIT
// Long waits in slices, between which the hook of quern/waiting.hpp is called.
#pragma once

#include <chrono>
#include <utility>

#include "base/interruption.hpp"
#include "quern/properties.hpp"

namespace quern::detail {

// Waits for as long as it takes. `wait_until` takes a deadline and says whether the wait is over. Not for a
// thread that holds a lock, nor for a copy to memory that goes when the hook throws.
template <class WaitUntil>
void wait_with_hook(WaitUntil&& wait_until) {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  if (!has_wait_hook()) {
    wait_until(Deadline::max());
    return;
  }
  while (!wait_until(std::chrono::steady_clock::now() + kSlice)) check_interruption();
}

}  // namespace quern::detail
