// SPDX-License-Identifier: MIT
// When a launch calls a function of the library instead of a kernel that a compiler makes.
#pragma once

#include <cstdint>

#include "quern/queue.hpp"

namespace quern::algorithms {

// Whether the queue's device calls functions. Functions written by hand that are as fast as their kernel
// replace it on such devices.
bool calls_functions(const Queue& queue);

// Whether the device calls functions, and QUERN_HOST_LOOPS and QUERN_LOOPS allow it.
bool may_call_functions(const Queue& queue);

// Whether to run programs that the library holds instead of generating one for so many elements: always
// without a compiler or with QUERN_HOST_LOOPS=only, never with QUERN_HOST_LOOPS=never or on devices that
// cannot call functions, otherwise if the elements are few.
bool prefers_library(const Queue& queue, std::uint64_t elements);

}  // namespace quern::algorithms
