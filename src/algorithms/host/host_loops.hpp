// SPDX-License-Identifier: MIT
// An expression run by the loops that are compiled into the library: operation after operation, on blocks of
// elements that stay in the cache. Needs no compiler; the results are those of the generated kernel.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/launch/operands.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {

struct LoopProgram;
class EmbeddedKernels;

class HostLoops {
 public:
  // Null where there is no loop for one of the operations.
  static std::shared_ptr<const HostLoops> of(const codegen::Expression& expression);

  // Whether the queue's device calls functions of the library.
  static bool runs_on(const Queue& queue);
  // Whether they are faster than the kernel, so that it is not worth compiling: a block of a random generator
  // gives several numbers, which only loops over neighbours take together.
  [[nodiscard]] bool are_best() const;
  // Arguments and operands are those of the expression's elementwise kernel. Nothing where the device does
  // not run them. Throws ArgumentError where memory may not be used so.
  std::optional<Event> launch(const Queue& queue, std::span<const KernelArgument> arguments,
                              const BoundOperands& bound, const codegen::IndexSpace& space,
                              WaitList wait_for) const;

 private:
  std::shared_ptr<const LoopProgram> program_;
  std::shared_ptr<EmbeddedKernels> kernels_;
};

}  // namespace quern::algorithms
