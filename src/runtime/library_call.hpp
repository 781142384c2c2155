// SPDX-License-Identifier: MIT
// A call of another library that enqueues work on a queue. It is ordered, profiled and kept alive as a launch
// is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::detail {

// Memory that the library reads, or reads and writes.
struct LibraryUse {
  const Buffer* buffer;
  bool writes = false;
};

// What the function gets: the native handle of the queue, and the address of each memory in order.
struct LibraryArguments {
  std::uintptr_t queue;
  std::span<const std::uintptr_t> addresses;
};

// Whether the function enqueues work on the queue's native handle, or computes on the thread that calls it.
// Only the host's queues take the second kind: its failure is a deferred error of the memory that it writes.
enum class LibraryCall : std::uint8_t { enqueues, computes };

// `function` may be called later, on another thread, and throws on failure. The queue's context is current.
Event call_library(const Queue& queue, std::span<const LibraryUse> uses,
                   std::function<void(const LibraryArguments&)> function, WaitList wait_for = {},
                   LibraryCall kind = LibraryCall::enqueues);

}  // namespace quern::detail
