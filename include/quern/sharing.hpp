// SPDX-License-Identifier: MIT
// Memory that others use too: lending it, and ordering their work and ours.
#pragma once

#include <cstdint>
#include <memory>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// While `keep` lives, others may use the memory, and it stays: as after Buffer::share(), expressions that
// read it are enqueued where they are written. Afterwards they are lazy again.
struct Loan {
  std::uintptr_t native_handle = 0;  // as Buffer's
  std::shared_ptr<void> keep;
};
[[nodiscard]] Loan lend(const Buffer& buffer);

// For a queue that others enqueue on, too (Queue::wrap): what comes to it from here on runs after everything
// that is enqueued on the memory. Waits only where the device cannot do it by itself.
void order_after_uses(const Queue& theirs, const Buffer& buffer);

// For memory that others have filled, on this queue or before: whoever uses it on another queue from here on
// does so after what is on this one.
Event note_filled(const Queue& queue, const Buffer& buffer);

// An array in memory that somebody else owns and that has been filled, or is by what is on the queue. The
// first element is so many bytes from the native handle (cl_mem, CUdeviceptr, host pointer). Throws
// ArgumentError for elements that reach further than memory does, or are not aligned.
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
