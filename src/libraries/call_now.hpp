// SPDX-License-Identifier: MIT
// Calls of libraries whose answers the caller needs at once, such as sizes of workspaces.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "quern/queue.hpp"
#include "runtime/library_call.hpp"

namespace quern::libraries {

// Returns when the function has returned, which is not when the work that it enqueued is done.
inline void call_now(const Queue& queue, const char* name, std::span<const detail::LibraryUse> uses,
                     std::function<void(const detail::LibraryArguments&)> function) {
  const auto is_done = std::make_shared<std::atomic<bool>>(false);  // another thread runs what is held back
  const Event called = detail::call_library(
      queue, name, uses,
      [is_done, function = std::move(function)](const detail::LibraryArguments& arguments) {
        function(arguments);
        is_done->store(true, std::memory_order_release);
      });
  if (!is_done->load(std::memory_order_acquire)) called.wait();
}

}  // namespace quern::libraries
