// SPDX-License-Identifier: MIT
// Whether a library of CUDA that was loaded works on a device: the first operation on each device tries it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "libraries/cuda_handles.hpp"
#include "quern/error.hpp"
#include "quern/queue.hpp"
#include "runtime/library_call.hpp"

namespace quern::libraries {

class CudaTrials {
 public:
  // Whether `trial` succeeds on the queue's device, with its context current. It throws Error if the library
  // fails; then Quern's own kernels are used on this device as long as the process runs.
  bool work(const Queue& queue, const std::function<void()>& trial) {
    const std::uintptr_t context = cuda_context(queue);
    const std::lock_guard lock(mutex_);
    for (const Outcome& one : outcomes_)
      if (one.context == context) return one.works;
    bool works = true;
    try {
      detail::call_beside(queue, [&](std::uintptr_t) { trial(); });
    } catch (const Error& error) {
      works = false;
      failures_ += (failures_.empty() ? "" : "; ") + std::string(error.what());
    }
    outcomes_.push_back({context, works});
    return works;
  }
  // The messages of the trials that failed.
  [[nodiscard]] std::string failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  struct Outcome {
    std::uintptr_t context;
    bool works;
  };
  std::mutex mutex_;
  std::vector<Outcome> outcomes_;
  std::string failures_;
};

}  // namespace quern::libraries
