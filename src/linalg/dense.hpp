// SPDX-License-Identifier: MIT
// Factorisations of one matrix in host memory, by LAPACK if it was found and otherwise by our own loops.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "libraries/blas.hpp"
#include "libraries/lapack.hpp"

namespace quern::linalg {

using libraries::Real;

// Elimination of matrices up to this size is faster without a call of LAPACK.
inline constexpr std::int64_t kSmall = 16;

// T is float, double or a complex type of them. Matrices are column-major and contiguous. Functions return 0,
// or a positive number if there is no result. Sizes may be 0. Any thread may call them.
template <class T>
class Dense {
 public:
  using Pivots = std::vector<std::int64_t>;  // rows from 1, as LAPACK counts
  using Complex = std::complex<Real<T>>;

  // Decides who computes. Does not search LAPACK if only elimination of this size, up to kSmall, is needed.
  explicit Dense(std::int64_t size = kSmall + 1);

  std::int64_t lu(std::int64_t m, std::int64_t n, T* a, Pivots& pivots) const;
  // op is 'N', 'T' or 'C'. b is n x columns.
  void lu_solve(char op, std::int64_t n, std::int64_t columns, const T* lu, const Pivots& pivots, T* b) const;
  // The inverse replaces the factors.
  std::int64_t lu_inverse(std::int64_t n, T* lu, const Pivots& pivots) const;
  // The factor L of L L^H in the lower triangle, or U of U^H U in the upper one. Reads that triangle and
  // leaves the other as it is.
  std::int64_t cholesky(bool is_lower, std::int64_t n, T* a) const;
  void cholesky_solve(std::int64_t n, std::int64_t columns, const T* lower, T* b) const;
  void triangle_solve(bool is_lower, char op, bool has_unit_diagonal, std::int64_t n, std::int64_t columns,
                      const T* a, T* b) const;
  void qr(std::int64_t m, std::int64_t n, T* a, T* tau) const;
  void q(std::int64_t m, std::int64_t n, std::int64_t k, T* a, const T* tau) const;
  // Eigenvalues ascending; eigenvectors replace a. Reads the lower triangle.
  std::int64_t eigh(bool wants_vectors, std::int64_t n, T* a, Real<T>* values) const;
  // u is m x m or m x min(m, n), vh n x n or min(m, n) x n; both may be null. Destroys a.
  std::int64_t svd(bool is_full, std::int64_t m, std::int64_t n, T* a, Real<T>* s, T* u, T* vh) const;
  // `vectors` may be null. Destroys a.
  std::int64_t eig(std::int64_t n, T* a, Complex* values, Complex* vectors) const;
  // b has max(m, n) rows: right sides in the first m, solutions in the first n. Destroys a.
  std::int64_t lstsq(std::int64_t m, std::int64_t n, std::int64_t columns, T* a, T* b, Real<T>* s,
                     Real<T> limit, std::int64_t& rank) const;
  // a(i, j) is bands[lower + upper + i - j + j * (2 * lower + upper + 1)].
  std::int64_t banded_solve(std::int64_t n, std::int64_t lower, std::int64_t upper, std::int64_t columns,
                            T* bands, T* b) const;

 private:
  [[nodiscard]] const libraries::Lapack<T>* lapack_for(std::int64_t size) const {
    return size <= kSmall ? nullptr : lapack_;
  }
  const libraries::Lapack<T>* lapack_ = nullptr;
  const libraries::Blas* blas_ = nullptr;  // null if none was found
};

}  // namespace quern::linalg
