// SPDX-License-Identifier: MIT
// Chooses between LAPACK and our own loops for each factorisation.
#include "linalg/dense.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "linalg/own_eig.hpp"
#include "linalg/own_lu.hpp"
#include "linalg/own_orthogonal.hpp"

namespace quern::linalg {
namespace {

using libraries::Lapack;

std::int64_t pitch_of(std::int64_t rows) {
  return std::max<std::int64_t>(1, rows);
}

template <class T>
void conjugate_transpose(std::int64_t m, std::int64_t n, const T* from, T* to) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) to[j + i * n] = own::conj_of(from[i + j * m]);
  }
}

// For m >= n: A = Q R, and R^H = U' diag(s) V'^H, so A = (Q V') diag(s) U'^H. Rotations of the columns of R^H
// converge in fewer sweeps than those of R, because its columns have falling lengths.
template <class T>
std::int64_t tall_svd(bool is_full, std::int64_t m, std::int64_t n, T* a, Real<T>* s, T* u, T* vh) {
  const auto size = static_cast<std::size_t>(n * n);
  std::vector<T> tau(static_cast<std::size_t>(n)), g(size), v;
  const int exponent = own::scale_of(m, n, a, m);
  own::scale(m, n, a, m, -exponent);
  own::geqrf(m, n, a, m, tau.data());
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) g[static_cast<std::size_t>(j + i * n)] = own::conj_of(a[i + j * m]);
  }
  if (u != nullptr) {
    v.assign(size, T{});
    for (std::int64_t j = 0; j < n; ++j) v[static_cast<std::size_t>(j * (n + 1))] = T{1};
  }
  if (const auto info = own::square_svd(n, g.data(), n, s, u != nullptr ? v.data() : nullptr, n)) return info;
  own::scale(n, 1, s, n, exponent);
  if (u == nullptr) return 0;
  const std::int64_t width = is_full ? m : n;
  std::vector<T> q(static_cast<std::size_t>(m * width));
  std::copy(a, a + m * n, q.begin());
  own::orgqr(m, width, n, q.data(), m, tau.data());
  std::fill(u, u + m * n, T{});
  for (T& element : v) element = -element;
  own::subtract_product(m, n, n, q.data(), m, v.data(), n, u, m);
  std::copy(q.begin() + m * n, q.end(), u + m * n);
  conjugate_transpose(n, n, g.data(), vh);
  return 0;
}

}  // namespace

template <class T>
Dense<T>::Dense(std::int64_t size) {
  if (size <= kSmall) return;
  lapack_ = Lapack<T>::find();
  const libraries::Blas& blas = libraries::blas();
  if (blas.found()) blas_ = &blas;
}

template <class T>
std::int64_t Dense<T>::lu(std::int64_t m, std::int64_t n, T* a, Pivots& pivots) const {
  if (m == 0 || n == 0) {
    pivots.clear();
    return 0;
  }
  if (const auto* const lapack = lapack_for(std::min(m, n))) return lapack->getrf(m, n, a, m, pivots);
  return own::getrf(m, n, a, m, pivots);
}

template <class T>
void Dense<T>::lu_solve(char op, std::int64_t n, std::int64_t columns, const T* lu, const Pivots& pivots,
                        T* b) const {
  if (n == 0 || columns == 0) return;
  if (const auto* const lapack = lapack_for(n))
    lapack->getrs(op, n, columns, lu, n, pivots, b, n);
  else
    own::getrs(op, n, columns, lu, n, pivots, b, n);
}

template <class T>
std::int64_t Dense<T>::lu_inverse(std::int64_t n, T* lu, const Pivots& pivots) const {
  if (n == 0) return 0;
  if (const auto* const lapack = lapack_for(n)) return lapack->getri(n, lu, n, pivots);
  std::vector<T> result(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) result[static_cast<std::size_t>(i * (n + 1))] = T{1};
  own::getrs('N', n, n, lu, n, pivots, result.data(), n);
  std::copy(result.begin(), result.end(), lu);
  return 0;
}

template <class T>
std::int64_t Dense<T>::cholesky(bool is_lower, std::int64_t n, T* a) const {
  if (n == 0) return 0;
  if (const auto* const lapack = lapack_for(n)) return lapack->potrf(is_lower ? 'L' : 'U', n, a, n);
  if (is_lower) return own::potrf(n, a, n);
  const auto mirror = [&] {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < j; ++i) {
        T &above = a[i + j * n], &below = a[j + i * n];
        const T old = below;
        below = own::conj_of(above);
        above = own::conj_of(old);
      }
    }
  };
  mirror();
  const std::int64_t info = own::potrf(n, a, n);
  mirror();
  return info;
}

template <class T>
void Dense<T>::cholesky_solve(std::int64_t n, std::int64_t columns, const T* lower, T* b) const {
  if (n == 0 || columns == 0) return;
  if (const auto* const lapack = lapack_for(n)) {
    lapack->potrs('L', n, columns, lower, n, b, n);
    return;
  }
  own::solve_triangle(true, 'N', false, n, columns, lower, n, b, n);
  own::solve_triangle(true, 'C', false, n, columns, lower, n, b, n);
}

template <class T>
void Dense<T>::triangle_solve(bool is_lower, char op, bool has_unit_diagonal, std::int64_t n,
                              std::int64_t columns, const T* a, T* b) const {
  if (n == 0 || columns == 0) return;
  if (n <= kSmall || blas_ == nullptr) {
    own::solve_triangle(is_lower, op, has_unit_diagonal, n, columns, a, n, b, n);
    return;
  }
  // Read as row-major, both are transposed: X^T op(A)^T = B^T.
  using libraries::Diagonal, libraries::Side, libraries::Transpose, libraries::Triangle;
  blas_->trsm(Side::right, is_lower ? Triangle::upper : Triangle::lower,
              op == 'N'   ? Transpose::no
              : op == 'T' ? Transpose::yes
                          : Transpose::conjugate,
              has_unit_diagonal ? Diagonal::ones : Diagonal::stored, columns, n, T{1}, a, n, b, n);
}

template <class T>
void Dense<T>::qr(std::int64_t m, std::int64_t n, T* a, T* tau) const {
  if (m == 0 || n == 0) return;
  if (const auto* const lapack = lapack_for(std::min(m, n)))
    lapack->geqrf(m, n, a, m, tau);
  else
    own::geqrf(m, n, a, m, tau);
}

template <class T>
void Dense<T>::q(std::int64_t m, std::int64_t n, std::int64_t k, T* a, const T* tau) const {
  if (m == 0 || n == 0) return;
  if (const auto* const lapack = lapack_for(n))
    lapack->orgqr(m, n, k, a, m, tau);
  else
    own::orgqr(m, n, k, a, m, tau);
}

template <class T>
std::int64_t Dense<T>::eigh(bool wants_vectors, std::int64_t n, T* a, Real<T>* values) const {
  if (n == 0) return 0;
  if (const auto* const lapack = lapack_)
    return lapack->syevd(wants_vectors ? 'V' : 'N', 'L', n, a, pitch_of(n), values);
  for (std::int64_t j = 0; j < n; ++j) {
    a[j * (n + 1)] = own::real_of(a[j * (n + 1)]);
    for (std::int64_t i = 0; i < j; ++i) a[i + j * n] = own::conj_of(a[j + i * n]);
  }
  return own::heev(wants_vectors, n, a, n, values);
}

template <class T>
std::int64_t Dense<T>::svd(bool is_full, std::int64_t m, std::int64_t n, T* a, Real<T>* s, T* u,
                           T* vh) const {
  const std::int64_t least = std::min(m, n);
  if (least == 0) {
    const auto identity = [](std::int64_t size, T* to) {
      std::fill(to, to + size * size, T{});
      for (std::int64_t i = 0; i < size; ++i) to[i * (size + 1)] = T{1};
    };
    if (u != nullptr && is_full) {
      identity(m, u);
      identity(n, vh);
    }
    return 0;
  }
  if (const auto* const lapack = lapack_) {
    const char job = u == nullptr ? 'N' : is_full ? 'A' : 'S';
    return lapack->gesdd(job, m, n, a, m, s, u, m, vh, is_full ? n : least);
  }
  if (m >= n) return tall_svd(is_full, m, n, a, s, u, vh);
  // A^H = V diag(s) U^H.
  std::vector<T> adjoint(static_cast<std::size_t>(m * n));
  conjugate_transpose(m, n, a, adjoint.data());
  if (u == nullptr) return tall_svd<T>(is_full, n, m, adjoint.data(), s, nullptr, nullptr);
  const std::int64_t width = is_full ? n : least;
  std::vector<T> v(static_cast<std::size_t>(n * width)), uh(static_cast<std::size_t>(m * m));
  if (const auto info = tall_svd(is_full, n, m, adjoint.data(), s, v.data(), uh.data())) return info;
  conjugate_transpose(m, m, uh.data(), u);
  conjugate_transpose(n, width, v.data(), vh);
  return 0;
}

template <class T>
std::int64_t Dense<T>::eig(std::int64_t n, T* a, Complex* values, Complex* vectors) const {
  if (n == 0) return 0;
  if (const auto* const lapack = lapack_) return lapack->geev(n, a, n, values, vectors);
  std::vector<Complex> h(a, a + n * n);
  return own::geev(n, h.data(), values, vectors, !own::kIsComplex<T>);
}

template <class T>
std::int64_t Dense<T>::lstsq(std::int64_t m, std::int64_t n, std::int64_t columns, T* a, T* b, Real<T>* s,
                             Real<T> limit, std::int64_t& rank) const {
  const std::int64_t least = std::min(m, n), rows = std::max(m, n);
  rank = 0;
  if (least == 0 || columns == 0) {
    std::fill(b, b + rows * columns, T{});
    if (least == 0) return 0;
  }
  if (const auto* const lapack = lapack_; lapack != nullptr && columns != 0)
    return lapack->gelsd(m, n, columns, a, m, b, rows, s, limit, rank);
  std::vector<T> u(static_cast<std::size_t>(m * least)), vh(static_cast<std::size_t>(least * n));
  if (const auto info = svd(false, m, n, a, s, u.data(), vh.data())) return info;
  const Real<T> bound = (limit < 0 ? std::numeric_limits<Real<T>>::epsilon() : limit) * s[0];
  while (rank < least && s[rank] > bound) ++rank;
  std::vector<T> solution(static_cast<std::size_t>(n));
  for (std::int64_t c = 0; c < columns; ++c) {
    std::fill(solution.begin(), solution.end(), T{});
    for (std::int64_t k = 0; k < rank; ++k) {
      const T factor = own::dot(m, u.data() + k * m, b + c * rows) / s[k];
      for (std::int64_t i = 0; i < n; ++i)
        solution[static_cast<std::size_t>(i)] +=
            own::times(factor, own::conj_of(vh[static_cast<std::size_t>(k + i * least)]));
    }
    std::copy(solution.begin(), solution.end(), b + c * rows);
  }
  return 0;
}

template <class T>
std::int64_t Dense<T>::banded_solve(std::int64_t n, std::int64_t lower, std::int64_t upper,
                                    std::int64_t columns, T* bands, T* b) const {
  if (n == 0 || columns == 0) return 0;
  const std::int64_t pitch = 2 * lower + upper + 1;
  if (const auto* const lapack = lapack_) return lapack->gbsv(n, lower, upper, columns, bands, pitch, b, n);
  return own::gbsv(n, lower, upper, columns, bands, pitch, b, n);
}

template class Dense<float>;
template class Dense<double>;
template class Dense<std::complex<float>>;
template class Dense<std::complex<double>>;

}  // namespace quern::linalg
