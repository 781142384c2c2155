// SPDX-License-Identifier: MIT
// Whether the calling thread is in an eager block: its launches then wait and throw their own errors.
#pragma once

namespace quern::detail {

// How many Eager objects exist on this thread.
inline constinit thread_local int eager_depth = 0;

}  // namespace quern::detail
