// SPDX-License-Identifier: MIT
// How a program ends a wait of the library early.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

namespace quern {

// Calls the hook of quern/waiting.hpp, if there is one, and lets pass what it throws. Waits for other
// processes or threads call this every few milliseconds, outside every lock that a thread may wait for while
// it holds the interpreter's.
void check_interruption();
[[nodiscard]] bool has_wait_hook() noexcept;

// Waits for a lock that another thread may have for as long as a compiler takes.
// ThreadSanitizer of g++ 12 does not know how a std::timed_mutex is locked, so this looks now and then.
inline std::unique_lock<std::mutex> lock_interruptibly(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock.owns_lock()) {
    check_interruption();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

}  // namespace quern
