// SPDX-License-Identifier: MIT
// Handles of CUDA's libraries. A handle belongs to the primary context of a device and serves one call at a
// time, on any stream. Primary contexts live as long as the process, so handles are kept and used again.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "quern/queue.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {

// Identifies the primary context of the queue's device.
inline std::uintptr_t cuda_context(const Queue& queue) {
  const detail::QueueState& state = *queue.state();
  return state.context()->native().native_handle(state.device());
}

class CudaHandles {
 public:
  using Handle = void*;

  // A handle for one call.
  class Lease {
   public:
    // Takes a handle of this queue's device that no call uses, or a new one from `create`.
    template <class Create>
    Lease(CudaHandles& handles, const Queue& queue, const Create& create)
        : handles_(&handles), context_(cuda_context(queue)), handle_(handles.take(context_)) {
      if (handle_ == nullptr) handle_ = create();
    }
    Lease(Lease&& other) noexcept
        : handles_(other.handles_),
          context_(other.context_),
          handle_(std::exchange(other.handle_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (handle_ != nullptr) handles_->give_back(context_, handle_);
    }
    [[nodiscard]] Handle get() const noexcept { return handle_; }

   private:
    CudaHandles* handles_;
    std::uintptr_t context_;
    Handle handle_;
  };

  // Keeps a handle of the queue's device for a later call.
  void add(const Queue& queue, Handle handle) { give_back(cuda_context(queue), handle); }

 private:
  struct Entry {
    std::uintptr_t context;
    Handle handle;
  };
  Handle take(std::uintptr_t context) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : free_) {
      if (entry.context != context) continue;
      const Handle handle = entry.handle;
      entry = free_.back();
      free_.pop_back();
      return handle;
    }
    return nullptr;
  }
  void give_back(std::uintptr_t context, Handle handle) {
    const std::lock_guard lock(mutex_);
    free_.push_back({context, handle});
  }

  std::mutex mutex_;
  std::vector<Entry> free_;
};

}  // namespace quern::libraries
