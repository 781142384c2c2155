// SPDX-License-Identifier: MIT
// Reduces expressions with the library's precompiled loops. It uses the same segments and lanes as the
// generated kernels, so that results are bitwise equal.
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
class PrecompiledKernels;

class ReductionLoops {
 public:
  using Neutral = std::array<std::byte, 16>;  // one element of the reduced type

  // A reduction of the expression's single output by an operation of the table. Null if the library lacks a
  // loop.
  static std::shared_ptr<const ReductionLoops> of(const codegen::Expression& map, std::string_view op,
                                                  const Neutral& neutral);
  // Finds the position of the first minimum (op "minimum") or maximum (op "maximum").
  static std::shared_ptr<const ReductionLoops> finding(const codegen::Expression& map, std::string_view op);

  // See HostLoops::are_best().
  [[nodiscard]] bool are_best(bool is_of_parts) const;
  // Runs one pass like the generated kernel: over the map's arguments, or over the partial results of an
  // earlier pass. Returns nothing if the device does not run precompiled kernels.
  std::optional<Event> launch(const Queue& queue, const ReductionPass& pass,
                              std::span<const KernelArgument> arguments, bool is_of_parts,
                              const Array& target, WaitList wait_for) const;
  // Returns the indices along the reduced axes, for loops of finding().
  std::optional<Array> find(const Queue& queue, ReductionPass pass, std::span<const KernelArgument> arguments,
                            const Shape& shape) const;

 private:
  std::optional<Event> enqueue(const Queue& queue, const ReductionPass& pass,
                               std::span<const KernelArgument> arguments, std::size_t program,
                               std::span<const Array> targets, WaitList wait_for) const;

  // The first is for the map's arguments, the second for partial results.
  std::array<std::shared_ptr<const ReductionLoopProgram>, 2> programs_;
  std::array<std::shared_ptr<PrecompiledKernels>, 2> kernels_;
  DType item_;
};

}  // namespace quern::algorithms
