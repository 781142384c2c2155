// SPDX-License-Identifier: MIT
// How a rank pauses between two looks at messages.
#pragma once

#include <chrono>

#include "base/thread_pool.hpp"
#include "distributed/transport.hpp"

namespace quern::distributed {

// First not at all, then by giving the processor to others, and by sleeping once the wait is no longer brief:
// a sleep of 20 us takes about 70, and an operation that needs several messages one after the other would
// wait as often.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Backoff(Transport& transport) noexcept : transport_(transport) {}

  // Returns false, without a look at the clock, for the first rounds.
  bool pause() {
    if (++rounds_ < kSpins) return false;
    if (rounds_ == kSpins) start_ = now_ = Clock::now();
    constexpr std::chrono::microseconds kBriefBesideKernels{100};
    const auto brief =
        ThreadPool::instance().has_idle_processor() ? transport_.brief_wait() : kBriefBesideKernels;
    transport_.pause(std::chrono::microseconds(now_ - start_ < brief ? 10 : 200));
    now_ = Clock::now();
    return true;
  }
  // After the last pause().
  [[nodiscard]] Clock::time_point now() const noexcept { return now_; }

 private:
  static constexpr unsigned kSpins = 500;

  Transport& transport_;
  unsigned rounds_ = 0;
  Clock::time_point start_{}, now_{};
};

}  // namespace quern::distributed
