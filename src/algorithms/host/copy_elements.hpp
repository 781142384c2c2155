// SPDX-License-Identifier: MIT
// Copies of strided elements on the host, at the speed of its memory and without a compiler.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Elements of the same type, broadcast to the target, with which they share no memory; on a queue that calls
// functions of the library. The target has elements.
Event copy_elements(const Queue& queue, const Array& source, const Array& target);

}  // namespace quern::algorithms
