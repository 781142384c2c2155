// SPDX-License-Identifier: MIT
// Fork and exit detection.
#include "base/process.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "quern/error.hpp"

namespace quern::process {
namespace {

std::atomic<bool> used{false};
std::atomic<bool> forked{false};
std::atomic<bool> exiting{false};

}  // namespace

void mark_used() noexcept {
  if (used.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
}

void check_not_forked() {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]] {
    throw ForkError(
        "this process was forked after Quern had been used, and drivers and threads do not survive a fork: "
        "start workers with the 'spawn' method, or fork before the first use of Quern");
  }
}

bool must_not_touch_drivers() noexcept {
  return forked.load(std::memory_order_relaxed) || exiting.load(std::memory_order_relaxed);
}

}  // namespace quern::process
