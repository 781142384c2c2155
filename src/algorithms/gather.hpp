// SPDX-License-Identifier: MIT
// A gather for other algorithms, whose positions are in range.
#pragma once

#include <cstddef>

#include "quern/buffer.hpp"
#include "quern/dtype.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// out[i] = from[positions[i]] for n elements.
Event enqueue_gather(const Queue& queue, const DType& dtype, const Buffer& from, const Buffer& positions,
                     const DType& position_type, const Buffer& out, std::size_t n);

}  // namespace quern::algorithms
