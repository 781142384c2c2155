// SPDX-License-Identifier: MIT
// What the buffers of one queue take from their pool.
#pragma once

#include "quern/pool.hpp"

namespace quern::detail {

// Guarded by the mutex of the pool. Blocks refer to it, so it may outlive its queue.
struct QueueMemory {
  QueuePoolStats stats;
};

}  // namespace quern::detail
