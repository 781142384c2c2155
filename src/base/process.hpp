// SPDX-License-Identifier: MIT
// State of the process: whether it was forked after use, and whether it is exiting.
#pragma once

namespace quern::process {

// Called before the first thread or driver starts. From then on a forked child cannot use the library.
void mark_used() noexcept;

// Throws ForkError in a child that was forked after mark_used().
void check_not_forked();

// True in such a child, where destructors must not touch drivers and threads, and once the process is
// exiting.
[[nodiscard]] bool must_not_touch_drivers() noexcept;

}  // namespace quern::process
