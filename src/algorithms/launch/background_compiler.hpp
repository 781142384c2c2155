// SPDX-License-Identifier: MIT
// Kernels that are compiled while something else stands in for them, by one thread that nobody waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "quern/compilation.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {

// How much a kernel was asked for that is not there yet, and what became of its compilation.
class Demand {
 public:
  // Counts a launch over so many elements; true once for a kernel that is worth compiling by now.
  bool add(std::uint64_t elements) noexcept;
  // It was not taken: another launch may try again.
  void retry() noexcept { asked_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> launches_{0}, elements_{0};
  std::atomic<bool> asked_{false};
};

// Work of fewer elements is not what a kernel is compiled for: its launch costs as much.
inline constexpr std::uint64_t kSmallWork = std::uint64_t{1} << 15;

// Builds the kernel for the queue's device soon; if that fails, precompiled functions continue to run.
// Returns false when too many are waiting already.
bool compile_in_background(const Kernel& kernel, const Queue& queue);

}  // namespace quern::algorithms
