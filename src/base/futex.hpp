// SPDX-License-Identifier: MIT
// Sleeping on an atomic word, like std::atomic::wait, with a deadline and a limit on how many threads to
// wake.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace quern::futex {

using Word = std::atomic<std::uint32_t>;

// Sleeps until the word differs from `expected`, another thread wakes it, or the deadline has passed;
// spurious wake-ups are possible.
void wait(
    Word& word, std::uint32_t expected,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max()) noexcept;

// Wakes at most `count` threads that sleep on the word. Change the word before this call.
void wake(Word& word, int count) noexcept;
void wake_all(Word& word) noexcept;

// Tells the core that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace quern::futex
