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

namespace quern::detail {
struct KernelInstance;
class QueueState;
}  // namespace quern::detail

namespace quern::algorithms {

class ElementwiseProgram {
 public:
  ElementwiseProgram(codegen::ElementwiseSource source, std::vector<std::string> options);
  // For an expression, which the precompiled loops of the host may run as well.
  ElementwiseProgram(const codegen::Expression& expression, const std::string& name)
      : ElementwiseProgram(expression.elementwise(name), {}) {
    loops_ = HostLoops::of(expression);
  }

  Event launch(const Queue& queue, std::span<const KernelArgument> arguments,
               const std::optional<IndexRange>& range, WaitList wait_for) const;
  // Launches the kernel for contiguous arrays of one shape on a GPU, which is the usual case and needs no
  // search for a loop. The arrays' elements and the numbers have the types of the program's arguments.
  // Returns false, and does nothing, if the memory needs another loop.
  struct ContiguousArgument {
    const ArrayMemory* memory = nullptr;  // null for a number
    const Shape* shape = nullptr;
    const DType* dtype = nullptr;
    const KernelArgument* number = nullptr;
  };
  using ContiguousArguments = InlineVector<ContiguousArgument, 8>;
  bool start_contiguous(const Queue& queue, std::span<const ContiguousArgument> arguments) const;
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

  // What determines the kernel of a call with contiguous arrays, which is therefore looked up only once.
  struct ContiguousVariant {
    bool aliased, many, whole;
    [[nodiscard]] std::size_t number() const noexcept {
      return (aliased ? 1U : 0U) | (many ? 2U : 0U) | (whole ? 4U : 0U);
    }
  };
  struct ContiguousKernel {
    std::atomic<const Kernel*> kernel{nullptr};
    std::atomic<std::size_t> elements{1};                              // per work-item
    mutable std::atomic<const detail::KernelInstance*> last{nullptr};  // of the device that used it last
  };
  // Returns the arguments if the types and kinds of all of them fit; otherwise none.
  [[nodiscard]] ContiguousArguments contiguous_arguments(std::span<const KernelArgument> arguments) const;
  const ContiguousKernel& contiguous_kernel(const ContiguousVariant& variant, const Queue& queue,
                                            std::span<const ContiguousArgument> arguments) const;
  static const detail::KernelInstance& contiguous_instance(const ContiguousKernel& kernel,
                                                           const detail::QueueState& queue);
  [[nodiscard]] bool takes_contiguous(const DeviceProperties& device) const;
  // Returns the number of elements, and sets the variant; 0 if the memory needs another loop.
  std::int64_t contiguous_size(const detail::QueueState& queue, std::span<const ContiguousArgument> arguments,
                               ContiguousVariant& variant) const;
  template <class Submit>
  bool with_contiguous_launch(detail::QueueState& queue, std::span<const ContiguousArgument> arguments,
                              const Queue& handle, const Submit& submit) const;

  // How the kernel uses an argument; a short copy of what source_ knows.
  struct Role {
    bool is_const, is_written;
  };
  std::vector<Role> roles_;
  codegen::ElementwiseSource source_;
  std::string symbol_;  // of the kernel
  GeneratedKernels kernels_;
  std::shared_ptr<const HostLoops> loops_;                      // null if a precompiled loop is missing
  mutable std::array<ContiguousKernel, 8> contiguous_kernels_;  // indexed by ContiguousVariant::number()
  bool has_doubles_ = false, has_halves_ = false;               // among the arguments
  bool takes_elements_ = true;                                  // all pointers are to elements
  std::size_t widest_ = 1;                                      // bytes of an element
};

}  // namespace quern::algorithms
