// SPDX-License-Identifier: MIT
// Handles of CUDA's libraries. A handle belongs to a context and serves one call at a time, on any stream.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/context_state.hpp"

namespace quern::libraries {

class CudaHandles {
 public:
  using Handle = void*;
  using Context = std::shared_ptr<detail::ContextState>;

  // A handle for one call.
  class Lease {
   public:
    // Takes a handle of this context that no call uses, or a new one from `create`.
    template <class Create>
    Lease(CudaHandles& handles, Context context, const Create& create)
        : handles_(&handles), context_(std::move(context)), handle_(handles.take(context_)) {
      if (handle_ == nullptr) handle_ = create();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { handles_->give_back(context_, handle_); }
    [[nodiscard]] Handle get() const noexcept { return handle_; }

   private:
    CudaHandles* handles_;
    Context context_;
    Handle handle_;
  };

 private:
  struct Entry {
    std::weak_ptr<detail::ContextState> context;
    Handle handle;
  };
  Handle take(const Context& context) {
    const std::lock_guard lock(mutex_);
    std::erase_if(free_, [](const Entry& entry) { return entry.context.expired(); });
    for (Entry& entry : free_) {
      if (entry.context.lock() != context) continue;
      const Handle handle = entry.handle;
      entry = free_.back();
      free_.pop_back();
      return handle;
    }
    return nullptr;
  }
  void give_back(const Context& context, Handle handle) {
    const std::lock_guard lock(mutex_);
    free_.push_back({context, handle});
  }

  std::mutex mutex_;
  std::vector<Entry> free_;
};

}  // namespace quern::libraries
