// SPDX-License-Identifier: MIT
// Arrays of evenly spaced numbers, and matrices built from diagonals. Both are composed of arithmetic and
// views.
#include "quern/creation.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

[[noreturn]] void bad_argument(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, what);
}

void check_is_matrix(const Array& array, const char* what) {
  if (array.shape().size() >= 2) return;
  bad_argument(std::string(what) + ": expected an array of two dimensions or more, got " +
               std::to_string(array.shape().size()));
}

// Keeps the elements where the comparison `name` of column and row + offset is true, as in
// column <= row + offset. The other elements become 0.
Array triangle(const char* what, const char* name, const Array& array, std::int64_t offset,
               const Queue* queue) {
  check_is_matrix(array, what);
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  const std::int64_t rows = array.shape().end()[-2], columns = array.shape().end()[-1];
  const DType index = DType::of(Scalar::int64);
  // Beyond the edges all elements are on one side.
  const std::int64_t moved = std::clamp(offset, -rows - 1, columns + 1);
  const Array row = reshape(arange(user, moved, 1, rows, index), {rows, 1}, &user);
  const Array column = arange(user, 0, 1, columns, index);
  Array result = where(apply(name, {column, row}, &user), array, Number(false), &user);
  // A matrix product need not read the zeros.
  if (array::Node* const node = array::pending_node(*result.value()))
    node->set_triangle({std::string_view(what) == "triu", moved});
  return result;
}

}  // namespace

Array linspace(const Queue& queue, const Number& start, const Number& stop, std::int64_t count, DType dtype,
               bool endpoint) {
  if (count < 0) bad_argument("linspace: num is " + std::to_string(count) + ", but must not be negative");
  const bool is_complex = std::max(start.kind(), stop.kind()) == Number::Kind::complex;
  const DType real = array::default_float(queue);
  const DType wide = !is_complex          ? real
                     : real.itemsize == 4 ? DType::of(Scalar::complex64)
                                          : DType::of(Scalar::complex128);
  const auto number = [&](std::complex<double> value) {
    return is_complex ? Number(value) : Number(value.real());
  };
  const std::complex<double> first = start.value(), distance = stop.value() - first;
  const auto steps = static_cast<double>(endpoint ? count - 1 : count);
  const auto rounded = [&](const Array& numbers) {
    const bool is_whole = codegen::kind_of(dtype) == codegen::Kinds::integer;
    return astype(is_whole ? apply("floor", {numbers}, &queue) : numbers, dtype, &queue);
  };
  if (steps <= 0) return rounded(full(queue, {count}, number(first), wide));
  const Array index = arange(queue, 0, 1, count, wide);
  const std::complex<double> step = distance / steps;
  // A distance too small to be divided is multiplied first.
  const Array scaled =
      step == 0.0
          ? apply("multiply", {apply("divide", {index, number(steps)}, &queue), number(distance)}, &queue)
          : apply("multiply", {index, number(step)}, &queue);
  const Array numbers = apply("add", {scaled, number(first)}, &queue);
  if (!endpoint) return rounded(numbers);
  // The last element is exactly the end, however the steps are rounded.
  return rounded(
      where(apply("equal", {index, number(steps)}, &queue), number(stop.value()), numbers, &queue));
}

Array eye(const Queue& queue, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t offset) {
  Array result = zeros(queue, {rows, columns}, std::move(dtype));
  assign(diagonal(result, offset), Number(true), &queue);
  return result;
}

Array diagonal(const Array& array, std::int64_t offset, std::int64_t first_axis, std::int64_t second_axis) {
  check_is_matrix(array, "diagonal");
  const std::size_t rank = array.shape().size();
  const std::size_t first = checked_axis(first_axis, rank), second = checked_axis(second_axis, rank);
  if (first == second) bad_argument("diagonal: axis " + std::to_string(first_axis) + " is repeated");
  const std::int64_t rows = array.shape()[first], columns = array.shape()[second];
  const std::int64_t clipped = std::clamp(offset, -rows, columns);
  const std::int64_t count =
      std::min(rows + std::min<std::int64_t>(clipped, 0), columns - std::max<std::int64_t>(clipped, 0));
  const ArrayMemory& memory = array.evaluate();
  Shape shape;
  Strides strides;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d == first || d == second) continue;
    shape.push_back(array.shape()[d]);
    strides.push_back(memory.strides[d]);
  }
  shape.push_back(count);
  strides.push_back(memory.strides[first] + memory.strides[second]);
  auto start = static_cast<std::int64_t>(memory.offset);
  if (count > 0) start += clipped >= 0 ? clipped * memory.strides[second] : -clipped * memory.strides[first];
  return {memory.buffer, array.dtype(), std::move(shape), std::move(strides),
          static_cast<std::size_t>(start)};
}

Array tril(const Array& array, std::int64_t offset, const Queue* queue) {
  return triangle("tril", "less_equal", array, offset, queue);
}

Array triu(const Array& array, std::int64_t offset, const Queue* queue) {
  return triangle("triu", "greater_equal", array, offset, queue);
}

}  // namespace quern
