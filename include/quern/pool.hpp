// SPDX-License-Identifier: MIT
// The pool of a device: its use by queue, and allocators that supply its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quern/api.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// What the buffers take that were allocated for one queue.
struct QueuePoolStats {
  std::size_t in_use = 0;         // bytes in live buffers
  std::size_t in_pool = 0;        // bytes that were in buffers of this queue and wait for reuse
  std::size_t peak = 0;           // maximum of in_use so far
  std::uint64_t allocations = 0;  // buffers that were allocated
  std::uint64_t reused = 0;       // those of them that are memory of the pool
};
QueuePoolStats pool_stats(const Queue& queue);

// Supplies the memory of a device's buffers in place of the driver. Both functions may be called on any
// thread and must not enqueue work.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // Returns memory of `nbytes`: a cl_mem, a CUdeviceptr or a host address, of which the latter two are
  // multiples of 128. 0, std::bad_alloc and OutOfDeviceMemory mean that no memory is left: the pool then
  // returns the memory that it holds, and asks again. Other exceptions reach the caller who allocates.
  virtual std::uintptr_t allocate(std::size_t nbytes) = 0;
  // Takes memory back, once all enqueued work that uses it is done. No lock of the library is held.
  virtual void free(std::uintptr_t native, std::size_t nbytes) noexcept = 0;
};

struct AllocatorOptions {
  // The pool keeps freed memory for reuse until it is trimmed. Otherwise each buffer's memory is freed when
  // the buffer is gone and its work is done.
  bool pooled = true;
};

// Sets the allocator of the device's own context; null restores the driver's. Memory returns to the allocator
// that it came from, which lives as long. Free memory of the pool is returned now, after its pending uses.
void set_allocator(const Device& device, std::shared_ptr<Allocator> allocator, AllocatorOptions options = {});

}  // namespace quern
