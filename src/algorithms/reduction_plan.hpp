// SPDX-License-Identifier: MIT
// Plans reductions: the loops, the number of work-items and the number of partial results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/launch/operands.hpp"
#include "codegen/emit_reduction.hpp"
#include "quern/reduction.hpp"

namespace quern::algorithms {

// One pass over the operands.
struct ReductionPass {
  BoundOperands bound;
  codegen::IndexSpace reduced, kept;
  codegen::ReductionVariant variant;
  std::int64_t outputs = 1, total = 1, segments = 1, chunk = 0;
};

// Returns the pass over the user's operands and the shape of the result. The reduced shape is `given`, or the
// operands' broadcast shape. Throws ArgumentError.
std::pair<ReductionPass, Shape> first_pass(const codegen::ReductionSource& source, const Queue& queue,
                                           std::span<const KernelArgument> arguments,
                                           const ReductionKernel::Over& over,
                                           const std::optional<Shape>& given = {});

// Chooses the variant, the number of segments and their length for a pass whose operands and loops are known.
void plan_pass(const codegen::ReductionSource& source, ReductionPass& pass, const DeviceProperties& device);

Range launch_range(const ReductionPass& pass, std::size_t item_size, const DeviceProperties& device);

}  // namespace quern::algorithms
