// SPDX-License-Identifier: MIT
// Copies strided elements of any type.
#pragma once

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Copies elements of the same type, broadcast to the target, which has elements. Source and target share no
// memory.
Event copy_elements(const Queue& queue, const Array& source, const Array& target);

}  // namespace quern::algorithms
