// SPDX-License-Identifier: MIT
// Runs an expression with the library's precompiled loops, one operation after the other, on blocks of
// elements that stay in the cache. It needs no compiler, and its results are those of the generated kernel.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/launch/operands.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {

struct LoopProgram;
class PrecompiledKernels;

class HostLoops {
 public:
  // Returns null if the library has no loop for one of the operations.
  static std::shared_ptr<const HostLoops> of(const codegen::Expression& expression);

  // Whether the loops are faster than the generated kernel, which is then not compiled. This is so for random
  // numbers: one block of the generator gives several numbers, and only loops over adjacent elements use all
  // of them.
  [[nodiscard]] bool are_best() const;
  // Arguments and operands are those of the expression's elementwise kernel. Returns nothing if the device
  // does not call functions. Throws ArgumentError if an argument's memory cannot be used.
  std::optional<Event> launch(const Queue& queue, std::span<const KernelArgument> arguments,
                              const BoundOperands& bound, const codegen::IndexSpace& space,
                              WaitList wait_for) const;

 private:
  std::shared_ptr<const LoopProgram> program_;
  std::shared_ptr<PrecompiledKernels> kernels_;
};

}  // namespace quern::algorithms
