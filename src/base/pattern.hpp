// SPDX-License-Identifier: MIT
// Byte patterns that fill memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace quern {

// The shortest text that repeats to the pattern: the zero of any type is a single byte.
inline std::span<const std::byte> shortest_period(std::span<const std::byte> pattern) {
  for (std::size_t period = 1; period < pattern.size(); ++period) {
    if (pattern.size() % period != 0) continue;
    if (std::memcmp(pattern.data(), pattern.data() + period, pattern.size() - period) == 0) {
      return pattern.first(period);
    }
  }
  return pattern;
}

}  // namespace quern
