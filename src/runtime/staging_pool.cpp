// SPDX-License-Identifier: MIT
// The free page-locked memory of all contexts.
#include "runtime/staging_pool.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/context_state.hpp"

namespace quern::detail {
namespace {

class StagingPool {
 public:
  static StagingPool& instance() {
    static auto* const pool = new StagingPool;  // never destroyed: memory may come back at exit
    return *pool;
  }

  std::shared_ptr<backend::PinnedMemory> take(const std::shared_ptr<ContextState>& context,
                                              std::size_t nbytes) {
    std::unique_ptr<backend::PinnedMemory> memory = find(context, nbytes);
    if (!memory)
      memory = context->native().allocate_pinned(nbytes <= kMostBytes ? std::bit_ceil(nbytes) : nbytes);
    return {memory.release(), [from = std::weak_ptr(context)](backend::PinnedMemory* back) {
              instance().give_back(from, std::unique_ptr<backend::PinnedMemory>(back));
            }};
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // kept in all
  struct Free {
    std::weak_ptr<ContextState> context;
    std::unique_ptr<backend::PinnedMemory> memory;
  };

  // Returns null if no free memory fits.
  std::unique_ptr<backend::PinnedMemory> find(const std::shared_ptr<ContextState>& context,
                                              std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(), [&](const Free& each) {
      const std::size_t size = each.memory->size();
      return size >= nbytes && size / 4 <= nbytes && each.context.lock() == context;
    });
    if (found == free_.end()) return nullptr;
    std::unique_ptr<backend::PinnedMemory> memory = std::move(found->memory);
    free_.erase(found);
    bytes_ -= memory->size();
    return memory;
  }

  void give_back(const std::weak_ptr<ContextState>& context, std::unique_ptr<backend::PinnedMemory> memory) {
    std::vector<Free> dropped;  // destroyed after the lock is released
    if (context.expired()) return;
    const std::lock_guard lock(mutex_);
    const auto gone = std::stable_partition(free_.begin(), free_.end(),
                                            [](const Free& each) { return !each.context.expired(); });
    std::move(gone, free_.end(), std::back_inserter(dropped));
    free_.erase(gone, free_.end());
    for (const Free& each : dropped) bytes_ -= each.memory->size();
    if (memory->size() > kMostBytes - bytes_) return;
    bytes_ += memory->size();
    free_.push_back({context, std::move(memory)});
  }

  std::mutex mutex_;
  std::vector<Free> free_;
  std::size_t bytes_ = 0;  // of the free memory
};

}  // namespace

std::shared_ptr<backend::PinnedMemory> take_staging(const std::shared_ptr<ContextState>& context,
                                                    std::size_t nbytes) {
  return StagingPool::instance().take(context, nbytes);
}

}  // namespace quern::detail
