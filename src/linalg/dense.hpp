// SPDX-License-Identifier: MIT
// Factorisations of one matrix in host memory, by LAPACK if it was found and otherwise by our own loops.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "libraries/lapack.hpp"

namespace quern::linalg {

using libraries::Real;

// T is float, double or a complex type of them. Matrices are column-major and contiguous. Functions return 0,
// or a positive number if there is no result. Sizes may be 0. Any thread may call them.
template <class T>
struct Dense {
  using Pivots = std::vector<std::int64_t>;  // rows from 1, as LAPACK counts
  using Complex = std::complex<Real<T>>;

  static std::int64_t lu(std::int64_t m, std::int64_t n, T* a, Pivots& pivots);
  // op is 'N', 'T' or 'C'. b is n x columns.
  static void lu_solve(char op, std::int64_t n, std::int64_t columns, const T* lu, const Pivots& pivots,
                       T* b);
  // The inverse replaces the factors.
  static std::int64_t lu_inverse(std::int64_t n, T* lu, const Pivots& pivots);
  // The factor L of L L^H in the lower triangle, or U of U^H U in the upper one. Reads that triangle and
  // leaves the other as it is.
  static std::int64_t cholesky(bool is_lower, std::int64_t n, T* a);
  static void cholesky_solve(std::int64_t n, std::int64_t columns, const T* lower, T* b);
  static void triangle_solve(bool is_lower, char op, bool has_unit_diagonal, std::int64_t n,
                             std::int64_t columns, const T* a, T* b);
  static void qr(std::int64_t m, std::int64_t n, T* a, T* tau);
  static void q(std::int64_t m, std::int64_t n, std::int64_t k, T* a, const T* tau);
  // Eigenvalues ascending; eigenvectors replace a. Reads the lower triangle.
  static std::int64_t eigh(bool wants_vectors, std::int64_t n, T* a, Real<T>* values);
  // u is m x m or m x min(m, n), vh n x n or min(m, n) x n; both may be null. Destroys a.
  static std::int64_t svd(bool is_full, std::int64_t m, std::int64_t n, T* a, Real<T>* s, T* u, T* vh);
  // `vectors` may be null. Destroys a.
  static std::int64_t eig(std::int64_t n, T* a, Complex* values, Complex* vectors);
  // b has max(m, n) rows: right sides in the first m, solutions in the first n. Destroys a.
  static std::int64_t lstsq(std::int64_t m, std::int64_t n, std::int64_t columns, T* a, T* b, Real<T>* s,
                            Real<T> limit, std::int64_t& rank);
  // a(i, j) is bands[lower + upper + i - j + j * (2 * lower + upper + 1)].
  static std::int64_t banded_solve(std::int64_t n, std::int64_t lower, std::int64_t upper,
                                   std::int64_t columns, T* bands, T* b);
};

}  // namespace quern::linalg
