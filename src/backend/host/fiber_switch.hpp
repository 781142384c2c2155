// SPDX-License-Identifier: MIT
// The switch from one stack to another: a few instructions where we know the processor, ucontext elsewhere.
#pragma once

#include <cstddef>

namespace quern::backend::host {

// Where a suspended flow of control goes on. Null when there is none.
using Context = void*;

// Prepares a stack so that the first switch to it calls `start`, which never returns.
Context prepare_stack(void* low, std::size_t size, void (*start)());

// Suspends this flow, leaving in `save` where it goes on, and goes on with `to`.
void switch_stack(Context& save, Context to);

}  // namespace quern::backend::host
