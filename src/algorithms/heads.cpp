// SPDX-License-Identifier: MIT
// Where the runs of equal elements start: neighbours are compared as two arrays.
#include "algorithms/heads.hpp"

#include <array>
#include <memory>

#include "algorithms/elementwise_program.hpp"
#include "algorithms/launch/program_table.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {
namespace {

std::shared_ptr<const ElementwiseProgram> program_for(const DType& dtype) {
  // Never destroyed, because threads may use it until the process ends.
  static auto* const table = new ProgramTable<Scalar, ElementwiseProgram>;
  return table->get(dtype.scalar, [&] {
    codegen::Expression expression;
    const codegen::Expression::Ref left = expression.operand(dtype), right = expression.operand(dtype);
    expression.output(expression.apply("not_equal", {left, right}));
    return std::make_shared<const ElementwiseProgram>(expression, "heads");
  });
}

}  // namespace

Array heads_of(const Queue& queue, const Array& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto itemsize = static_cast<std::int64_t>(x.dtype().itemsize);
  const Array heads = empty(queue, {n + 1}, DType::of(Scalar::boolean));
  const std::byte yes{1};
  queue.fill(heads.buffer(), {&yes, 1});
  if (n == 1) return heads;
  const DType stored = codegen::storage_of(x.dtype()), flag = codegen::storage_of(heads.dtype());
  const auto from = [&](std::size_t offset) {
    return Array(x.buffer(), stored, {n - 1}, {itemsize}, x.offset() + offset);
  };
  const std::array<Array, 3> arrays = {from(static_cast<std::size_t>(itemsize)), from(0),
                                       Array(heads.buffer(), flag, {n - 1}, {1}, 1)};
  const std::array<KernelArgument, 3> arguments = {arrays[0], arrays[1], arrays[2]};
  program_for(x.dtype())->launch(queue, arguments, {}, {});
  return heads;
}

}  // namespace quern::algorithms
