// SPDX-License-Identifier: MIT
// How kernels of the host's loops are called: where operands lie, packed into words, and one kernel for each
// context.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "algorithms/host/loop_program.hpp"
#include "algorithms/launch/operands.hpp"
#include "runtime/embedded_kernel.hpp"

namespace quern::algorithms {

// The words that LoopCall describes, and the memory they point to.
struct PackedCall {
  std::vector<std::int64_t> words;
  std::vector<detail::EmbeddedKernel::Memory> memory;
};

// Throws ArgumentError where memory may not be used so.
PackedCall pack_call(const LoopProgram& program, std::span<const KernelArgument> arguments,
                     const BoundOperands& bound, const codegen::IndexSpace& space, bool stores);

// A function of the library as a kernel of each context that it was launched in.
class LoopKernels {
 public:
  LoopKernels(const char* name, backend::EmbeddedFunction* function, std::size_t scratch,
              std::shared_ptr<const void> owner)
      : name_(name), function_(function), scratch_(scratch), owner_(std::move(owner)) {}
  // Null where the device cannot call it.
  std::shared_ptr<const detail::EmbeddedKernel> get(const Queue& queue);

 private:
  const char* name_;
  backend::EmbeddedFunction* function_;
  std::size_t scratch_;
  std::shared_ptr<const void> owner_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const detail::EmbeddedKernel>> known_;
};

}  // namespace quern::algorithms
