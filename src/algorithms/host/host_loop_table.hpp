// SPDX-License-Identifier: MIT
// The loops over single operations that are compiled into the library, for the processor that is here.
#pragma once

#include <cstddef>
#include <string>

#include "codegen/host_loops.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

// Null where the library has no such loop. `op` is null for conversions.
quern_kernel_function* host_loop(const codegen::Op* op, Scalar operand, Scalar result);
// A part of a reduction.
quern_kernel_function* reducing_loop(codegen::HostLoop::Kind kind, const codegen::Op* op, Scalar operand);
// Chooses between elements of so many bytes.
quern_kernel_function* choosing_loop(std::size_t itemsize);

// A kernel of codegen::random_loops(), by its name; null where there is none.
quern_kernel_function* random_loop(const std::string& name);

// By set of instructions, the best first; by type; in the order of codegen::host_loops(). Written by the
// build.
extern quern_kernel_function* const* const kHostLoopSets[][codegen::kHostLoopTypes];
// The same of random numbers, in the order of codegen::random_loops().
inline constexpr std::size_t kRandomLoops = 44;
extern quern_kernel_function* const* const kRandomLoopSets[][kRandomLoops];

}  // namespace quern::algorithms
