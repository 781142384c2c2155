// SPDX-License-Identifier: MIT
// Converts the elements of an array to another dtype.
#include "algorithms/convert.hpp"

#include <array>
#include <memory>

#include "algorithms/elementwise_program.hpp"
#include "algorithms/launch/program_table.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {
namespace {

std::shared_ptr<const ElementwiseProgram> program_for(const DType& from, const DType& to) {
  // Never destroyed, because threads may use it until the process ends.
  static auto* const table = new ProgramTable<unsigned, ElementwiseProgram>;
  return table->get(static_cast<unsigned>(from.scalar) << 8 | static_cast<unsigned>(to.scalar), [&] {
    codegen::Expression expression;
    expression.output(expression.cast(expression.operand(from), to));
    return std::make_shared<const ElementwiseProgram>(expression, "convert");
  });
}

// The array with the dtype that expressions use for its elements in memory.
Array stored(const Array& array) {
  const ArrayMemory& memory = array.evaluate();
  return {memory.buffer, codegen::storage_of(array.dtype()), array.shape(), memory.strides, memory.offset};
}

}  // namespace

Event convert(const Queue& queue, const Array& from, const Array& to) {
  const std::array<Array, 2> arrays = {stored(from), stored(to)};
  const std::array<KernelArgument, 2> arguments = {arrays[0], arrays[1]};
  return program_for(from.dtype(), to.dtype())->launch(queue, arguments, {}, {});
}

Array converted(const Queue& queue, const Array& array, const DType& dtype) {
  if (array.dtype() == dtype) return array;
  Array result = empty(queue, array.shape(), dtype);
  convert(queue, array, result);
  return result;
}

}  // namespace quern::algorithms
