// SPDX-License-Identifier: MIT
// Compiles kernels on one thread in the background. Until a kernel is ready, launches run precompiled
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "quern/compilation.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {

// Counts the launches that wanted a kernel before it was compiled, to decide when compiling it pays. A kernel
// is built for each device of each context, so these are counted separately.
class Demand {
 public:
  // Counts a launch over so many elements. Returns true once for the queue's context and device, when
  // compiling the kernel for them pays.
  bool add(const Queue& queue, std::uint64_t elements);
  // The background thread did not accept the kernel, so a later launch may ask again.
  void retry(const Queue& queue);

 private:
  struct Launches {
    std::weak_ptr<detail::ContextState> context;
    std::size_t device = 0;
    std::uint64_t count = 0, elements = 0;
    bool asked = false;
  };
  Launches& launches_of(const Queue& queue);  // the caller holds the lock

  std::mutex mutex_;
  std::vector<Launches> launches_;
};

// For fewer elements a kernel is not compiled, because its launch takes as long as the work.
inline constexpr std::uint64_t kSmallWork = std::uint64_t{1} << 15;

// A captured launch is repeated, so its kernel is compiled at once. Returns null if no compiler is available.
const Kernel* compiled_for_replays(const Kernel& kernel, const Queue& queue);

// Asks the background thread to build the kernel for the queue's device. If the build fails, launches
// continue to run precompiled functions. Returns false if too many kernels are waiting.
bool compile_in_background(const Kernel& kernel, const Queue& queue);

}  // namespace quern::algorithms
