// SPDX-License-Identifier: MIT
// Powers and norms of matrices, and views of them.
#include "quern/linalg.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"

namespace quern {

Array matrix_power(const Array& a, std::int64_t n) {
  const std::size_t rank = a.shape().size();
  if (rank < 2)
    throw LinAlgError(std::to_string(rank) +
                      "-dimensional array given. Array must be at least two-dimensional");
  if (a.shape()[rank - 1] != a.shape()[rank - 2])
    throw LinAlgError("Last 2 dimensions of the array must be square");
  if (n < 0) {
    if (n == std::numeric_limits<std::int64_t>::min())
      functions::value_error("matrix_power: the exponent is out of range");
    return matrix_power(linalg::inv(a), -n);
  }
  if (n == 0) {
    const Array result = empty(a.queue(), a.shape(), a.dtype());
    assign(result, eye(a.queue(), a.shape().back(), a.shape().back(), a.dtype()));
    return result;
  }
  // By squaring: the factors are the powers for the set bits of n.
  Array power = a;
  std::optional<Array> result;
  for (;; n >>= 1) {
    if ((n & 1) != 0) result = result ? matmul(*result, power) : power.value() == a.value() ? copy(a) : power;
    if (n == 1) return *result;
    power = matmul(power, power);
  }
}

Array vector_norm(const Array& x, double ord, const Over& over, bool keepdims) {
  const Array values = functions::as_float(x);
  const Array size = apply("absolute", {values});
  const ReduceOptions options{.over = over, .keepdims = keepdims};
  if (std::isinf(ord)) {
    if (ord < 0) return min(size, options);
    return max(size, {.over = over, .keepdims = keepdims, .initial = Number(0)});
  }
  if (ord == 0) return astype(count_nonzero(values, options), size.dtype());
  if (ord == 1) return sum(size, options);
  if (ord == 2) return apply("sqrt", {sum(functions::squared_magnitudes(values), options)});
  return apply("power", {sum(apply("power", {size, ord}), options), 1.0 / ord});
}

Array matrix_norm(const Array& x, MatrixNorm norm, bool keepdims) {
  if (x.shape().size() < 2)
    functions::value_error("matrix_norm: expected at least two dimensions, got " +
                           std::to_string(x.shape().size()));
  const Array values = functions::as_float(x);
  const Over matrices = {-2, -1};
  if (norm == MatrixNorm::frobenius) return vector_norm(values, 2, matrices, keepdims);
  if (norm >= MatrixNorm::greatest_singular) {
    const Array s = linalg::svdvals(values);
    Array result = norm == MatrixNorm::nuclear             ? sum(s, {.over = -1})
                   : norm == MatrixNorm::greatest_singular ? max(s, {.over = -1, .initial = Number(0)})
                                                           : min(s, {.over = -1});
    return keepdims ? expand_dims(result, {-2, -1}) : result;
  }
  const bool is_column = norm == MatrixNorm::greatest_column || norm == MatrixNorm::least_column;
  const Array sums = sum(apply("absolute", {values}), {.over = is_column ? -2 : -1, .keepdims = true});
  if (norm == MatrixNorm::greatest_column || norm == MatrixNorm::greatest_row)
    return max(sums, {.over = matrices, .keepdims = keepdims, .initial = Number(0)});
  return min(sums, {.over = matrices, .keepdims = keepdims});
}

namespace registry {
namespace {

[[noreturn]] void refuse_order(const Arguments& a, const std::string& got) {
  functions::value_error(
      std::string(a.function().name) +
      ": ord: expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for matrices and a number for vectors, got " +
      got);
}

}  // namespace

MatrixNorm matrix_order(const Arguments& a, std::size_t k) {
  if (!a.has(k)) return MatrixNorm::frobenius;
  if (a.is<std::string>(k)) {
    if (a.text(k) == "fro") return MatrixNorm::frobenius;
    if (a.text(k) == "nuc") return MatrixNorm::nuclear;
    refuse_order(a, "'" + std::string(a.text(k)) + "'");
  }
  const double ord = a.get<Number>(k).value().real();
  if (ord == 1) return MatrixNorm::greatest_column;
  if (ord == -1) return MatrixNorm::least_column;
  if (ord == 2) return MatrixNorm::greatest_singular;
  if (ord == -2) return MatrixNorm::least_singular;
  if (std::isinf(ord)) return ord > 0 ? MatrixNorm::greatest_row : MatrixNorm::least_row;
  refuse_order(a, "another");
}

namespace {

double vector_order(const Arguments& a, std::size_t k) {
  if (!a.has(k)) return 2;
  if (a.is<std::string>(k)) refuse_order(a, "'" + std::string(a.text(k)) + "'");
  return a.get<Number>(k).value().real();
}

// x, ord, axis, keepdims
Result call_norm(const Arguments& a) {
  const Array& x = a.array(0);
  const bool keepdims = a.flag(3);
  const std::size_t rank = x.shape().size();
  if (!a.has(2) && (!a.has(1) || rank == 1)) return vector_norm(x, vector_order(a, 1), {}, keepdims);
  Axes axes;
  if (a.has(2)) {
    for (const std::int64_t axis : a.integers(2)) axes.push_back(static_cast<int>(checked_axis(axis, rank)));
  } else {
    for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int>(d));
  }
  if (axes.size() == 1) return vector_norm(x, vector_order(a, 1), Axes{axes.front()}, keepdims);
  if (axes.size() != 2)
    functions::value_error("norm: expected one or two axes, got " + std::to_string(axes.size()));
  if (axes[0] == axes[1]) functions::value_error("norm: an axis is repeated");
  const Array result = matrix_norm(moveaxis(x, axes, {-2, -1}), matrix_order(a, 1));
  if (!keepdims) return result;
  Shape shape = x.shape();
  for (const int axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return reshape(result, std::move(shape));
}

const Function kLinalgRows[] = {
    {.name = "linalg.norm",
     .parameters = "x: array, ord: number | str = None, axis: ints = None, keepdims: bool = False",
     .summary = "Norm of vectors (one axis), of matrices (two axes), or of the whole array.",
     .about = "ord: Order of the norm: a number for vectors; 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for "
              "matrices. None: the 2-norm or Frobenius norm.\n"
              "axis: Axis of the vectors, or the two axes of the matrices. None: all elements; with `ord` "
              "the array must "
              "have one or two axes.",
     .returns = "The norms; the axes of the vectors or matrices are removed from the shape.",
     .example = ">>> print(qn.linalg.norm([[3.0, 4.0], [6.0, 8.0]], axis=1))\n[ 5. 10.]",
     .call = call_norm},
    {.name = "linalg.vector_norm",
     .parameters = "x: array, /, *, axis: ints = None, keepdims: bool = False, ord: number = 2",
     .summary = "Vector norm of the elements along axes, or of all elements.",
     .about = "ord: Order of the norm: inf and -inf give the largest and smallest magnitude, 0 counts "
              "nonzero elements.",
     .returns = "The norms.",
     .example = ">>> print(qn.linalg.vector_norm([3.0, 4.0]), qn.linalg.vector_norm([3.0, -4.0], ord=1))\n"
                "5.0 7.0",
     .call = [](const Arguments& a) -> Result {
       return vector_norm(a.array(0), vector_order(a, 3), a.over(1), a.flag(2));
     }},
    {.name = "linalg.matrix_norm",
     .parameters = "x: array, /, *, keepdims: bool = False, ord: number | str = 'fro'",
     .summary = "Norm of the matrices in the last two axes.",
     .about = "x: An array with matrices in its last two axes.\n"
              "ord: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.",
     .returns = "The norms.",
     .example = ">>> print(qn.linalg.matrix_norm([[1.0, -2.0], [3.0, 4.0]], ord=1))\n6.0",
     .call = [](const Arguments& a) -> Result {
       return matrix_norm(a.array(0), matrix_order(a, 2), a.flag(1));
     }},
    {.name = "linalg.matrix_power",
     .parameters = "a: array, n: int",
     .summary = "Raise square matrices to an integer power.",
     .about = "a: An array with square matrices in its last two axes.\n"
              "n: The exponent; 0 gives the identity matrix, negative ones powers of the inverse.",
     .returns = "The matrix powers, in the shape of `a`.",
     .example = ">>> print(qn.linalg.matrix_power([[1, 1], [0, 1]], 5))\n[[1 5]\n [0 1]]",
     .call = [](const Arguments& a) -> Result { return matrix_power(a.array(0), a.integer(1)); }},
    {.name = "linalg.diagonal",
     .parameters = "x: array, /, *, offset: int = 0",
     .summary = "View of the diagonals of the matrices in the last two axes.",
     .about = "x: An array with matrices in its last two axes.\n"
              "offset: Offset of the diagonal from the main one: positive above it, negative below.",
     .returns = "A view with the diagonals along the last axis.",
     .example = ">>> print(qn.linalg.diagonal([[1, 2], [3, 4]]))\n[1 4]",
     .call = [](const Arguments& a) -> Result { return diagonal(a.array(0), a.integer(1), -2, -1); }},
    {.name = "linalg.trace",
     .parameters = "x: array, /, *, offset: int = 0, dtype: dtype = None",
     .summary = "Sum of the diagonal of the matrices in the last two axes.",
     .about = "x: An array with matrices in its last two axes.\n"
              "offset: Offset of the diagonal from the main one: positive above it, negative below.",
     .returns = "The sums.",
     .example = ">>> print(qn.linalg.trace([[1, 2], [3, 4]]))\n5",
     .call = [](const Arguments& a) -> Result {
       return sum(diagonal(a.array(0), a.integer(1), -2, -1), {.over = -1, .dtype = a.find<DType>(2)});
     }},
    {.name = "linalg.matrix_transpose",
     .parameters = "x: array, /",
     .summary = "Transpose the matrices in the last two axes.",
     .about = "x: An array with matrices in its last two axes.",
     .returns = "A view with the last two axes swapped.",
     .example = ">>> print(qn.linalg.matrix_transpose([[1, 2], [3, 4]]))\n[[1 3]\n [2 4]]",
     .call = [](const Arguments& a) -> Result {
       if (a.array(0).shape().size() < 2)
         functions::value_error("matrix_transpose: expected at least two dimensions, got " +
                                std::to_string(a.array(0).shape().size()));
       return moveaxis(a.array(0), {-2}, {-1});
     }},
};

}  // namespace

std::span<const Function> linalg_rows() {
  return kLinalgRows;
}

}  // namespace registry
}  // namespace quern
