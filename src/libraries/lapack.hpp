// SPDX-License-Identifier: MIT
// Factorisations by the LAPACK of the BLAS that was found. Matrices are column-major: `pitch` is the elements
// from column to column.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "libraries/blas.hpp"

namespace quern::libraries {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

// T is float, double or a complex type of them. Functions return LAPACK's `info`: 0, or a positive number of
// a pivot, minor or iteration that failed. Any thread may call them.
template <class T>
class Lapack {
 public:
  using Pivots = std::vector<std::int64_t>;  // rows from 1, as LAPACK counts

  // Null if no library was found, or if it has no LAPACK.
  static const Lapack* find();

  std::int64_t getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t pitch, Pivots& pivots) const;
  // op is 'N', 'T' or 'C'.
  std::int64_t getrs(char op, std::int64_t n, std::int64_t columns, const T* lu, std::int64_t pitch,
                     const Pivots& pivots, T* b, std::int64_t b_pitch) const;
  std::int64_t getri(std::int64_t n, T* lu, std::int64_t pitch, const Pivots& pivots) const;
  std::int64_t potrf(char triangle, std::int64_t n, T* a, std::int64_t pitch) const;
  std::int64_t potrs(char triangle, std::int64_t n, std::int64_t columns, const T* factor, std::int64_t pitch,
                     T* b, std::int64_t b_pitch) const;
  // Householder vectors below the diagonal, R above.
  std::int64_t geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t pitch, T* tau) const;
  // The first `n` columns of Q of `k` Householder vectors.
  std::int64_t orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t pitch,
                     const T* tau) const;
  // Eigenvalues in ascending order, and eigenvectors in `a` for job 'V'.
  std::int64_t syevd(char job, char triangle, std::int64_t n, T* a, std::int64_t pitch,
                     Real<T>* values) const;
  // job 'N', 'S' or 'A'; destroys `a`.
  std::int64_t gesdd(char job, std::int64_t m, std::int64_t n, T* a, std::int64_t pitch, Real<T>* s, T* u,
                     std::int64_t u_pitch, T* vh, std::int64_t vh_pitch) const;
  // Eigenvalues and, unless `vectors` is null, right eigenvectors of unit length; destroys `a`.
  std::int64_t geev(std::int64_t n, T* a, std::int64_t pitch, std::complex<Real<T>>* values,
                    std::complex<Real<T>>* vectors) const;
  // The solution of least norm in the first n rows of b; destroys `a`.
  std::int64_t gelsd(std::int64_t m, std::int64_t n, std::int64_t columns, T* a, std::int64_t pitch, T* b,
                     std::int64_t b_pitch, Real<T>* s, Real<T> limit, std::int64_t& rank) const;
  // A banded matrix with `lower` + `upper` + 1 diagonals, and `lower` rows of workspace above them.
  std::int64_t gbsv(std::int64_t n, std::int64_t lower, std::int64_t upper, std::int64_t columns, T* bands,
                    std::int64_t pitch, T* b, std::int64_t b_pitch) const;

 private:
  enum Function : std::size_t {
    kGetrf,
    kGetrs,
    kGetri,
    kPotrf,
    kPotrs,
    kGeqrf,
    kOrgqr,
    kSyevd,
    kGesdd,
    kGeev,
    kGelsd,
    kGbsv,
    kFunctions
  };
  const Blas* blas_ = nullptr;
  std::array<void*, kFunctions> functions_{};
};

}  // namespace quern::libraries
