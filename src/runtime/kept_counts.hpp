// SPDX-License-Identifier: MIT
// Counts what the library keeps for later calls, for stats(). Each cache has a limit of its own.
#pragma once

#include <atomic>
#include <cstddef>

namespace quern::detail {

struct KeptCounts {
  std::atomic<std::size_t> entries{0}, bytes{0}, device_bytes{0};
  void add(std::size_t count, std::size_t nbytes, std::size_t on_device = 0) {
    entries += count;
    bytes += nbytes;
    device_bytes += on_device;
  }
  void remove(std::size_t count, std::size_t nbytes, std::size_t on_device = 0) {
    entries -= count;
    bytes -= nbytes;
    device_bytes -= on_device;
  }
};
inline constinit KeptCounts library_plans;  // plans of transforms and algorithms of products
inline constinit KeptCounts fft_tables;     // of Quern's own transforms

}  // namespace quern::detail
