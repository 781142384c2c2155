// SPDX-License-Identifier: MIT
// Linear algebra: systems of equations, factorisations, eigenvalues, norms. Matrices are in the last two
// axes; functions work on each matrix of a stack. On the host LAPACK computes if it was found, and our own
// loops otherwise. GPUs compute small real matrices by kernels, and CUDA devices others by cuSOLVER if it was
// found. What remains is copied to the host and back.
//
// A function enqueues its work. If a matrix is singular, not positive definite, or an iteration does not
// converge, every read of the results throws LinAlgError. Where matrices are copied to the host, the function
// waits and throws it itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// The n-th power of each matrix of the stack; the identity for n = 0, powers of the inverse for n < 0.
Array matrix_power(const Array& a, std::int64_t n);

// The norm of order `ord` of all elements, or along some axes: infinity gives the maximum magnitude,
// -infinity the minimum, 0 counts nonzero elements.
Array vector_norm(const Array& x, double ord = 2, const Over& over = {}, bool keepdims = false);

// Norms of the matrices in the last two axes: Frobenius, the greatest or least sum of magnitudes of columns
// or rows, the greatest or least singular value, or the sum of the singular values.
enum class MatrixNorm : std::uint8_t {
  frobenius,
  greatest_column,
  least_column,
  greatest_row,
  least_row,
  greatest_singular,
  least_singular,
  nuclear
};
Array matrix_norm(const Array& x, MatrixNorm norm = MatrixNorm::frobenius, bool keepdims = false);

namespace linalg {

// The solution x of a x = b. A vector b is one right side, otherwise its columns are.
Array solve(const Array& a, const Array& b);
Array inv(const Array& a);
Array det(const Array& a);
struct SignAndLog {
  Array sign, logabsdet;
};
SignAndLog slogdet(const Array& a);

// L with L L^H = a, or U with U^H U = a. Reads that triangle of a.
Array cholesky(const Array& a, bool upper = false);
// The solution of a x = b from a factor of cholesky().
Array cho_solve(const Array& factor, bool is_lower, const Array& b);
// A factor with its triangle, as SciPy's cho_factor() returns it. The other triangle is zero.
struct CholeskyFactor {
  Array c;
  bool lower;
};
CholeskyFactor cho_factor(const Array& a, bool lower = false);
Array cho_solve(const CholeskyFactor& factor, const Array& b);

struct LuFactors {
  Array lu;      // L below the diagonal, whose own is ones, and U
  Array pivots;  // row i was exchanged with row pivots[i]
};
LuFactors lu_factor(const Array& a);
enum class Op : std::uint8_t { none, transpose, adjoint };  // a, its transpose, its conjugate transpose
Array lu_solve(const LuFactors& factors, const Array& b, Op op = Op::none);
struct Lu {
  Array permutation, l, u;  // a = l[permutation] @ u
};
Lu lu(const Array& a);

// The solution of op(a) x = b, where one triangle of a is read.
Array solve_triangular(const Array& a, const Array& b, bool is_lower = false, Op op = Op::none,
                       bool has_unit_diagonal = false);
// The solution for a matrix with `lower` diagonals below and `upper` above the main one, which are the rows
// of ab: a[i, j] is ab[upper + i - j, j].
Array solve_banded(std::int64_t lower, std::int64_t upper, const Array& ab, const Array& b);

enum class QrMode : std::uint8_t { reduced, complete, r, raw };
struct Qr {
  Array q, r;  // for QrMode::r only r; for QrMode::raw the Householder vectors, transposed, and their factors
};
Qr qr(const Array& a, QrMode mode = QrMode::reduced);

struct Eigen {
  Array values, vectors;  // vectors are columns
};
// Of Hermitian matrices, ascending. Reads one triangle.
Eigen eigh(const Array& a, bool upper = false);
Array eigvalsh(const Array& a, bool upper = false);
// Of general matrices. The results are complex.
Eigen eig(const Array& a);
Array eigvals(const Array& a);

struct Svd {
  Array u, s, vh;  // a = u diag(s) vh, s descending
};
Svd svd(const Array& a, bool full_matrices = true);
Array svdvals(const Array& a);

struct LeastSquares {
  Array x;
  Array residuals;  // empty unless a has full rank and more rows than columns
  std::int64_t rank;
  Array s;  // singular values of a
};
// Waits for the rank. Singular values below `rcond` times the greatest count as zero; by default the machine
// precision times the larger dimension.
LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {});

// The pseudo-inverse; singular values up to rtol times the greatest count as zero.
Array pinv(const Array& a, const std::optional<Array>& rtol = {}, bool hermitian = false);
// The number of singular values above a tolerance.
Array matrix_rank(const Array& a, const std::optional<Array>& tol = {}, const std::optional<Array>& rtol = {},
                  bool hermitian = false);
// The condition number: the norm of a times that of its inverse; the ratio of singular values without a norm.
Array cond(const Array& a, std::optional<MatrixNorm> norm = {});
// The product of several matrices, in the order that needs the fewest operations.
Array multi_dot(std::span<const Array> arrays);
Array tensorinv(const Array& a, std::int64_t ind = 2);
Array tensorsolve(const Array& a, const Array& b, const std::vector<int>& axes = {});
// The matrix exponential. Waits for the norm of a.
Array expm(const Array& a);

}  // namespace linalg
}  // namespace quern
