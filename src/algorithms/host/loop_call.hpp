// SPDX-License-Identifier: MIT
// How kernels of the host's loops are called: where operands lie, packed into words.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "algorithms/host/loop_program.hpp"
#include "algorithms/launch/embedded_kernels.hpp"
#include "algorithms/launch/operands.hpp"

namespace quern::algorithms {

// The words that LoopCall describes, and the memory they point to.
struct PackedCall {
  std::vector<std::int64_t> words;
  std::vector<detail::EmbeddedKernel::Memory> memory;
};

// Throws ArgumentError where memory may not be used so.
PackedCall pack_call(const LoopProgram& program, std::span<const KernelArgument> arguments,
                     const BoundOperands& bound, const codegen::IndexSpace& space, bool stores);

}  // namespace quern::algorithms
