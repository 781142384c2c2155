// SPDX-License-Identifier: MIT
// A call of another library that enqueues work on a queue. It is ordered, profiled and kept alive as a launch
// is.
#pragma once

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

// Whether the function enqueues work on the queue's native handle, or computes on the thread that calls it.
// Only the host's queues take the second kind: its failure is a deferred error of the memory that it writes.
enum class LibraryCall : std::uint8_t { enqueues, computes };

// `name` is the library's function, for profiles, and lives as long as the program. `function` may be called
// later, on another thread, and throws on failure. The queue's context is current.
Event call_library(const Queue& queue, const char* name, std::span<const LibraryUse> uses,
                   std::function<void(const LibraryArguments&)> function, WaitList wait_for = {},
                   LibraryCall kind = LibraryCall::enqueues);
// The same for a function that computes: waits for it, and runs it on this thread when its turn has come, if
// nothing but other operations of host queues delays it.
void compute_here(const Queue& queue, const char* name, std::span<const LibraryUse> uses,
                  std::function<void(const LibraryArguments&)> function);

// Calls the function on this thread, with the context of the queue's device current and the native handle of
// another queue of the device. The queue does not record the call, so it is only for questions to a library.
void call_beside(const Queue& queue, const std::function<void(std::uintptr_t native)>& function);

}  // namespace quern::detail
