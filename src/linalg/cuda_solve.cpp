// SPDX-License-Identifier: MIT
// Systems of equations and factors by elimination, by cuSOLVER and cuBLAS.
//
// The libraries read columns, so they see a C-contiguous matrix transposed. Each function says which problem
// that is.
#include <algorithm>
#include <limits>
#include <optional>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "libraries/cublas_solve.hpp"
#include "libraries/cusolver.hpp"
#include "linalg/cuda.hpp"
#include "linalg/cuda_parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern::linalg {
namespace {

using libraries::DevicePart;

// One call for a stack is faster than one for each matrix up to this size.
constexpr std::int64_t kMostBatchedRows = 256;

bool takes_batched(const Operands& operands, std::int64_t n, std::int64_t count) {
  return count > 1 && count <= std::numeric_limits<std::int32_t>::max() && n <= kMostBatchedRows &&
         libraries::cublas_solves(operands.queue, operands.dtype.scalar);
}

// The addresses of the matrices of a stack.
Array addresses_of(const Queue& queue, const Parts& parts, std::int64_t count) {
  const Array list = empty(queue, {count}, DType::of(Scalar::uint64));
  const auto kernel = algorithms::kernel_of({"linalg_info"}, "list_addresses", {});
  constexpr std::int64_t kItems = 128;
  kernel(queue, list.size(),
         range(static_cast<std::size_t>(divided_up(count, kItems) * kItems)).with_local(kItems),
         *parts[0].buffer, static_cast<std::uint64_t>(parts.step()), static_cast<std::uint64_t>(count),
         list.elements());
  return list;
}

// LU factors of a stack of matrices with m rows and n columns, which replace `columns`: its last axes are
// columns and rows.
struct Factors {
  Array pivots;  // rows from 1; int32 or int64
  Array info;
  std::optional<Array> addresses;  // if the stack was factored in one call
};
Factors factor(const Operands& operands, const Array& columns, std::int64_t m, std::int64_t n) {
  const Queue& queue = operands.queue;
  const Scalar scalar = operands.dtype.scalar;
  const Shape stack = stack_of(columns);
  const std::int64_t count = count_of(stack);
  const Parts matrices(columns, count);
  const bool is_batched = m == n && takes_batched(operands, n, count);
  const Array pivots =
      empty(queue, joined(stack, {std::min(m, n)}), DType::of(is_batched ? Scalar::int32 : Scalar::int64));
  const Array info = new_info(queue, count);
  const Parts rows(pivots, count), results(info, count);
  if (!is_batched) {
    for (std::int64_t i = 0; i < count; ++i)
      libraries::cusolver_getrf(queue, scalar, m, n, matrices[i], rows[i], results[i]);
    return {pivots, info, std::nullopt};
  }
  const Array addresses = addresses_of(queue, matrices, count);
  const Parts list(addresses, 1);
  libraries::cublas_getrf_batched(queue, scalar, n, count, {matrices[0], list[0]}, rows[0], results[0]);
  return {pivots, info, addresses};
}

// Replaces x, whose last axes are columns and rows, by the solutions of op(a) x = b.
void substitute(const Operands& operands, const Factors& factors, const Array& lu, char op, const Array& x,
                std::int64_t columns) {
  const Queue& queue = operands.queue;
  const Scalar scalar = operands.dtype.scalar;
  const std::int64_t n = lu.shape().back(), count = count_of(stack_of(lu));
  const Parts matrices(lu, count), rows(factors.pivots, count), sides(x, count);
  if (factors.addresses) {
    const Array addresses = addresses_of(queue, sides, count);
    const Parts of_lu(*factors.addresses, 1), of_x(addresses, 1);
    libraries::cublas_getrs_batched(queue, scalar, op, n, columns, count, {matrices[0], of_lu[0]}, rows[0],
                                    {sides[0], of_x[0]});
    return;
  }
  const Array ignored = new_info(queue, 1);
  const Parts other(ignored, 1);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_getrs(queue, scalar, op, n, columns, matrices[i], rows[i], sides[i], other[0]);
}

// Right sides by columns in new memory, and results by rows.
Array columns_of(const Array& b, bool is_vector, const Queue& queue) {
  return own_copy(is_vector ? b : matrix_transpose(b), queue);
}
Array rows_of(const Array& x, bool is_vector, const Queue& queue) {
  return is_vector ? x : copy(matrix_transpose(x), &queue);
}

}  // namespace

bool takes_cuda(const Operands& operands) {
  return libraries::cusolver_takes(operands.queue, operands.dtype.scalar) &&
         std::all_of(operands.arrays.begin(), operands.arrays.end(),
                     [](const Array& array) { return array.size() != 0; });
}

Array solve_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back();
  // It factors the transposed matrix, and solves with the transpose of that.
  const Array lu = own_copy(a, queue), x = columns_of(b, is_vector, queue);
  const Factors factors = factor(operands, lu, n, n);
  substitute(operands, factors, lu, 'T', x, is_vector ? 1 : b.shape().back());
  report(queue, "Singular matrix", "solve", factors.info, {x});
  return rows_of(x, is_vector, queue);
}

Array invert_by_cuda(const Operands& operands, const Array& a, bool throws) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back();
  // The inverse of the transposed matrix is the transposed inverse.
  const Array lu = own_copy(a, queue);
  const Array x = own_copy(broadcast_to(eye(queue, n, n, operands.dtype), a.shape()), queue);
  const Factors factors = factor(operands, lu, n, n);
  substitute(operands, factors, lu, 'N', x, n);
  if (throws) {
    report(queue, "Singular matrix", "inv", factors.info, {x});
    return x;
  }
  const Array is_singular = reshape(apply("not_equal", {factors.info, 0}), joined(stack_of(a), {1, 1}));
  return where(is_singular, std::numeric_limits<double>::quiet_NaN(), x);
}

SignAndLog determine_by_cuda(const Operands& operands, const Array& a) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back();
  // The transposed matrix has the same determinant.
  const Array lu = own_copy(a, queue);
  const Factors factors = factor(operands, lu, n, n);
  const Array diagonals = diagonal(lu, 0, -2, -1);
  const Array places = arange(queue, Number(1), Number(1), n, factors.pivots.dtype());
  const Array exchanges = count_nonzero(apply("not_equal", {factors.pivots, places}), {.over = -1});
  const Array is_odd = apply("equal", {apply("remainder", {exchanges, 2}), 1});
  const Array sign = prod(apply("sign", {diagonals}), {.over = -1});
  return {where(is_odd, apply("negative", {sign}), sign),
          sum(apply("log", {apply("absolute", {diagonals})}), {.over = -1})};
}

Array factor_by_cuda(const Operands& operands, const Array& a, bool upper) {
  const Queue& queue = operands.queue;
  const Scalar scalar = operands.dtype.scalar;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  // The lower triangle of the rows is the upper one of the columns: A^T = U^H U gives A = U^T (U^T)^H.
  const Array result = own_copy(a, queue);
  const Array info = new_info(queue, count);
  const Parts matrices(result, count), results(info, count);
  if (takes_batched(operands, n, count)) {
    const Array addresses = addresses_of(queue, matrices, count);
    const Parts list(addresses, 1);
    libraries::cusolver_potrf_batched(queue, scalar, upper, n, count, matrices[0], list[0], results[0]);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      libraries::cusolver_potrf(queue, scalar, upper, n, matrices[i], results[i]);
  }
  report(queue, "Matrix is not positive definite", "cholesky", info, {result});
  return upper ? triu(result, 0, &queue) : tril(result, 0, &queue);
}

Array cho_solve_by_cuda(const Operands& operands, const Array& factor, bool is_lower, const Array& b,
                        bool is_vector) {
  const Queue& queue = operands.queue;
  const std::int64_t n = factor.shape().back(), count = count_of(stack_of(factor));
  const Array columns = own_copy(matrix_transpose(factor), queue), x = columns_of(b, is_vector, queue);
  const Array ignored = new_info(queue, 1);
  const Parts matrices(columns, count), sides(x, count), other(ignored, 1);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_potrs(queue, operands.dtype.scalar, is_lower, n, is_vector ? 1 : b.shape().back(),
                              matrices[i], sides[i], other[0]);
  return rows_of(x, is_vector, queue);
}

LuFactors lu_factor_by_cuda(const Operands& operands, const Array& a) {
  const Queue& queue = operands.queue;
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back();
  const Array columns = own_copy(matrix_transpose(a), queue);
  const Factors factors = factor(operands, columns, m, n);
  return {copy(matrix_transpose(columns), &queue),
          astype(apply("subtract", {factors.pivots, 1}), DType::of(Scalar::int32), &queue)};
}

Array lu_solve_by_cuda(const Operands& operands, const Array& lu, const Array& pivots, const Array& b,
                       bool is_vector, char op) {
  const Queue& queue = operands.queue;
  const std::int64_t n = lu.shape().back(), count = count_of(stack_of(lu));
  const Array columns = own_copy(matrix_transpose(lu), queue), x = columns_of(b, is_vector, queue);
  // The library must not see a pivot that is not a row.
  const Array is_row =
      apply("logical_and", {apply("greater_equal", {pivots, 0}), apply("less", {pivots, n})});
  const Array rows = own_copy(apply("add", {where(is_row, pivots, 0), 1}), queue);
  const Array info = reshape(
      astype(apply("logical_not", {all(is_row, {.over = -1})}), DType::of(Scalar::int32), &queue), {count});
  substitute(operands, {rows, info, std::nullopt}, columns, op, x, is_vector ? 1 : b.shape().back());
  report(queue, "lu_solve: a pivot is not a row", "lu_solve", info, {x});
  return rows_of(x, is_vector, queue);
}

Lu lu_by_cuda(const Operands& operands, const Array& a) {
  const Queue& queue = operands.queue;
  const Shape stack = stack_of(a);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const std::int64_t count = count_of(stack);
  const Array columns = own_copy(matrix_transpose(a), queue);
  const Factors factors = factor(operands, columns, m, n);
  const Array pivots = own_copy(astype(factors.pivots, DType::of(Scalar::int64), &queue), queue);
  const DType int64 = DType::of(Scalar::int64);
  const Array rows = empty(queue, joined(stack, {m}), int64), places = empty(queue, rows.shape(), int64);
  const auto kernel = algorithms::kernel_of({"linalg_info"}, "permute", {});
  constexpr std::size_t kItems = 256;
  kernel(queue, rows.size(), range(static_cast<std::size_t>(count) * kItems).with_local(kItems),
         pivots.elements(), static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(m), rows.elements(),
         places.elements());
  const Array both = matrix_transpose(columns);
  const std::vector<Index> left = {Index::ellipsis(), Index::slice(), Index::slice(0, least)};
  return {places,
          apply("add", {tril(view(both, left), -1, &queue), eye(queue, m, least, operands.dtype)}, &queue),
          triu(first_rows(both, least), 0, &queue)};
}

bool takes_triangle(const Operands& operands) {
  return takes_cuda(operands) && libraries::cublas_solves(operands.queue, operands.dtype.scalar);
}

Array solve_triangle_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector,
                             bool is_lower, char op, bool has_unit_diagonal) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  const Array columns = own_copy(matrix_transpose(a), queue), x = columns_of(b, is_vector, queue);
  const Parts matrices(columns, count), sides(x, count);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cublas_trsm(queue, operands.dtype.scalar, is_lower, op, has_unit_diagonal, n,
                           is_vector ? 1 : b.shape().back(), matrices[i], sides[i]);
  if (!has_unit_diagonal) {
    const Array has_zero = any(apply("equal", {diagonal(a, 0, -2, -1), 0}), {.over = -1});
    report(queue, "singular matrix: resolution failed at a zero of the diagonal", "solve_triangular",
           reshape(astype(has_zero, DType::of(Scalar::int32), &queue), {count}), {x});
  }
  return rows_of(x, is_vector, queue);
}

}  // namespace quern::linalg
