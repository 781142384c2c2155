// SPDX-License-Identifier: MIT
// The loops over single operations that are compiled into the library, for the processor that is here.
#pragma once

#include "codegen/host_loops.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

// Null where the library has no such loop. `op` is null for conversions.
quern_kernel_function* host_loop(const codegen::Op* op, Scalar operand, Scalar result);
// A part of a reduction.
quern_kernel_function* reducing_loop(codegen::HostLoop::Kind kind, const codegen::Op* op, Scalar operand);
// Chooses between elements of so many bytes.
quern_kernel_function* choosing_loop(std::size_t itemsize);

// By set of instructions, the best first; by type; in the order of codegen::host_loops(). Written by the
// build.
extern quern_kernel_function* const* const kHostLoopSets[][codegen::kHostLoopTypes];

}  // namespace quern::algorithms
