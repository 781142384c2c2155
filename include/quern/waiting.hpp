// SPDX-License-Identifier: MIT
// A hook that threads call while they wait for a device or a compiler.
#pragma once

#include "quern/api.hpp"

namespace QUERN_API quern {

// Long waits of the library call this hook now and then, without holding a lock that the hook might need. An
// exception of the hook ends the wait and propagates to the caller, as Python's KeyboardInterrupt does. If a
// compiler was being waited for, it is killed. Null: no hook.
void set_wait_hook(void (*hook)());

}  // namespace quern
