// SPDX-License-Identifier: MIT
// Elementwise kernels of known types: the source, and the kernels that are generated from it for operands of
// different layouts.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/host/host_loops.hpp"
#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/launch/operands.hpp"
#include "codegen/emit_elementwise.hpp"

namespace quern::algorithms {

class ElementwiseProgram {
 public:
  ElementwiseProgram(codegen::ElementwiseSource source, std::vector<std::string> options)
      : source_(std::move(source)),
        symbol_(codegen::symbol_of(source_.name)),
        kernels_(source_.name, std::move(options)) {}
  // For an expression, which the precompiled loops of the host may run as well.
  ElementwiseProgram(const codegen::Expression& expression, const std::string& name)
      : ElementwiseProgram(expression.elementwise(name), {}) {
    loops_ = HostLoops::of(expression);
  }

  Event launch(const Queue& queue, std::span<const KernelArgument> arguments,
               const std::optional<IndexRange>& range, WaitList wait_for) const;
  // Allocates the outputs that are null, in the broadcast shape of the other operands.
  std::vector<Array> allocate_outputs(const Queue& queue, std::span<KernelArgument> arguments,
                                      const std::optional<IndexRange>& range = {}) const;
  [[nodiscard]] std::string text(const Queue& queue, std::span<const KernelArgument> arguments,
                                 const std::optional<IndexRange>& range) const {
    return kernels_.program_text(codegen::emit_elementwise(source_, plan(queue, arguments, range).variant));
  }
  [[nodiscard]] const codegen::ElementwiseSource& source() const noexcept { return source_; }
  [[nodiscard]] bool is_output(std::size_t argument) const noexcept {
    const codegen::Operand& operand = source_.operands[argument];
    return operand.is_element && (operand.use.assigns_first || operand.is_named_output);
  }

 private:
  // The loop for the operands of a call.
  struct Plan {
    BoundOperands bound;
    codegen::IndexSpace space;
    codegen::LoopVariant variant;
  };
  [[nodiscard]] Plan plan(const Queue& queue, std::span<const KernelArgument> arguments,
                          const std::optional<IndexRange>& range) const;

  // A call with contiguous arrays of one shape on a GPU, which is the usual case. These properties alone
  // determine the kernel, which is therefore looked up only once.
  struct ContiguousCall {
    std::int64_t size;
    bool aliased, many, whole;
    [[nodiscard]] std::size_t number() const noexcept {
      return (aliased ? 1U : 0U) | (many ? 2U : 0U) | (whole ? 4U : 0U);
    }
  };
  [[nodiscard]] std::optional<ContiguousCall> contiguous_call(
      const Queue& queue, std::span<const KernelArgument> arguments) const;
  Event launch_contiguous(const ContiguousCall& call, const Queue& queue,
                          std::span<const KernelArgument> arguments, WaitList wait_for) const;

  codegen::ElementwiseSource source_;
  std::string symbol_;  // of the kernel
  GeneratedKernels kernels_;
  std::shared_ptr<const HostLoops> loops_;  // null if a precompiled loop is missing
  struct ContiguousKernel {
    std::atomic<const Kernel*> kernel{nullptr};
    std::atomic<std::size_t> elements{1};  // per work-item
  };
  mutable std::array<ContiguousKernel, 8> contiguous_kernels_;  // indexed by ContiguousCall::number()
};

}  // namespace quern::algorithms
