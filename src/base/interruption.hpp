// SPDX-License-Identifier: MIT
// How a program ends a wait of the library early.
#pragma once

#include <chrono>
#include <mutex>

namespace quern {

// Calls the hook of quern/waiting.hpp, if there is one, and lets pass what it throws. Waits for other
// processes or threads call this every few milliseconds, outside every lock that a thread may wait for while
// it holds the interpreter's.
void check_interruption();
[[nodiscard]] bool has_wait_hook() noexcept;

// Waits for a lock that another thread may have for as long as a compiler takes.
inline std::unique_lock<std::timed_mutex> lock_interruptibly(std::timed_mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20))) check_interruption();
  return lock;
}

}  // namespace quern
