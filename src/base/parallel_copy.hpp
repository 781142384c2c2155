// SPDX-License-Identifier: MIT
// memcpy with all the threads it deserves.
#pragma once

#include <cstddef>

namespace quern {

// Copies like memcpy; large copies are spread over the thread pool, the caller working along.
void parallel_copy(void* to, const void* from, std::size_t nbytes);

}  // namespace quern
