// SPDX-License-Identifier: MIT
// Converts the elements of an array to another dtype.
#include "algorithms/convert.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "algorithms/elementwise_program.hpp"
#include "codegen/expression.hpp"

namespace quern::algorithms {
namespace {

const ElementwiseProgram& program_for(const DType& from, const DType& to) {
  struct Table {
    std::mutex mutex;
    std::map<std::pair<Scalar, Scalar>, std::unique_ptr<const ElementwiseProgram>> programs;
  };
  static auto* const table = new Table;  // never destroyed, because threads may use it until the process ends
  const std::lock_guard lock(table->mutex);
  auto& program = table->programs[{from.scalar, to.scalar}];
  if (!program) {
    codegen::Expression expression;
    expression.output(expression.cast(expression.operand(from), to));
    program = std::make_unique<const ElementwiseProgram>(expression, "convert");
  }
  return *program;
}

// The array with the dtype that expressions use for its elements in memory.
Array stored(const Array& array) {
  return {array.buffer(), codegen::storage_of(array.dtype()), array.shape(), array.strides(), array.offset()};
}

}  // namespace

Event convert(const Queue& queue, const Array& from, const Array& to) {
  const std::array<Array, 2> arrays = {stored(from), stored(to)};
  const std::array<KernelArgument, 2> arguments = {arrays[0], arrays[1]};
  return program_for(from.dtype(), to.dtype()).launch(queue, arguments, {}, {});
}

Array converted(const Queue& queue, const Array& array, const DType& dtype) {
  if (array.dtype() == dtype) return array;
  Array result = empty(queue, array.shape(), dtype);
  convert(queue, array, result);
  return result;
}

}  // namespace quern::algorithms
