// SPDX-License-Identifier: MIT
// Checks and conversions of the operands of linear algebra.
#include "linalg/prepare.hpp"

#include <string>

#include "array/build.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/index_space.hpp"
#include "codegen/ops.hpp"
#include "quern/arithmetic.hpp"
#include "quern/casting.hpp"
#include "quern/error.hpp"

namespace quern::linalg {

Operands prepared(const char* name, std::initializer_list<Array> arrays) {
  const std::vector<Operand> operands(arrays.begin(), arrays.end());
  const Queue queue = array::queue_of(operands, nullptr);
  array::check_place(operands, queue, name);
  DType common = arrays.begin()->dtype();
  for (const Array& array : arrays) {
    if (detail::is_short_float(array.dtype()))
      throw ArgumentError(ArgumentError::Kind::type, std::string(name) + ": array type " +
                                                         array.dtype().name() +
                                                         " is unsupported in linalg; "
                                                         "astype('float32') converts the array");
    common = result_type(common, array.dtype());
  }
  const codegen::Kinds kind = codegen::kind_of(common);
  if (kind != codegen::Kinds::floating && kind != codegen::Kinds::complex)
    common = array::default_float(queue);
  Operands result{queue, common, codegen::part_of(common), {}};
  if (kind != codegen::Kinds::complex) result.real = common;
  for (const Array& array : arrays) result.arrays.push_back(astype(array, common, &queue));
  return result;
}

void check_stack(const Array& a) {
  if (a.shape().size() < 2)
    throw LinAlgError(std::to_string(a.shape().size()) +
                      "-dimensional array given. Array must be at least two-dimensional");
}

void check_square(const Array& a) {
  check_stack(a);
  if (a.shape()[a.shape().size() - 1] != a.shape()[a.shape().size() - 2])
    throw LinAlgError("Last 2 dimensions of the array must be square");
}

Shape stack_of(const Array& a, std::size_t axes) {
  return {a.shape().begin(), a.shape().end() - static_cast<std::ptrdiff_t>(axes)};
}

Shape common_stack(const char* name, const Shape& a, const Shape& b) {
  const std::array<codegen::View, 2> views = {codegen::View{a, {}}, codegen::View{b, {}}};
  return codegen::broadcast_shapes(views, name);
}

Shape joined(Shape stack, std::initializer_list<std::int64_t> lengths) {
  for (const std::int64_t length : lengths) stack.push_back(length);
  return stack;
}

}  // namespace quern::linalg
