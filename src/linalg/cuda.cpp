// SPDX-License-Identifier: MIT
// Calls cuSOLVER for each matrix of a stack.
//
// cuSOLVER reads columns, so it sees a C-contiguous matrix transposed. Each function says which problem that
// is.
#include "linalg/cuda.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "libraries/cusolver.hpp"
#include "linalg/checked.hpp"
#include "quern/arithmetic.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern::linalg {
namespace {

using libraries::DevicePart;

// New contiguous memory with the elements of an array, which a factorisation overwrites.
Array own_copy(const Array& array, const Queue& queue) {
  const Array made = copy(array, &queue);
  made.evaluate();
  if (made.contiguous()) return made;
  const Array dense = empty(queue, array.shape(), array.dtype());
  assign(dense, array);
  return dense;
}

// The parts of a contiguous stack.
class Parts {
 public:
  Parts(const Array& array, std::int64_t count)
      : elements_(array.elements()),
        step_(count == 0 ? 0 : static_cast<std::int64_t>(array.nbytes()) / count) {}
  [[nodiscard]] DevicePart operator[](std::int64_t i) const { return {&elements_, i * step_}; }

 private:
  Buffer elements_;
  std::int64_t step_;
};

std::int64_t count_of(const Shape& stack) {
  std::int64_t count = 1;
  for (const std::int64_t length : stack) count *= length;
  return count;
}

// A view of the first rows of each matrix.
Array first_rows(const Array& array, std::int64_t count) {
  const std::vector<Index> index = {Index::ellipsis(), Index::slice(0, count), Index::slice()};
  return view(array, index);
}

Array new_info(const Queue& queue, std::int64_t count) {
  return empty(queue, {count}, DType::of(Scalar::int32));
}

// Attaches what the library reported to the results.
void report(const Queue& queue, const char* text, const char* function, const Array& info,
            std::initializer_list<Array> results) {
  const auto count = static_cast<std::int64_t>(info.size());
  const auto kernel = algorithms::kernel_of({"linalg_info"}, "first_failure", {});
  for (const Array& result : results) {
    run_checked(queue, {text, function, count}, result, [&](const Buffer& slot) {
      return kernel(queue, info.size(), range(1).with_local(1), info.elements(),
                    static_cast<std::uint64_t>(count), slot);
    });
  }
}

}  // namespace

bool takes_cuda(const Operands& operands) {
  return libraries::cusolver_takes(operands.queue, operands.dtype.scalar) &&
         std::all_of(operands.arrays.begin(), operands.arrays.end(),
                     [](const Array& array) { return array.size() != 0; });
}

Array solve_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector) {
  const Queue& queue = operands.queue;
  const Scalar scalar = operands.dtype.scalar;
  const std::int64_t n = a.shape().back(), columns = is_vector ? 1 : b.shape().back();
  const std::int64_t count = count_of(stack_of(a));
  // It factors the transposed matrix, and solves with the transpose of that.
  const Array lu = own_copy(a, queue);
  const Array x = own_copy(is_vector ? b : matrix_transpose(b), queue);
  const Array pivots = empty(queue, {n}, DType::of(Scalar::int64));
  const Array info = new_info(queue, count), ignored = new_info(queue, 1);
  const Parts matrices(lu, count), sides(x, count), results(info, count), rows(pivots, 1), other(ignored, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    libraries::cusolver_getrf(queue, scalar, n, matrices[i], rows[0], results[i]);
    libraries::cusolver_getrs(queue, scalar, true, n, columns, matrices[i], rows[0], sides[i], other[0]);
  }
  report(queue, "Singular matrix", "solve", info, {x});
  return is_vector ? x : copy(matrix_transpose(x), &queue);
}

Array invert_by_cuda(const Operands& operands, const Array& a) {
  const Queue& queue = operands.queue;
  const Scalar scalar = operands.dtype.scalar;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  // The inverse of the transposed matrix is the transposed inverse.
  const Array lu = own_copy(a, queue);
  const Array x = own_copy(broadcast_to(eye(queue, n, n, operands.dtype), a.shape()), queue);
  const Array pivots = empty(queue, {n}, DType::of(Scalar::int64));
  const Array info = new_info(queue, count), ignored = new_info(queue, 1);
  const Parts matrices(lu, count), sides(x, count), results(info, count), rows(pivots, 1), other(ignored, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    libraries::cusolver_getrf(queue, scalar, n, matrices[i], rows[0], results[i]);
    libraries::cusolver_getrs(queue, scalar, false, n, n, matrices[i], rows[0], sides[i], other[0]);
  }
  report(queue, "Singular matrix", "inv", info, {x});
  return x;
}

Array factor_by_cuda(const Operands& operands, const Array& a, bool upper) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  // The lower triangle of the rows is the upper one of the columns: A^T = U^H U gives A = U^T (U^T)^H.
  const Array factor = own_copy(a, queue);
  const Array info = new_info(queue, count);
  const Parts matrices(factor, count), results(info, count);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_potrf(queue, operands.dtype.scalar, upper, n, matrices[i], results[i]);
  report(queue, "Matrix is not positive definite", "cholesky", info, {factor});
  return upper ? triu(factor, 0, &queue) : tril(factor, 0, &queue);
}

Eigen eigh_by_cuda(const Operands& operands, const Array& a, bool upper, bool wants_vectors) {
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = count_of(stack_of(a));
  // The transposed matrix is the conjugate one, which has conjugate eigenvectors.
  const Array vectors = own_copy(a, queue);
  const Array values = empty(queue, joined(stack_of(a), {n}), operands.real);
  const Array info = new_info(queue, count);
  const Parts matrices(vectors, count), each(values, count), results(info, count);
  for (std::int64_t i = 0; i < count; ++i)
    libraries::cusolver_syevd(queue, operands.dtype.scalar, wants_vectors, upper, n, matrices[i], each[i],
                              results[i]);
  report(queue, "Eigenvalues did not converge", wants_vectors ? "eigh" : "eigvalsh", info, {values, vectors});
  const Array columns = matrix_transpose(vectors);
  const bool is_complex = operands.dtype.scalar != operands.real.scalar;
  return {values, is_complex && wants_vectors ? apply("conj", {columns}, &queue) : columns};
}

Svd svd_by_cuda(const Operands& operands, const Array& a, bool is_full, bool wants_vectors) {
  const Queue& queue = operands.queue;
  const Shape stack = stack_of(a);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), count = count_of(stack);
  // It takes matrices with at least as many rows as columns: A itself, or the transposed one.
  const bool is_tall = m >= n;
  const std::int64_t rows = std::max(m, n), columns = std::min(m, n), width = is_full ? rows : columns;
  const Array matrix = own_copy(is_tall ? matrix_transpose(a) : a, queue);
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
  report(queue, "SVD did not converge", wants_vectors ? "svd" : "svdvals", info, {s, u, vt});
  if (!wants_vectors) return {u, s, vt};
  // A = u s vt, or A^T = u s vt and so A = vt^T s u^T.
  if (is_tall) return {matrix_transpose(u), s, matrix_transpose(vt)};
  return {vt, s, u};
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

}  // namespace quern::linalg
