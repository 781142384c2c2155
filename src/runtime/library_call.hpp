// SPDX-License-Identifier: MIT
// A call of another library that enqueues work on a queue. It is ordered, profiled and kept alive as a launch
// is.
#pragma once

#include <atomic>
#include <cstddef>
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

// The native handle of the whole memory, and the offset in it in bytes.
struct LibraryMemory {
  std::uintptr_t handle;
  std::size_t offset;
};

// What the function gets: the native handle of the queue, and each memory in order. Its address is the sum of
// handle and offset, unless handles are objects, as in OpenCL.
struct LibraryArguments {
  std::uintptr_t queue;
  std::span<const std::uintptr_t> addresses;
  std::span<const LibraryMemory> memories;
};

// Counts what is kept for later calls of libraries, for stats(): plans of transforms and algorithms of
// products. Each cache has a limit of its own.
struct LibraryPlans {
  std::atomic<std::size_t> entries{0}, bytes{0};
  void add(std::size_t count, std::size_t nbytes) {
    entries += count;
    bytes += nbytes;
  }
  void remove(std::size_t count, std::size_t nbytes) {
    entries -= count;
    bytes -= nbytes;
  }
};
inline constinit LibraryPlans library_plans;

// Whether the function enqueues work on the queue's native handle, or computes on the thread that calls it.
// Only the host's queues take the second kind: its failure is a deferred error of the memory that it writes.
enum class LibraryCall : std::uint8_t { enqueues, computes };

// `name` is the library's function, for profiles, and lives as long as the program. `function` may be called
// later, on another thread, and throws on failure. The queue's context is current.
Event call_library(const Queue& queue, const char* name, std::span<const LibraryUse> uses,
                   std::function<void(const LibraryArguments&)> function, WaitList wait_for = {},
                   LibraryCall kind = LibraryCall::enqueues);

}  // namespace quern::detail
