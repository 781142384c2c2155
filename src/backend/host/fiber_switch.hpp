// SPDX-License-Identifier: MIT
// The switch from one stack to another: a few instructions on known processors, ucontext elsewhere.
#pragma once

#include <cstddef>

namespace quern::backend::host {

// The continuation of a suspended flow of control. Null if there is none.
using Context = void*;

// Prepares a stack so that the first switch to it calls `start`, which never returns.
Context prepare_stack(void* low, std::size_t size, void (*start)());

// Suspends this flow, stores its continuation in `save`, and continues with `to`.
void switch_stack(Context& save, Context to);

}  // namespace quern::backend::host
