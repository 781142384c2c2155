// SPDX-License-Identifier: MIT
// Locks in memory that ranks share.
#pragma once

#include <atomic>
#include <cstdint>

#include "distributed/communicator.hpp"

namespace quern::distributed {

// Zeroed memory is a free lock. It knows its holder, so that ranks do not wait forever for one that has died.
class alignas(64) SharedLock {
 public:
  [[nodiscard]] bool try_lock(int rank) noexcept {
    std::uint32_t free = 0;
    return holder_.load(std::memory_order_relaxed) == 0 &&
           holder_.compare_exchange_strong(free, static_cast<std::uint32_t>(rank) + 1,
                                           std::memory_order_acquire);
  }
  void unlock() noexcept { holder_.store(0, std::memory_order_release); }
  // -1 if it is free.
  [[nodiscard]] int holder() const noexcept {
    return static_cast<int>(holder_.load(std::memory_order_relaxed)) - 1;
  }

 private:
  std::atomic<std::uint32_t> holder_{0};  // rank + 1
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// A rank's wait for locks that others hold. It yields the processor, and throws DistributedError if a holder
// has died, is stopped, or does not release the lock in time.
class LockWait {
 public:
  LockWait(CommunicatorState& communicator, const Call& call) : communicator_(communicator), call_(call) {}
  // Called after each attempt that failed.
  void pause(const SharedLock& lock);

 private:
  CommunicatorState& communicator_;
  const Call& call_;
  unsigned rounds_ = 0;
  std::chrono::steady_clock::time_point start_, next_look_;
};

void lock(SharedLock& lock, CommunicatorState& communicator, const Call& call);

}  // namespace quern::distributed
