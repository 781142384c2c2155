// SPDX-License-Identifier: MIT
// What a thread does while it waits for a device or a compiler.
#pragma once

#include "quern/api.hpp"

namespace QUERN_API quern {

// Waits of the library that may take long call this now and then, without a lock that the hook might need.
// What it throws ends the wait and comes to the caller: Python's KeyboardInterrupt. A compiler that was
// waited for is killed. Null: nothing.
void set_wait_hook(void (*hook)());

}  // namespace quern
