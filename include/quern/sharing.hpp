// SPDX-License-Identifier: MIT
// Sharing memory with other code: lending it, and ordering its work and ours.
#pragma once

#include <cstdint>
#include <memory>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// While `keep` lives, other code may use the memory, which stays allocated: as after Buffer::share(),
// expressions that read it are enqueued at once. Afterwards they are lazy again.
struct Loan {
  std::uintptr_t native_handle = 0;  // as in Buffer
  std::shared_ptr<void> keep;
};
[[nodiscard]] Loan lend(const Buffer& buffer);

// For a queue that other code also uses (Queue::wrap): work that it enqueues from now on runs after all work
// enqueued on the memory. Waits only if the device cannot order the work itself.
void order_after_uses(const Queue& theirs, const Buffer& buffer);

// For memory that other code has filled, on this queue or before: operations on other queues that use it from
// now on run after the work on this queue.
Event note_filled(const Queue& queue, const Buffer& buffer);

// An array in memory of another owner, which is filled already or by work on the queue. The first element is
// `offset` bytes from the native handle (cl_mem, CUdeviceptr, host pointer). Throws ArgumentError for
// elements beyond the end of the memory and for misaligned elements.
struct ForeignMemory {
  std::uintptr_t native = 0;
  std::size_t byte_offset = 0;
  DType dtype;
  Shape shape;
  Strides strides;  // bytes
  Access access = Access::read_write;
};
Array wrap_array(const Queue& queue, ForeignMemory memory, std::shared_ptr<void> owner);

}  // namespace quern
