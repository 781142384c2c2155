// SPDX-License-Identifier: MIT
// Sleeping on an atomic word: what std::atomic::wait does, with a deadline and a choice of how many to wake.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace quern::futex {

using Word = std::atomic<std::uint32_t>;

// Sleeps until the word no longer holds `expected`, someone wakes it, or the deadline passed; may wake for no
// reason.
void wait(
    Word& word, std::uint32_t expected,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max()) noexcept;

// Wakes at most `count` of those asleep on the word. Whoever changes the word does so before this call.
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
