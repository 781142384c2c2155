// SPDX-License-Identifier: MIT
// Copies strided elements on the host without a compiler, as fast as its memory allows.
#pragma once

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// As copy_elements() of algorithms/copy.hpp. The queue's device calls functions.
Event copy_by_function(const Queue& queue, const Array& source, const Array& target);

}  // namespace quern::algorithms
