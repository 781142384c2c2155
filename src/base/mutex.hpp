// SPDX-License-Identifier: MIT
// A mutex for locks that every launch takes.
#pragma once

#include <atomic>
#include <cstdint>

namespace quern {

// Locking and unlocking it are one inline atomic operation each, where std::mutex takes two function calls. A
// thread that must wait sleeps. Use it with std::lock_guard and std::unique_lock.
class Mutex {
 public:
  constexpr Mutex() noexcept = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  [[nodiscard]] bool try_lock() noexcept {
    State expected = kFree;
    return state_.compare_exchange_strong(expected, kLocked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  using State = std::int32_t;
  static constexpr State kFree = 0, kLocked = 1, kAwaited = 2;  // kAwaited: locked, and threads may sleep

  // The thread cannot know whether others sleep too, so it leaves the state that wakes one.
  void wait() noexcept {
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree)
      state_.wait(kAwaited, std::memory_order_relaxed);
  }

  std::atomic<State> state_{kFree};
};

}  // namespace quern
