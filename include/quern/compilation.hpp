// SPDX-License-Identifier: MIT
// Control over when kernels of array expressions are compiled. On the host a new expression runs at once on
// precompiled loops of the library. Once it has been used enough, its kernel is compiled in the background
// and replaces the loops.
#pragma once

#include <cstdint>

#include "quern/api.hpp"

namespace QUERN_API quern {

// Waits until all background compilations are finished, so that the next evaluations use compiled kernels.
void finish_compilation();

// When precompiled loops replace compiled kernels. QUERN_HOST_LOOPS=never or =only sets it for the process.
// Both are for tests and comparisons.
enum class HostLoopUse : std::uint8_t {
  until_compiled,
  never,  // a kernel is compiled when it is first launched
  only,   // no kernel is compiled
};
HostLoopUse host_loop_use();
void set_host_loop_use(HostLoopUse use);

}  // namespace quern
