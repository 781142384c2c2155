// SPDX-License-Identifier: MIT
// Control over when kernels of array expressions are compiled. On the host a new expression runs at once on
// precompiled loops of the library. Once it has been used enough, its kernel is compiled in the background
// and replaces the loops.
#pragma once

#include <cstdint>

#include "quern/api.hpp"
#include "quern/properties.hpp"

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

// The loop structure of generated kernels. QUERN_LOOPS=grid or =chunks sets it for the process; the variable
// is read once. Both are for tests and comparisons. loop_structure() throws ArgumentError if the variable has
// another value: a user who sets it must not see the figures of another structure.
enum class LoopStructure : std::uint8_t {
  of_device,  // the one that suits the device
  grid,       // many work-items with a few neighbouring elements each, for GPUs
  chunks,     // a few work-items with long loops, for CPUs
};
LoopStructure loop_structure();
// The structure that suits a device: `grid` or `chunks`.
[[nodiscard]] inline LoopStructure best_loop_structure(const DeviceProperties& device) {
  return device.kind == DeviceKind::cpu ? LoopStructure::chunks : LoopStructure::grid;
}
void set_loop_structure(LoopStructure structure);

}  // namespace quern
