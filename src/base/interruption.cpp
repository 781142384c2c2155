// SPDX-License-Identifier: MIT
// The check that the program has given.
#include "base/interruption.hpp"

#include <atomic>

#include "quern/compilation.hpp"

namespace quern {
namespace {

std::atomic<void (*)()> current_check{nullptr};

}  // namespace

void check_interruption() {
  if (auto* const check = current_check.load(std::memory_order_acquire)) check();
}

void set_interruption_check(void (*check)()) {
  current_check.store(check, std::memory_order_release);
}

}  // namespace quern
