// SPDX-License-Identifier: MIT
// What a thread does while it waits for a device.
#pragma once

namespace quern {

// Waits of the library that may take long call this now and then, without any lock. What it throws ends the wait
// and comes to the caller: Python's KeyboardInterrupt. Null: nothing.
void set_wait_hook(void (*hook)());

}  // namespace quern
