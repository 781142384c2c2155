// SPDX-License-Identifier: MIT
// Orthogonal factors, eigenvalues, singular values and least squares by cuSOLVER.
//
// It reads columns, so it sees a C-contiguous matrix transposed. Each function says which problem that is.
#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "libraries/cusolver.hpp"
#include "linalg/cuda.hpp"
#include "linalg/cuda_parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern::linalg {
namespace {

// One call for a stack is faster than one for each matrix up to this size. It computes eigenvalues only: its
// vectors of repeated eigenvalues were not orthogonal (2e-6 in float64 for a stack of 40 x 40).
constexpr std::int64_t kMostBatchedEigenRows = 256;

Array adjoint(const Operands& operands, const Array& a) {
  const Array rows = matrix_transpose(a);
  const bool is_complex = operands.dtype.scalar != operands.real.scalar;
  return is_complex ? apply("conj", {rows}, &operands.queue) : rows;
}

}  // namespace

Eigen eigh_by_cuda(const Operands& operands, const Array& a, bool upper, bool wants_vectors) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  // The transposed matrix is the conjugate one, which has conjugate eigenvectors.
  const Array vectors = own_copy(a, queue);
  const Array values = empty(queue, joined(stack_of(a), {n}), operands.real);
  const Array info = new_info(queue, count);
  const Parts matrices(vectors, count), each(values, count), results(info, count);
  if (count > 1 && !wants_vectors && n <= kMostBatchedEigenRows && libraries::cusolver_has_syev_batched()) {
    libraries::cusolver_syev_batched(queue, operands.dtype.scalar, wants_vectors, upper, n, count,
                                     matrices[0], each[0], results[0]);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      libraries::cusolver_syevd(queue, operands.dtype.scalar, wants_vectors, upper, n, matrices[i], each[i],
                                results[i]);
  }
  report(queue, "Eigenvalues did not converge", wants_vectors ? "eigh" : "eigvalsh", info, {values, vectors});
  const Array columns = matrix_transpose(vectors);
  const bool is_complex = operands.dtype.scalar != operands.real.scalar;
  return {values, is_complex && wants_vectors ? apply("conj", {columns}, &queue) : columns};
}

bool takes_general(const Operands& operands) {
  return takes_cuda(operands) && libraries::cusolver_has_geev();
}

Eigen eig_by_cuda(const Operands& operands, const Array& a, bool wants_vectors) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  const DType complex =
      DType::of(operands.real.scalar == Scalar::float32 ? Scalar::complex64 : Scalar::complex128);
  const Array bad = find_not_finite(queue, a);
  // Of a matrix with NaN the call itself fails, so the library sees zeros in their place.
  const Array finite = where(apply("isfinite", {a}, &queue), a, 0);
  const Array columns = own_copy(matrix_transpose(finite), queue);
  const Array values = empty(queue, joined(stack_of(a), {n}), complex);
  // By rows: each row is a vector.
  const Array vectors = empty(queue, wants_vectors ? a.shape() : Shape{count}, operands.dtype);
  const Array info = new_info(queue, count);
  const Parts matrices(columns, count), each(values, count), right(vectors, count), results(info, count);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_geev(queue, operands.dtype.scalar, wants_vectors, n, matrices[i], each[i], right[i],
                             results[i]);
  const char* const name = wants_vectors ? "eig" : "eigvals";
  report(queue, "Eigenvalues did not converge", name, info, {values, vectors});
  report(queue, "Array must not contain infs or NaNs", name, bad, {values, vectors});
  if (!wants_vectors) return {values, vectors};
  if (operands.dtype.scalar != operands.real.scalar) return {values, matrix_transpose(vectors)};
  // Of a conjugate pair the first row is the real part of both vectors, and the second the imaginary part.
  const Array imaginary = expand_dims(apply("imag", {values}), {-1});
  const std::int64_t up = -1, down = 1;
  const Array next = roll(vectors, {&up, 1}, Axes{-2}, &queue),
              last = roll(vectors, {&down, 1}, Axes{-2}, &queue);
  const Array is_first = apply("greater", {imaginary, 0}), is_second = apply("less", {imaginary, 0});
  const Array re = astype(where(is_second, last, vectors), complex, &queue);
  const Array im =
      astype(where(is_first, next, where(is_second, apply("negative", {vectors}), 0)), complex, &queue);
  const Array pairs = apply("add", {re, apply("multiply", {im, Number(std::complex<double>(0, 1))})}, &queue);
  return {values, matrix_transpose(pairs)};
}

Svd svd_by_cuda(const Operands& operands, const Array& a, bool is_full, bool wants_vectors) {
  const Queue& queue = operands.queue;
  const Shape stack = stack_of(a);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), count = count_of(stack);
  // It takes matrices with at least as many rows as columns: A itself, or the transposed one.
  const bool is_tall = m >= n;
  const std::int64_t rows = std::max(m, n), columns = std::min(m, n), width = is_full ? rows : columns;
  const Array matrix = own_copy(is_tall ? matrix_transpose(a) : a, queue);
  const Array bad = find_not_finite(queue, a);  // of which the library reports success
  const Array s = empty(queue, joined(stack, {columns}), operands.real);
  // By columns: u is rows x width, vt columns x columns. By rows they are transposed.
  const Array u = empty(queue, wants_vectors ? joined(stack, {width, rows}) : Shape{count}, operands.dtype);
  const Array vt =
      empty(queue, wants_vectors ? joined(stack, {columns, columns}) : Shape{count}, operands.dtype);
  const Array info = new_info(queue, count);
  const Parts matrices(matrix, count), values(s, count), left(u, count), right(vt, count),
      results(info, count);
  const char job = !wants_vectors ? 'N' : is_full ? 'A' : 'S';
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_gesvd(queue, operands.dtype.scalar, job, rows, columns, matrices[i], values[i],
                              left[i], right[i], results[i]);
  report(queue, "SVD did not converge", wants_vectors ? "svd" : "svdvals",
         apply("bitwise_or", {info, reshape(bad, {count})}), {s, u, vt});
  if (!wants_vectors) return {u, s, vt};
  // A = u s vt, or A^T = u s vt and so A = vt^T s u^T.
  if (is_tall) return {matrix_transpose(u), s, matrix_transpose(vt)};
  return {vt, s, u};
}

bool takes_qr(const Operands& operands) {
  const Shape& shape = operands.arrays[0].shape();
  const std::int64_t m = shape[shape.size() - 2];
  return takes_cuda(operands) && m <= std::numeric_limits<std::int32_t>::max() / std::max(m, shape.back());
}

Qr qr_by_cuda(const Operands& operands, const Array& a, bool is_complete) {
  const Queue& queue = operands.queue;
  const Shape stack = stack_of(a);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const std::int64_t width = is_complete ? m : least, count = count_of(stack);
  const std::int64_t most = std::max(n, width);
  // Columns of A, and room for further columns of Q.
  const Array q = empty(queue, joined(stack, {most, m}), operands.dtype);
  const auto part = [&](std::int64_t end) { return first_rows(q, end); };
  assign(part(n), matrix_transpose(a));
  const Array tau = empty(queue, joined(stack, {least}), operands.dtype);
  const Array info = new_info(queue, count);
  const Parts matrices(q, count), factors(tau, count), results(info, count);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_geqrf(queue, operands.dtype.scalar, m, n, matrices[i], factors[i], results[i]);
  const Array all_r = matrix_transpose(copy(part(n), &queue));
  const Array r = triu(first_rows(all_r, width), 0, &queue);
  r.evaluate();
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_orgqr(queue, operands.dtype.scalar, m, width, least, matrices[i], factors[i],
                              results[i]);
  return {matrix_transpose(part(width)), r};
}

LeastSquares lstsq_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector,
                           double limit) {
  const Queue& queue = operands.queue;
  const std::int64_t m = a.shape()[0], n = a.shape()[1];
  const Array right = is_vector ? expand_dims(b, {-1}) : b;
  const Svd parts = svd_by_cuda(operands, a, false, true);
  const Array largest = max(parts.s, {.over = -1, .keepdims = true});
  const Array is_large = apply("greater", {parts.s, apply("multiply", {largest, limit})});
  const Array inverse = where(is_large, apply("divide", {1.0, where(is_large, parts.s, 1.0)}), 0.0);
  const Array x =
      matmul(adjoint(operands, parts.vh),
             apply("multiply", {expand_dims(inverse, {-1}), matmul(adjoint(operands, parts.u), right)}));
  const Array size = apply("absolute", {apply("subtract", {right, matmul(a, x)})});
  const Array residuals = sum(apply("square", {size}), {.over = 0});
  const std::int64_t rank =
      astype(count_nonzero(is_large), DType::of(Scalar::int64), &queue).to_vector<std::int64_t>(queue)[0];
  return {is_vector ? reshape(x, {n}) : x, rank == n && m > n ? residuals : empty(queue, {0}, operands.real),
          rank, parts.s};
}

}  // namespace quern::linalg
