// SPDX-License-Identifier: MIT
// Reductions of expressions by the loops that are compiled into the library, with the same parts and lanes as
// the generated kernels have, so that the results are the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "algorithms/reduction_plan.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {

struct ReductionLoopProgram;
class EmbeddedKernels;

class ReductionLoops {
 public:
  using Neutral = std::array<std::byte, 16>;  // an element of the type that is reduced

  // Of what the expression's one output is, combined by an operation of the table; null where there is no
  // loop for something.
  static std::shared_ptr<const ReductionLoops> of(const codegen::Expression& map, std::string_view op,
                                                  const Neutral& neutral);
  // Of where the first of the least ("minimum") or the greatest ("maximum") is.
  static std::shared_ptr<const ReductionLoops> finding(const codegen::Expression& map, std::string_view op);

  // As HostLoops has it.
  [[nodiscard]] bool are_best(bool is_of_parts) const;
  // One pass, as the generated kernel would make it: over the map's arguments, or over the parts that such a
  // pass left. Nothing where the device does not run it.
  std::optional<Event> launch(const Queue& queue, const ReductionPass& pass,
                              std::span<const KernelArgument> arguments, bool is_of_parts,
                              const Array& target, WaitList wait_for) const;
  // The indices of what finding() finds, along the axes that are reduced.
  std::optional<Array> find(const Queue& queue, ReductionPass pass, std::span<const KernelArgument> arguments,
                            const Shape& shape) const;

 private:
  std::optional<Event> enqueue(const Queue& queue, const ReductionPass& pass,
                               std::span<const KernelArgument> arguments, std::size_t program,
                               std::span<const Array> targets, WaitList wait_for) const;

  // The first over the map's arguments, the second over parts.
  std::array<std::shared_ptr<const ReductionLoopProgram>, 2> programs_;
  std::array<std::shared_ptr<EmbeddedKernels>, 2> kernels_;
  DType item_;
};

}  // namespace quern::algorithms
