// SPDX-License-Identifier: MIT
// Expressions over the elements of a matrix product, computed by the host's precompiled loops for each block
// of the product while the block is in a cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/host/block_evaluator.hpp"
#include "algorithms/host/loop_program.hpp"
#include "algorithms/host/matmul_call.hpp"
#include "algorithms/launch/precompiled_kernels.hpp"

namespace quern::algorithms {

// The loops of one expression, and the kernel that multiplies matrices and calls them.
class BlockLoops {
 public:
  explicit BlockLoops(std::shared_ptr<const LoopProgram> program);

  [[nodiscard]] bool has_all() const noexcept { return program_ != nullptr; }
  [[nodiscard]] const LoopProgram& program() const noexcept { return *program_; }
  // The kernel has scratch memory for a product of any type and for the loops.
  [[nodiscard]] PrecompiledKernels& kernels() const noexcept { return *kernels_; }

 private:
  std::shared_ptr<const LoopProgram> program_;  // null if a loop is missing
  std::shared_ptr<PrecompiledKernels> kernels_;
};

// The words that follow a ProductCall, and the memory that they refer to. A product of the result's type is
// computed in the result's memory, others in scratch memory.
struct PackedExpression {
  std::vector<std::int64_t> words;
  std::vector<detail::PrecompiledKernel::Memory> memory;
  bool is_in_scratch = false;
};
PackedExpression pack_expression(const ProductExpression& expression, const Array& out, std::int64_t pitch);

// For the kernel: computes the expression for blocks of a product.
class ExpressionBlocks {
 public:
  // The scratch memory for the loops starts at `scratch`.
  ExpressionBlocks(const quern_launch* launch, const ProductCall& call, std::byte* scratch);
  ExpressionBlocks(const ExpressionBlocks&) = delete;
  ExpressionBlocks& operator=(const ExpressionBlocks&) = delete;

  // For elements of the result from number `start` on; the product is in the result's memory.
  void run(std::int64_t start, std::int64_t count);
  // For a block. If the product is in scratch memory, its element in row 0 and column 0 would be at
  // `product`.
  void run(const ProductBlock& block, std::int64_t rows, std::int64_t columns, std::byte* product);

 private:
  static constexpr std::size_t kMostPointers = 64;
  const ProductCall& call_;
  std::int64_t block_;
  std::byte* product_ = nullptr;
  std::array<const void*, kMostPointers> arguments_{};
  quern_launch launch_;
  std::optional<BlockEvaluator> evaluator_;
};

}  // namespace quern::algorithms
