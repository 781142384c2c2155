// SPDX-License-Identifier: MIT
// Copies strided elements on the host without a compiler, as fast as its memory allows.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Copies elements, broadcast to the target. Both arrays have the same dtype and do not share memory. The
// queue's device must run precompiled kernels. The target must not be empty.
Event copy_elements(const Queue& queue, const Array& source, const Array& target);

}  // namespace quern::algorithms
