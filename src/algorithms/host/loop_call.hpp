// SPDX-License-Identifier: MIT
// Packs the arguments of the kernels that run precompiled loops: addresses and strides of operands as words.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "algorithms/host/loop_program.hpp"
#include "algorithms/launch/operands.hpp"
#include "algorithms/launch/precompiled_kernels.hpp"

namespace quern::algorithms {

// The words of a LoopCall, and the memory that they refer to.
struct PackedCall {
  std::vector<std::int64_t> words;
  std::vector<detail::PrecompiledKernel::Memory> memory;
};

// Throws ArgumentError if an argument's memory cannot be used.
PackedCall pack_call(const LoopProgram& program, std::span<const KernelArgument> arguments,
                     const BoundOperands& bound, const codegen::IndexSpace& space, bool stores);

}  // namespace quern::algorithms
