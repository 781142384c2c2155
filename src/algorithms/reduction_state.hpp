// SPDX-License-Identifier: MIT
// The state of a ReductionKernel.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "algorithms/host/reduction_loops.hpp"
#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/reduction_plan.hpp"
#include "quern/error.hpp"
#include "quern/reduction.hpp"

namespace quern::detail {

class ReductionState {
 public:
  ReductionState(const DType& dtype_, std::string type, const std::string& neutral,
                 const std::string& reduce_expr, const std::string& map_expr, const std::string& arguments,
                 GeneratorOptions options)
      : dtype(dtype_),
        source{options.name.empty() ? "reduction_kernel" : options.name,
               options.preamble,
               type,
               dtype_.itemsize,
               dtype_.scalar != Scalar::structure && dtype_.lanes == 1,
               neutral,
               reduce_expr,
               {},
               codegen::Snippet(map_expr, codegen::Snippet::Form::indexed, "map_expr")},
        // The second pass reduces the partial results of the first one.
        parts{source.name + "_parts",
              source.preamble,
              source.item,
              source.item_size,
              source.is_number,
              source.neutral,
              source.reduce,
              {},
              codegen::Snippet("quern_part[i]", codegen::Snippet::Form::indexed, "map_expr")},
        kernels(source.name, options.options) {
    (void)codegen::Snippet(reduce_expr, codegen::Snippet::Form::named, "reduce_expr");
    (void)codegen::Snippet(neutral, codegen::Snippet::Form::named, "neutral");
    constexpr std::array<std::string_view, 1> kReserved = {"i"};
    const codegen::Preamble preamble = algorithms::preamble_of(options);
    const std::vector<codegen::Argument> declared = codegen::parse_arguments(arguments, preamble, kReserved);
    source.operands =
        codegen::operands_of(declared, {&source.map}, preamble, codegen::Snippet::Form::indexed);
    for (const codegen::Operand& operand : source.operands) {
      if (operand.use.writes) {
        throw ArgumentError(ArgumentError::Kind::value,
                            "map_expr must not assign to '" + operand.argument.parameter.name + "'");
      }
    }
    parts.operands =
        codegen::operands_of(codegen::parse_arguments("const " + type + " *quern_part", preamble),
                             {&parts.map}, preamble, codegen::Snippet::Form::indexed);
    signature.name = source.name;
    for (const codegen::Argument& argument : declared) signature.parameters.push_back(argument.parameter);
  }

  // Makes GPU kernels store results of another dtype, divided by the `divisor` of launch().
  void finish_as(const DType& result);
  [[nodiscard]] bool finishes_on(const Queue& queue) const;

  // Returns all results as a new array. `shape` is the reduced shape if the operands do not have it.
  Array launch(const Queue& queue, std::span<const KernelArgument> arguments,
               const ReductionKernel::Over& over, WaitList wait_for, const std::optional<Shape>& shape = {},
               double divisor = 1) const;
  Event run(const codegen::ReductionSource& text, algorithms::ReductionPass pass, const Queue& queue,
            std::span<const KernelArgument> arguments, const Array& out,
            const std::optional<IndexRange>& range, WaitList wait_for, double divisor = 1) const;

  DType dtype;
  codegen::ReductionSource source, parts;
  algorithms::GeneratedKernels kernels;
  Signature signature;
  // Precompiled loops that run until the kernel is compiled; null if there are none.
  std::shared_ptr<const algorithms::ReductionLoops> loops;
  std::optional<DType> finished;  // the dtype of finish_as()
  // For argmin and argmax, whose elements are structures of value and index: finds the index without such
  // structures.
  std::shared_ptr<const algorithms::ReductionLoops> finder;

 private:
  Event launch_kernel(const Kernel& kernel, const algorithms::ReductionPass& pass, const Queue& queue,
                      std::span<const KernelArgument> arguments, const Array& target,
                      const std::optional<IndexRange>& range, WaitList wait_for, double divisor) const;
};

}  // namespace quern::detail
