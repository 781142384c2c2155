// SPDX-License-Identifier: MIT
// A parallel memcpy.
#pragma once

#include <cstddef>

namespace quern {

// Copies like memcpy; large copies are spread over the thread pool and the calling thread.
void parallel_copy(void* to, const void* from, std::size_t nbytes);

}  // namespace quern
