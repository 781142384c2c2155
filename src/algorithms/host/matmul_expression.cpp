// SPDX-License-Identifier: MIT
// Expressions over the elements of a matrix product on the host.
#include "algorithms/host/matmul_expression.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/host/loop_call.hpp"
#include "algorithms/host/matmul_loops.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/matmul_expression.hpp"

namespace quern::algorithms {

BlockLoops::BlockLoops(std::shared_ptr<const LoopProgram> program) : program_(std::move(program)) {
  if (program_)
    kernels_ = std::make_shared<PrecompiledKernels>("matmul_expression", &multiply_matrices,
                                                    kExpressionScratch + program_->scratch_bytes(), program_);
}

std::shared_ptr<const BlockLoops> block_loops(const codegen::Expression& expression) {
  static auto* const known = new ProgramTable<codegen::Expression::Key, BlockLoops,
                                              codegen::Expression::KeyHash>;  // never destroyed
  auto loops = known->get(expression.key(), [&] {
    auto program = std::make_shared<LoopProgram>();
    if (!make_program(expression, *program)) program = nullptr;
    return std::make_shared<const BlockLoops>(std::move(program));
  });
  return loops->has_all() ? loops : nullptr;
}

PackedExpression pack_expression(const ProductExpression& expression, const Array& out, std::int64_t pitch) {
  const LoopProgram& program = expression.loops->program();
  const std::size_t rank = out.shape().size();
  codegen::IndexSpace space;
  for (std::size_t d = rank; d-- > 0;) space.lengths.push_back(out.shape()[d]);
  std::vector<KernelArgument> arguments;
  BoundOperands bound;
  const auto bind = [&](const Array& array, std::size_t argument, bool is_written) {
    BoundOperand operand;
    operand.argument = argument;
    operand.given = &array.buffer();
    operand.itemsize = array.dtype().itemsize;
    operand.offset = array.offset();
    operand.written = is_written;
    bound.push_back(std::move(operand));
    codegen::Lengths strides;
    for (std::size_t d = rank; d-- > 0;)
      strides.push_back(array.strides()[d] / static_cast<std::int64_t>(array.dtype().itemsize));
    space.strides.push_back(std::move(strides));
  };
  PackedExpression packed;
  packed.is_in_scratch = expression.dtype != out.dtype();
  for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
    const ProductExpression::Argument& argument = expression.arguments[k];
    if (argument.array) {
      arguments.emplace_back(*argument.array);
      bind(*argument.array, k, false);
    } else if (k == expression.product) {
      arguments.emplace_back(out);
      if (!packed.is_in_scratch) bind(out, k, false);
    } else {
      arguments.emplace_back(std::span(argument.number.data(), argument.number_bytes));
    }
  }
  arguments.emplace_back(out);
  bind(out, expression.arguments.size(), true);
  PackedCall call = pack_call(program, arguments, bound, space, true);
  if (packed.is_in_scratch) {
    // Rows and columns are those of the result; the kernel passes an address that fits them.
    std::int64_t* const operand = call.words.data() + sizeof(LoopCall) / sizeof(std::int64_t) + rank +
                                  expression.product * (kOperandWords + rank);
    const auto item = static_cast<std::int64_t>(expression.dtype.itemsize);
    std::fill_n(operand, kOperandWords + rank, 0);
    operand[0] = std::ssize(call.memory);
    operand[kOperandWords] = item;
    operand[kOperandWords + 1] = pitch * item;
  }
  packed.words = std::move(call.words);
  packed.memory = std::move(call.memory);
  return packed;
}

ExpressionBlocks::ExpressionBlocks(const quern_launch* launch, const ProductCall& call, std::byte* scratch)
    : call_(call), launch_(*launch) {
  const auto* const words = reinterpret_cast<const std::int64_t*>(&call + 1);
  block_ = static_cast<std::int64_t>(reinterpret_cast<const LoopCall*>(words)->program->block);
  arguments_[0] = words;
  const auto count = static_cast<std::size_t>(call.expression_pointers);
  for (std::size_t k = 0; k < count; ++k) arguments_[1 + k] = launch->arguments[4 + k];
  arguments_[1 + count] = static_cast<const void*>(&product_);
  launch_.arguments = arguments_.data();
  launch_.local_memory = scratch;
  evaluator_.emplace(&launch_, static_cast<std::uint64_t>(block_));
}

void ExpressionBlocks::run(std::int64_t start, std::int64_t count) {
  for (std::int64_t done = 0; done < count; done += block_) {
    evaluator_->evaluate(start + done, static_cast<std::uint64_t>(std::min(block_, count - done)));
    evaluator_->store_outputs();
  }
}

void ExpressionBlocks::run(const ProductBlock& block, std::int64_t rows, std::int64_t columns,
                           std::byte* product) {
  product_ = product;
  const std::int64_t start = (block.matrix * call_.m + block.row) * call_.n + block.column;
  if (columns == call_.n) return run(start, rows * columns);
  for (std::int64_t i = 0; i < rows; ++i) run(start + i * call_.n, columns);
}

}  // namespace quern::algorithms
