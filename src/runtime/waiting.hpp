// SPDX-License-Identifier: MIT
// Divides long waits into slices and calls the hook of quern/waiting.hpp between them.
#pragma once

#include <chrono>
#include <utility>

#include "base/interruption.hpp"
#include "quern/properties.hpp"

namespace quern::detail {

// Waits without a time limit. `wait_until` takes a deadline and returns whether the wait is over. The caller
// must hold no lock. It must not wait for a copy to memory that is destroyed when the hook throws.
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
