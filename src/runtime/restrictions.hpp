// SPDX-License-Identifier: MIT
// Whether operations must be checked for conflicts with open maps, and for captures.
#pragma once

#include <atomic>
#include <cstddef>

namespace quern::detail {

// The number of open maps and captures. While it is 0, operations skip the checks for both.
inline constinit std::atomic<std::size_t> restrictions{0};

inline bool has_restrictions() noexcept {
  return restrictions.load(std::memory_order_relaxed) != 0;
}

}  // namespace quern::detail
