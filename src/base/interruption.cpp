// SPDX-License-Identifier: MIT
// The hook of quern/waiting.hpp.
#include "base/interruption.hpp"

#include <atomic>

#include "quern/waiting.hpp"

namespace quern {
namespace {

std::atomic<void (*)()> wait_hook{nullptr};

}  // namespace

void check_interruption() {
  if (auto* const hook = wait_hook.load(std::memory_order_acquire)) hook();
}

bool has_wait_hook() noexcept {
  return wait_hook.load(std::memory_order_relaxed) != nullptr;
}

void set_wait_hook(void (*hook)()) {
  wait_hook.store(hook, std::memory_order_release);
}

}  // namespace quern
