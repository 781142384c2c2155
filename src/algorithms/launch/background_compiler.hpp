// SPDX-License-Identifier: MIT
// Compiles kernels on one thread in the background. Until a kernel is ready, launches run precompiled
// functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "quern/compilation.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {

// Counts the launches that wanted a kernel before it was compiled, to decide when compiling it pays.
class Demand {
 public:
  // Counts a launch over so many elements. Returns true once, when compiling the kernel pays.
  bool add(std::uint64_t elements) noexcept;
  // The background thread did not accept the kernel, so a later launch may ask again.
  void retry() noexcept { asked_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> launches_{0}, elements_{0};
  std::atomic<bool> asked_{false};
};

// For fewer elements a kernel is not compiled, because its launch takes as long as the work.
inline constexpr std::uint64_t kSmallWork = std::uint64_t{1} << 15;

// Asks the background thread to build the kernel for the queue's device. If the build fails, launches
// continue to run precompiled functions. Returns false if too many kernels are waiting.
bool compile_in_background(const Kernel& kernel, const Queue& queue);

}  // namespace quern::algorithms
