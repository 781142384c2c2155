// SPDX-License-Identifier: MIT
// Handles of CUDA's libraries. A handle belongs to a context and serves one call at a time, on any stream.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/context_state.hpp"

namespace quern::libraries {

class CudaHandles {
 public:
  using Handle = void*;

  // Returns a handle of this context that no call uses, or a new one from `create`.
  template <class Create>
  Handle take(const std::shared_ptr<detail::ContextState>& context, const Create& create) {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(free_, [](const Entry& entry) { return entry.context.expired(); });
      for (std::size_t i = 0; i < free_.size(); ++i) {
        if (free_[i].context.lock() != context) continue;
        const Handle handle = free_[i].handle;
        free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
        return handle;
      }
    }
    return create();
  }
  void give_back(const std::shared_ptr<detail::ContextState>& context, Handle handle) {
    const std::lock_guard lock(mutex_);
    free_.push_back({context, handle});
  }

 private:
  struct Entry {
    std::weak_ptr<detail::ContextState> context;
    Handle handle;
  };
  std::mutex mutex_;
  std::vector<Entry> free_;
};

}  // namespace quern::libraries
