// SPDX-License-Identifier: MIT
// When the kernels of array expressions are compiled. On the host a new expression runs at once on loops that
// are part of the library; its kernel is compiled in the background, once it is worth that, and swapped in.
#pragma once

#include <cstdint>

#include "quern/api.hpp"

namespace QUERN_API quern {

// Waits until nothing that was evaluated so far is being compiled: what is evaluated next runs at full speed.
void finish_compilation();

// How far the loops stand in for kernels; QUERN_HOST_LOOPS=never or =only says it for a process. Both are for
// tests and comparisons.
enum class HostLoopUse : std::uint8_t {
  until_compiled,
  never,  // a kernel is compiled when it is first launched
  only,   // none is compiled
};
HostLoopUse host_loop_use();
void set_host_loop_use(HostLoopUse use);

}  // namespace quern
