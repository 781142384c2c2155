// SPDX-License-Identifier: MIT
// Products of matrices, vectors and tensors with NumPy's keywords.
#include <algorithm>
#include <numeric>
#include <string>

#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"

namespace quern {

Array matvec(const Array& matrices, const Array& vectors) {
  if (vectors.shape().empty())
    functions::value_error("matvec: vectors must have at least one axis, got a 0-d array");
  const Array columns = view(vectors, {Index::ellipsis(), Index::new_axis()});
  return view(matmul(matrices, columns), {Index::ellipsis(), 0});
}

Array vecmat(const Array& vectors, const Array& matrices) {
  if (vectors.shape().empty())
    functions::value_error("vecmat: vectors must have at least one axis, got a 0-d array");
  const Array rows = functions::is_complex(vectors.dtype()) ? apply("conj", {vectors}) : vectors;
  const Array wide = view(rows, {Index::ellipsis(), Index::new_axis(), Index::slice()});
  return view(matmul(wide, matrices), {Index::ellipsis(), 0, Index::slice()});
}

Array tensordot(const Array& a, const Array& b, int count) {
  const auto of_a = static_cast<int>(a.shape().size()), of_b = static_cast<int>(b.shape().size());
  if (count < 0 || count > std::min(of_a, of_b))
    functions::value_error("tensordot: " + std::to_string(count) + " axes of arrays of " +
                           std::to_string(of_a) + " and " + std::to_string(of_b) + " dimensions");
  std::vector<int> last(static_cast<std::size_t>(count)), first(last.size());
  std::iota(last.begin(), last.end(), of_a - count);
  std::iota(first.begin(), first.end(), 0);
  return tensordot(a, b, last, first);
}

Array dot(const Array& a, const Array& b) {
  const std::size_t of_a = a.shape().size(), of_b = b.shape().size();
  if (of_a == 0 || of_b == 0) return a * b;
  if (of_a <= 2 && of_b <= 2) return matmul(a, b);
  return tensordot(a, b, std::vector<int>{-1}, std::vector<int>{of_b == 1 ? -1 : -2});
}

Array inner(const Array& a, const Array& b) {
  if (a.shape().empty() || b.shape().empty()) return a * b;
  return tensordot(a, b, std::vector<int>{-1}, std::vector<int>{-1});
}

Array vdot(const Array& a, const Array& b) {
  return vecdot(functions::flattened(a), functions::flattened(b));
}

Array outer(const Array& a, const Array& b) {
  return reshape(a, {static_cast<std::int64_t>(a.size()), 1}) *
         reshape(b, {1, static_cast<std::int64_t>(b.size())});
}

Array kron(const Array& a, const Array& b) {
  const std::size_t rank = std::max(a.shape().size(), b.shape().size());
  // The axes of both, one after the other; each array has length one along the other's axes.
  const auto spread = [&](const Array& x, bool is_first) {
    Shape shape(2 * rank, 1);
    const std::size_t more = rank - x.shape().size();
    for (std::size_t d = 0; d < x.shape().size(); ++d)
      shape[2 * (more + d) + (is_first ? 0 : 1)] = x.shape()[d];
    return reshape(x, std::move(shape));
  };
  const Array wide = spread(a, true) * spread(b, false);
  Shape shape(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) shape[d] = wide.shape()[2 * d] * wide.shape()[2 * d + 1];
  return reshape(wide, std::move(shape));
}

Array cross(const Array& a, const Array& b, const CrossAxes& axes) {
  const auto prepared = [](const Array& x, int axis) {
    const std::size_t at = checked_axis(axis, x.shape().size());
    if (x.shape()[at] != 3)
      functions::value_error("cross: expected 3 elements along axis " + std::to_string(axis) + ", got " +
                             std::to_string(x.shape()[at]));
    return moveaxis(x, {axis}, {-1});
  };
  const Array first = prepared(a, axes.first), second = prepared(b, axes.second);
  const auto part = [](const Array& x, std::int64_t k) { return view(x, {Index::ellipsis(), k}); };
  const auto component = [&](std::int64_t i, std::int64_t j) {
    return part(first, i) * part(second, j) - part(first, j) * part(second, i);
  };
  const std::array<Array, 3> parts = {component(1, 2), component(2, 0), component(0, 1)};
  Shape shape = parts[0].shape();
  shape.push_back(3);
  const Array result = empty(a.queue(), std::move(shape), parts[0].dtype());
  for (std::int64_t k = 0; k < 3; ++k) assign(part(result, k), parts[static_cast<std::size_t>(k)]);
  return moveaxis(result, {-1}, {axes.result});
}

namespace registry {
namespace {

// The parameters of NumPy's generalised functions, by position.
enum : std::size_t { kOut = 2, kAxes, kAxis, kKeepdims, kCasting, kOrder, kType };
constexpr std::string_view kGeneralised =
    "x1: array, x2: array, /, out: out = None, *, axes: groups = None, axis: int = None, "
    "keepdims: bool = False, casting: str = 'same_kind', order: str = 'K', dtype: dtype = None, "
    "subok: bool = True, signature: object = None";
constexpr std::string_view kGeneralisedAbout =
    "x1: First factor.\n"
    "x2: Second factor.\n"
    "axes: List of three tuples: the axes of the matrices or vectors in x1, x2 and the result.\n"
    "axis: Must be None: only vecdot() takes an axis.\n"
    "keepdims: Must be False: only vecdot() keeps its axis.";

Array converted(const Arguments& a, std::size_t k) {
  if (!a.has(kType)) return a.array(k);
  check_cast(std::string(a.function().name) + ": dtype", a.array(k).dtype(), a.get<DType>(kType),
             casting_of(a.text(kCasting), a.function().name));
  return astype(a.array(k), a.get<DType>(kType));
}

Axes last_axes(std::size_t count) {
  Axes axes(count);
  std::iota(axes.begin(), axes.end(), -static_cast<int>(count));
  return axes;
}

// An operand with its core axes at the end.
Array with_axes_last(const Array& x, const std::vector<std::int64_t>& axes) {
  return moveaxis(x, Axes(axes.begin(), axes.end()), last_axes(axes.size()));
}

Array finished(const Arguments& a, Array result) {
  if (is_fortran(a, kOrder) && !a.has(kOut)) result = permute_dims(copy(permute_dims(result)));
  return functions::written(a.function().name, std::move(result),
                            {.array = functions::address(a.find<Array>(kOut)),
                             .casting = casting_of(a.text(kCasting), a.function().name),
                             .broadcasts = false});
}

void refuse_keyword(const Arguments& a, std::string_view keyword) {
  functions::type_error(std::string(a.function().name) + ": " + std::string(keyword) +
                        "= is supported only for vecdot, whose operands have one core axis");
}

template <Array (*product)(const Array&, const Array&)>
Result call_generalised(const Arguments& a) {
  if (a.has(kAxis)) refuse_keyword(a, "axis");
  if (a.flag(kKeepdims)) refuse_keyword(a, "keepdims");
  if (!a.has(kAxes)) return finished(a, product(converted(a, 0), converted(a, 1)));
  const auto& axes = a.get<std::vector<std::vector<std::int64_t>>>(kAxes);
  if (axes.size() != 2 && axes.size() != 3)
    functions::value_error(std::string(a.function().name) +
                           ": axes must have an entry for each operand and one for the result, got " +
                           std::to_string(axes.size()));
  const Array result =
      product(with_axes_last(converted(a, 0), axes[0]), with_axes_last(converted(a, 1), axes[1]));
  if (axes.size() == 2) return finished(a, result);
  return finished(a, moveaxis(result, last_axes(axes[2].size()), Axes(axes[2].begin(), axes[2].end())));
}

Array matrix_product(const Array& a, const Array& b) {
  return matmul(a, b);
}

Array sum_of_products(const Arguments& a) {
  Array x1 = converted(a, 0), x2 = converted(a, 1);
  if (a.has(kAxes)) {
    const auto& axes = a.get<std::vector<std::vector<std::int64_t>>>(kAxes);
    if (a.has(kAxis)) functions::type_error("vecdot: give axis or axes, not both");
    if (axes.size() < 2 || axes[0].size() != 1 || axes[1].size() != 1)
      functions::value_error("vecdot: axes must have one axis for each operand");
    const Array total = vecdot(with_axes_last(x1, axes[0]), with_axes_last(x2, axes[1]));
    if (!a.flag(kKeepdims)) return total;
    const int at = axes.size() > 2 && axes[2].size() == 1 ? static_cast<int>(axes[2][0]) : -1;
    return expand_dims(total, {at});
  }
  int axis = a.axis(kAxis).value_or(-1);
  static_cast<void>(checked_axis(axis, x1.shape().size()));
  static_cast<void>(checked_axis(axis, x2.shape().size()));
  if (axis >= 0 && x1.shape().size() == x2.shape().size()) axis -= static_cast<int>(x1.shape().size());
  const Array total = vecdot(x1, x2, axis);
  return a.flag(kKeepdims) ? expand_dims(total, {axis}) : total;
}

Result call_tensordot(const Arguments& a) {
  if (a.is<std::int64_t>(2)) return tensordot(a.array(0), a.array(1), *a.axis(2));
  const auto& axes = a.get<std::vector<std::vector<std::int64_t>>>(2);
  if (axes.size() != 2)
    functions::value_error("tensordot: axes must be a number, or the axes of `a` and those of `b`, got " +
                           std::to_string(axes.size()) + " sequences");
  return tensordot(a.array(0), a.array(1), Axes(axes[0].begin(), axes[0].end()),
                   Axes(axes[1].begin(), axes[1].end()));
}

template <Array (*product)(const Array&, const Array&)>
Result call_product(const Arguments& a) {
  return product(a.array(0), a.array(1));
}

template <Array (*product)(const Array&, const Array&)>
Result call_with_target(const Arguments& a) {
  return functions::written(a.function().name, product(a.array(0), a.array(1)),
                            {.array = functions::address(a.find<Array>(2)), .broadcasts = false});
}

Result call_vecdot(const Arguments& a) {
  int axis = *a.axis(2);
  const std::size_t rank = a.array(0).shape().size();
  static_cast<void>(checked_axis(axis, rank));
  static_cast<void>(checked_axis(axis, a.array(1).shape().size()));
  if (axis >= 0 && rank == a.array(1).shape().size()) axis -= static_cast<int>(rank);
  return vecdot(a.array(0), a.array(1), axis);
}

constexpr std::string_view kFactors =
    "a: First factor.\n"
    "b: Second factor.";
constexpr std::string_view kOperands =
    "x1: First factor.\n"
    "x2: Second factor.\n"
    "axis: Axis of the vectors; the last one by default.";

const Function kProductRows[] = {
    {.name = "matmul",
     .parameters = kGeneralised,
     .summary = "Matrix product; arrays of more than two dimensions are stacks of matrices.",
     .notes = "A one-dimensional array is a row vector on the left and a column vector on the right.",
     .about = kGeneralisedAbout,
     .returns = "The matrix products; the leading axes are broadcast.",
     .example = ">>> print(qn.matmul([[1, 2], [3, 4]], [5, 6]))\n[17 39]",
     .call = call_generalised<matrix_product>},
    {.name = "matvec",
     .parameters = kGeneralised,
     .summary = "Matrix-vector product; the leading axes are broadcast.",
     .about = kGeneralisedAbout,
     .returns = "The products; the leading axes are broadcast.",
     .example = ">>> print(qn.matvec([[1, 2], [3, 4]], [[1, 0], [0, 1]]))\n[[1 3]\n [2 4]]",
     .call = call_generalised<matvec>},
    {.name = "vecmat",
     .parameters = kGeneralised,
     .summary = "Vector-matrix product, with x1 conjugated; the leading axes are broadcast.",
     .about = kGeneralisedAbout,
     .returns = "The products; the leading axes are broadcast.",
     .example = ">>> print(qn.vecmat([1, 2], [[1, 2], [3, 4]]))\n[ 7 10]",
     .call = call_generalised<vecmat>},
    {.name = "vecdot",
     .parameters = kGeneralised,
     .summary = "Vector dot product: the sum of conj(x1) * x2 along an axis; the others are broadcast.",
     .about = "x1: First factor.\n"
              "x2: Second factor.\n"
              "axes: List of three tuples: the axes of the vectors in x1 and x2, and () for the result.\n"
              "axis: Axis of the vectors; the last one by default.\n"
              "keepdims: If True, the axis of the vectors is kept with length 1.",
     .returns = "The dot products; the axis of the vectors is removed.",
     .example = ">>> print(qn.vecdot([[1, 2], [3, 4]], [1, 10]))\n[21 43]",
     .call = [](const Arguments& a) -> Result { return finished(a, sum_of_products(a)); }},
    {.name = "dot",
     .parameters = "a: array, b: array, out: out = None",
     .summary = "Dot product of two arrays.",
     .notes = "Vectors give their inner product, matrices their matrix product, and a number multiplies "
              "each element. Otherwise it sums over the last axis of `a` and the second-to-last axis of "
              "`b`.",
     .about = kFactors,
     .returns = "The dot products.",
     .example = ">>> print(qn.dot([1, 2], [3, 4]), qn.dot([[1, 2], [3, 4]], 2))\n11 [[2 4]\n [6 8]]",
     .is_method = true,
     .call = call_with_target<dot>},
    {.name = "inner",
     .parameters = "a: array, b: array, /",
     .summary = "Inner product over the last axes of two arrays; a number multiplies each element.",
     .about = kFactors,
     .returns = "The sums: the remaining axes of `a`, then those of `b`.",
     .example = ">>> print(qn.inner([[1, 2], [3, 4]], [1, 10]))\n[21 43]",
     .call = call_product<inner>},
    {.name = "vdot",
     .parameters = "a: array, b: array, /",
     .summary = "Dot product of two flattened arrays: the sum of conj(a) * b.",
     .about = kFactors,
     .returns = "The sum, as a zero-dimensional array.",
     .example = ">>> print(qn.vdot([1, 2j], [3, 4]))\n(3-8j)",
     .call = call_product<vdot>},
    {.name = "outer",
     .parameters = "a: array, b: array, out: out = None",
     .summary = "Outer product: each element of one flattened array times each element of another.",
     .about = kFactors,
     .returns = "Matrix of shape (a.size, b.size).",
     .example = ">>> print(qn.outer([1, 2], [3, 4, 5]))\n[[ 3  4  5]\n [ 6  8 10]]",
     .call = call_with_target<outer>},
    {.name = "kron",
     .parameters = "a: array, b: array",
     .summary = "Kronecker product: blocks of `b`, scaled by the elements of `a`.",
     .about = kFactors,
     .returns = "The blocks, joined into one array.",
     .example = ">>> print(qn.kron([1, 10], [1, 2, 3]))\n[ 1  2  3 10 20 30]",
     .call = call_product<kron>},
    {.name = "tensordot",
     .parameters = "a: array, b: array, axes: int | groups = 2",
     .summary = "Tensor dot product: the sum of products over given axes of two arrays.",
     .about = "a: First factor.\n"
              "b: Second factor.\n"
              "axes: An integer N: the last N axes of `a` and the first N of `b`. Or two sequences: the "
              "axes of each.",
     .returns = "The sums: the remaining axes of `a`, then those of `b`.",
     .example = ">>> print(qn.tensordot([[1, 2], [3, 4]], [[5, 6], [7, 8]], axes=([0], [1])))\n"
                "[[23 31]\n [34 46]]",
     .call = call_tensordot},
    {.name = "cross",
     .parameters = "a: array, b: array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int = None",
     .summary = "Cross product of three-element vectors; the other axes are broadcast.",
     .about = "a: First vectors.\n"
              "b: Second vectors.\n"
              "axisa: Axis of `a` that holds the vectors.\n"
              "axisb: Axis of `b` that holds the vectors.\n"
              "axisc: Axis of the result that holds the vectors.\n"
              "axis: Overrides the other three.",
     .returns = "The cross products.",
     .example = ">>> print(qn.cross([1, 0, 0], [0, 1, 0]))\n[0 0 1]",
     .call = [](const Arguments& a) -> Result {
       const std::optional<int> axis = a.axis(5);
       return cross(a.array(0), a.array(1),
                    {axis.value_or(*a.axis(2)), axis.value_or(*a.axis(3)), axis.value_or(*a.axis(4))});
     }},
    {.name = "linalg.matmul",
     .parameters = "x1: array, x2: array, /",
     .summary = "Matrix product; arrays of more than two dimensions are stacks of matrices.",
     .about = kOperands,
     .returns = "The matrix products; the leading axes are broadcast.",
     .example = ">>> print(qn.linalg.matmul([[1, 2], [3, 4]], [5, 6]))\n[17 39]",
     .call = call_product<matrix_product>},
    {.name = "linalg.vecdot",
     .parameters = "x1: array, x2: array, /, *, axis: int = -1",
     .summary = "Vector dot product: the sum of conj(x1) * x2 along an axis; the others are broadcast.",
     .about = kOperands,
     .returns = "The dot products; the axis of the vectors is removed.",
     .example = ">>> print(qn.linalg.vecdot([[1, 2], [3, 4]], [1, 10]))\n[21 43]",
     .call = call_vecdot},
    {.name = "linalg.outer",
     .parameters = "x1: array, x2: array, /",
     .summary = "Outer product: each element of one flattened array times each element of another.",
     .about = kOperands,
     .returns = "Matrix of shape (x1.size, x2.size).",
     .example = ">>> print(qn.linalg.outer([1, 2], [3, 4]))\n[[3 4]\n [6 8]]",
     .call = call_product<outer>},
    {.name = "linalg.tensordot",
     .parameters = "x1: array, x2: array, /, *, axes: int | groups = 2",
     .summary = "Tensor dot product: the sum of products over given axes of two arrays.",
     .about = "x1: First factor.\n"
              "x2: Second factor.\n"
              "axes: An integer N: the last N axes of x1 and the first N of x2. Or two sequences: the axes "
              "of each.",
     .returns = "The sums: the remaining axes of x1, then those of x2.",
     .example = ">>> print(qn.linalg.tensordot([[1, 2], [3, 4]], [1, 10], axes=1))\n[21 43]",
     .call = call_tensordot},
    {.name = "linalg.cross",
     .parameters = "x1: array, x2: array, /, *, axis: int = -1",
     .summary = "Cross product of three-element vectors; the other axes are broadcast.",
     .about = kOperands,
     .returns = "The cross products.",
     .example = ">>> print(qn.linalg.cross([1, 0, 0], [0, 1, 0]))\n[0 0 1]",
     .call = [](const Arguments& a) -> Result {
       const int axis = *a.axis(2);
       return cross(a.array(0), a.array(1), {axis, axis, axis});
     }},
};

}  // namespace

std::span<const Function> product_rows() {
  return kProductRows;
}

}  // namespace registry
}  // namespace quern
