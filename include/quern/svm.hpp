// SPDX-License-Identifier: MIT
// Shared virtual memory: arrays that have one address on the host and on a device, so that structures in it
// may hold pointers that both follow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

enum class SvmGrain : std::uint8_t {
  none,    // the device has no shared virtual memory
  coarse,  // the host accesses it only in maps
  fine,    // the host may access it whenever no enqueued operation uses it
};
// The finest that the device has.
[[nodiscard]] SvmGrain svm_grain(const Device& device);

// Uninitialised shared virtual memory: ordinary memory on the host, clSVMAlloc on OpenCL, managed memory on
// CUDA, of which at most as much as is free on the device. It does not come from the pool. Throws
// ArgumentError if the device has none of that grain.
//
// Operations record uses of their arguments. A kernel that follows pointers into other shared memory does so
// unrecorded: order it by events.
[[nodiscard]] Buffer svm_buffer(const Queue& queue, std::size_t nbytes, SvmGrain grain = SvmGrain::coarse);
[[nodiscard]] Array svm_empty(const Queue& queue, Shape shape, DType dtype,
                              SvmGrain grain = SvmGrain::coarse);

}  // namespace quern
