// SPDX-License-Identifier: MIT
// Draws on the host by precompiled kernels of the library, so that no draw waits for a compiler. They are
// compiled from the same source as other kernels, and as fast.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "array/node.hpp"
#include "quern/queue.hpp"

namespace quern::random {

// Runs a kernel of codegen::random_loops(), on a device that calls functions, over this many work-items, in
// groups of `group`. Its first argument is the memory; the other arguments are these bytes.
Event call_function(const Queue& queue, const std::string& name, std::size_t items, std::size_t group,
                    const Buffer& out, std::span<const array::NumberBytes> arguments, WaitList wait_for);

}  // namespace quern::random
