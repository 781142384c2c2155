// SPDX-License-Identifier: MIT
// Conversions of operands that many functions share.
#include "functions/operands.hpp"

#include <algorithm>
#include <optional>

#include "array/build.hpp"
#include "functions/output.hpp"

namespace quern::functions {

Array array_of(const Operand& operand, const Queue& queue) {
  if (operand.array() != nullptr) return *operand.array();
  return full(queue, {}, operand.number(), default_type(operand.number(), queue));
}

DType common_type(std::span<const DType> types) {
  // NumPy promotes the dtype of the greatest kind first: int8, uint16 and float16 promote to float32.
  const DType main = *std::max_element(types.begin(), types.end(), [](const DType& a, const DType& b) {
    return codegen::kind_of(a) < codegen::kind_of(b);
  });
  DType result = main;
  for (const DType& one : types) result = result_type(result, result_type(main, one));
  return result;
}

DType common_type(std::span<const Array> arrays) {
  std::vector<DType> types;
  for (const Array& array : arrays) types.push_back(array.dtype());
  return common_type(types);
}

DType common_type(std::span<const Operand> operands, const Queue& queue) {
  std::vector<DType> types;
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) types.push_back(operand.array()->dtype());
  std::optional<DType> result;
  if (!types.empty()) result = common_type(types);
  for (const Operand& operand : operands) {
    if (operand.array() != nullptr) continue;
    result = result ? result_type(*result, operand.number()) : default_type(operand.number(), queue);
  }
  return *result;
}

DType held_by(const Queue& queue, const DType& dtype) {
  if (array::default_float(queue).itemsize == 8) return dtype;
  if (dtype.scalar == Scalar::float64) return DType::of(Scalar::float32);
  return dtype.scalar == Scalar::complex128 ? DType::of(Scalar::complex64) : dtype;
}

Array flat(const Array& array, const std::optional<DType>& dtype) {
  return as_contiguous(flattened(dtype ? astype(array, *dtype) : array));
}

void check_beside(std::string_view function, const Array& a, const Array& b) {
  if (a.device() == b.device()) return;
  const std::string first = a.device().spec(), second = b.device().spec();
  value_error(std::string(function) + ": the first array is on '" + first + "', the second on '" + second +
              "'; move it with to_device('" + first + "')");
}

Array as_float(const Array& array) {
  const bool is_whole = is_boolean(array.dtype()) || is_integer(array.dtype());
  return is_whole ? astype(array, array::default_float(array.queue())) : array;
}

Array complex_of(const Array& real, const Array& imag) {
  Shape shape = real.shape();
  shape.push_back(2);
  const Array pairs = empty(real.queue(), shape, real.dtype());
  assign(view(pairs, {Index::ellipsis(), 0}), real);
  assign(view(pairs, {Index::ellipsis(), 1}), imag);
  const bool is_wide = real.dtype().scalar == Scalar::float64;
  return {pairs.buffer(), DType::of(is_wide ? Scalar::complex128 : Scalar::complex64), real.shape()};
}

Array as_vector(const Array& array) {
  return array.shape().empty() ? reshape(array, {1}) : array;
}

Array along(const Array& array, std::size_t axis, const Index& part) {
  std::vector<Index> index(axis, Index::slice());
  index.push_back(part);
  return view(array, index);
}

Array beside(const Array& vector, std::size_t axis, std::size_t rank) {
  Shape shape(rank, 1);
  shape[axis] = static_cast<std::int64_t>(vector.size());
  return reshape(vector, std::move(shape));
}

bool truth_of(const Array& array) {
  const Array truth = astype(array, DType::of(Scalar::boolean));
  const Queue queue = truth.queue();
  truth.wait_for_elements(queue);
  std::uint8_t byte = 0;
  truth.get(queue, &byte).wait();
  return byte != 0;
}

std::vector<double> doubles_of(const Array& array) {
  const Queue queue = array.queue();
  if (array::default_float(queue).itemsize == 8)
    return copy(astype(array, DType::of(Scalar::float64))).to_vector<double>(queue);
  const std::vector<float> values = copy(astype(array, DType::of(Scalar::float32))).to_vector<float>(queue);
  return {values.begin(), values.end()};
}

}  // namespace quern::functions
