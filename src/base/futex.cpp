// SPDX-License-Identifier: MIT
// Linux futexes; elsewhere std::atomic's own waiting.
#include "base/futex.hpp"

#include <limits>
#include <thread>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#endif

namespace quern::futex {

using Clock = std::chrono::steady_clock;

#ifdef __linux__

void wait(Word& word, std::uint32_t expected, Clock::time_point deadline) noexcept {
  timespec until = {};
  timespec* timeout = nullptr;
  if (deadline != Clock::time_point::max()) {
    const auto since =
        deadline.time_since_epoch();  // steady_clock is CLOCK_MONOTONIC, as FUTEX_WAIT_BITSET is
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    until.tv_sec = static_cast<std::time_t>(seconds.count());
    until.tv_nsec = static_cast<long>(std::chrono::nanoseconds(since - seconds).count());
    if (until.tv_sec < 0) return;
    timeout = &until;
  }
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, timeout, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void wake(Word& word, int count) noexcept {
  if (count > 0) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void wake_all(Word& word) noexcept {
  wake(word, std::numeric_limits<int>::max());
}

#else

void wait(Word& word, std::uint32_t expected, Clock::time_point deadline) noexcept {
  if (deadline == Clock::time_point::max()) {
    word.wait(expected);
    return;
  }
  while (word.load() == expected && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void wake(Word& word, int count) noexcept {
  for (; count > 0; --count) word.notify_one();
}

void wake_all(Word& word) noexcept {
  word.notify_all();
}

#endif

}  // namespace quern::futex
