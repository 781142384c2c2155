// SPDX-License-Identifier: MIT
// Early end of the library's waits by the program.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

namespace quern {

// Calls the hook of quern/waiting.hpp, if there is one; its exceptions propagate. Waits for other processes
// or threads call this every few milliseconds, outside every lock that a thread may wait for while it holds
// the interpreter's lock.
void check_interruption();
[[nodiscard]] bool has_wait_hook() noexcept;

// Waits for a lock that another thread may hold as long as a compiler runs. It polls, because ThreadSanitizer
// of g++ 12 does not understand std::timed_mutex.
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
