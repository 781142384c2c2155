// SPDX-License-Identifier: MIT
// Whether a thread that waits for events polls for them or sleeps.
#pragma once

#include <atomic>
#include <chrono>

#include "base/thread_pool.hpp"

namespace quern::detail {

// A thread that sleeps is woken 10 to 30 us late, and on a GPU the driver notifies it as late again. So a
// thread polls for at most kLongest of each wait, and only
// - while it waits for events,
// - if the wait before ended within kLongest, or little later if the thread slept: in a program that waits
//   longer, polling is not worth it,
// - if there is a processor for it beside the workers of the host device and other threads that poll.
// One thread uses an object.
class Spin {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kLongest{200};
  static constexpr std::chrono::microseconds kLongestAsleep{300};  // notification and waking included

  Spin() = default;
  Spin(const Spin&) = delete;
  Spin& operator=(const Spin&) = delete;
  ~Spin() { stop(); }

  // A wait begins.
  void begin() noexcept {
    since_ = Clock::now();
    is_in_vain_ = false;
  }
  // An event has ended the wait.
  void end() noexcept { is_short_ = Clock::now() - since_ <= (is_in_vain_ ? kLongest : kLongestAsleep); }

  // Whether the thread should poll once more. If not, it does not poll again before the next wait.
  [[nodiscard]] bool goes_on() noexcept {
    const ThreadPool& pool = ThreadPool::instance();
    const bool is_late = Clock::now() - since_ >= kLongest;
    is_in_vain_ = is_in_vain_ || (polls_ && is_late);
    if (is_short_ && pool.threads() > 1 && !is_late) {
      if (!polls_) polls_ = true, pollers.fetch_add(1, std::memory_order_relaxed);
      if (pollers.load(std::memory_order_relaxed) < pool.threads() && pool.has_idle_processor()) return true;
    }
    stop();
    return false;
  }
  // Whether the wait that begins now starts with polling.
  [[nodiscard]] bool starts() const noexcept { return is_short_; }
  void stop() noexcept {
    if (polls_) polls_ = false, pollers.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  static inline std::atomic<unsigned> pollers{0};  // threads that poll, including this one

  Clock::time_point since_{};
  bool is_short_ = true;
  bool polls_ = false;
  bool is_in_vain_ = false;  // polled for kLongest in this wait
};

}  // namespace quern::detail
