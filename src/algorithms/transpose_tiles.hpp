// SPDX-License-Identifier: MIT
// Transposes a matrix tile by tile, on devices that compile kernels.
#pragma once

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Copies `source`, a contiguous matrix seen with its axes exchanged, to the contiguous `target` of the same
// shape and dtype.
Event transpose_tiles(const Queue& queue, const Array& source, const Array& target);

}  // namespace quern::algorithms
