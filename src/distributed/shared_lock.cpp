// SPDX-License-Identifier: MIT
// Waiting for a lock: spinning first, then beside other work, with looks at its holder.
#include "distributed/shared_lock.hpp"

#include <sched.h>

#include "base/futex.hpp"
#include "base/interruption.hpp"

namespace quern::distributed {

void LockWait::pause(const SharedLock& lock) {
  constexpr unsigned kSpins = 64;
  constexpr auto kLook = std::chrono::milliseconds(100);
  if (++rounds_ < kSpins) {
    futex::relax();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (rounds_ == kSpins) start_ = now, next_look_ = now + kLook;
  if (now >= next_look_) {
    next_look_ = now + kLook;
    check_interruption();
    const int holder = lock.holder();
    if (holder >= 0)
      communicator_.check_rank(holder, call_,
                               std::chrono::duration_cast<std::chrono::milliseconds>(now - start_));
  }
  ::sched_yield();
}

void lock(SharedLock& lock, CommunicatorState& communicator, const Call& call) {
  LockWait wait(communicator, call);
  while (!lock.try_lock(communicator.rank())) wait.pause(lock);
}

}  // namespace quern::distributed
