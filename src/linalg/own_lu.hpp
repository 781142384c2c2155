// SPDX-License-Identifier: MIT
// Gaussian elimination and Cholesky factors without a library. Matrices are column-major: `pitch` is the
// elements from column to column. Functions return 0, or the number of the pivot that failed, from 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace quern::linalg::own {

using Index = std::int64_t;

template <class T>
inline constexpr bool kIsComplex = !std::is_floating_point_v<T>;

template <class T>
struct RealType {
  using type = T;
};
template <class T>
struct RealType<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealType<T>::type;

template <class T>
T conj_of(T x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}
template <class T>
Real<T> real_of(T x) {
  return std::real(x);
}
// LAPACK's measure of pivots: cheaper than the magnitude, and equal to it for real numbers.
template <class T>
Real<T> size_of(T x) {
  if constexpr (kIsComplex<T>)
    return std::abs(x.real()) + std::abs(x.imag());
  else
    return std::abs(x);
}
// The product without the checks for infinities that C's complex product makes.
template <class T>
T times(T x, T y) {
  if constexpr (kIsComplex<T>)
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  else
    return x * y;
}

// The product with 2^exponent, which need not be a number of the type itself.
template <class T>
T scaled(T x, int exponent) {
  if constexpr (kIsComplex<T>)
    return {std::scalbn(x.real(), exponent), std::scalbn(x.imag(), exponent)};
  else
    return std::scalbn(x, exponent);
}

// y += factor * x
template <class T>
void axpy(Index n, T factor, const T* x, T* y) {
  for (Index i = 0; i < n; ++i) y[i] += times(factor, x[i]);
}
// The sum of conj(x) * y, in four partial sums.
template <class T>
T dot(Index n, const T* x, const T* y) {
  T sums[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index k = 0; k < 4; ++k) sums[k] += times(conj_of(x[i + k]), y[i + k]);
  }
  for (; i < n; ++i) sums[0] += times(conj_of(x[i]), y[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// c -= a @ b, where c is m x n and a m x depth. Four columns of a are read at once, and parts of a stay in
// the cache.
template <class T>
void subtract_product(Index m, Index n, Index depth, const T* a, Index a_pitch, const T* b, Index b_pitch,
                      T* c, Index c_pitch) {
  constexpr Index kRows = 256;
  for (Index first = 0; first < m; first += kRows) {
    const Index rows = std::min(kRows, m - first);
    for (Index j = 0; j < n; ++j) {
      T* const to = c + j * c_pitch + first;
      const T* const factors = b + j * b_pitch;
      Index k = 0;
      for (; k + 4 <= depth; k += 4) {
        const T *const a0 = a + k * a_pitch + first, *const a1 = a0 + a_pitch, *const a2 = a1 + a_pitch,
                       *const a3 = a2 + a_pitch;
        const T f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
        for (Index i = 0; i < rows; ++i)
          to[i] -= (times(f0, a0[i]) + times(f1, a1[i])) + (times(f2, a2[i]) + times(f3, a3[i]));
      }
      for (; k < depth; ++k) axpy(rows, -factors[k], a + k * a_pitch + first, to);
    }
  }
}

// b = the solution of a x = b for a triangular matrix a of size n and `columns` columns of b. `op` is 'N',
// 'T' or 'C' for a, its transpose or its conjugate transpose.
template <class T>
void solve_triangle(bool is_lower, char op, bool has_unit_diagonal, Index n, Index columns, const T* a,
                    Index pitch, T* b, Index b_pitch) {
  const auto given = [&](Index i, Index j) {
    return op == 'C' ? conj_of(a[i + j * pitch]) : a[i + j * pitch];
  };
  for (Index c = 0; c < columns; ++c) {
    T* const x = b + c * b_pitch;
    if (op == 'N') {
      for (Index step = 0; step < n; ++step) {
        const Index j = is_lower ? step : n - 1 - step;
        if (!has_unit_diagonal) x[j] /= a[j + j * pitch];
        if (is_lower)
          axpy(n - 1 - j, -x[j], a + j + 1 + j * pitch, x + j + 1);
        else
          axpy(j, -x[j], a + j * pitch, x);
      }
      continue;
    }
    for (Index step = 0; step < n; ++step) {
      const Index j = is_lower ? n - 1 - step : step;
      T sum = x[j];
      const Index begin = is_lower ? j + 1 : 0, end = is_lower ? n : j;
      for (Index i = begin; i < end; ++i) sum -= times(given(i, j), x[i]);
      x[j] = has_unit_diagonal ? sum : sum / given(j, j);
    }
  }
}

// One panel of columns, with partial pivoting. Pivots are rows from 0.
template <class T>
Index factor_panel(Index m, Index n, T* a, Index pitch, Index* pivots) {
  Index info = 0;
  for (Index j = 0; j < std::min(m, n); ++j) {
    T* const column = a + j * pitch;
    Index best = j;
    for (Index i = j + 1; i < m; ++i) {
      if (size_of(column[i]) > size_of(column[best])) best = i;
    }
    pivots[j] = best;
    if (column[best] == T{}) {
      if (info == 0) info = j + 1;
      continue;
    }
    if (best != j) {
      for (Index k = 0; k < n; ++k) std::swap(a[j + k * pitch], a[best + k * pitch]);
    }
    // Equal elements give 1 exactly, so that of two equal rows nothing remains and the matrix is known to be
    // singular. Products with the reciprocal do not; that of a subnormal pivot may be infinite, too.
    const T pivot = column[j];
    for (Index i = j + 1; i < m; ++i) column[i] = column[i] == pivot ? T{1} : column[i] / pivot;
    for (Index k = j + 1; k < n; ++k)
      axpy(m - j - 1, -a[j + k * pitch], column + j + 1, a + j + 1 + k * pitch);
  }
  return info;
}

// Factors a in place into L (unit diagonal) and U with row exchanges. `pivots` are rows from 1, as LAPACK's.
template <class T>
Index getrf(Index m, Index n, T* a, Index pitch, std::vector<Index>& pivots) {
  constexpr Index kBlock = 32;
  const Index least = std::min(m, n);
  pivots.assign(static_cast<std::size_t>(least), 0);
  Index info = 0;
  for (Index j = 0; j < least; j += kBlock) {
    const Index width = std::min(kBlock, least - j);
    const Index failed = factor_panel(m - j, width, a + j + j * pitch, pitch, pivots.data() + j);
    if (failed != 0 && info == 0) info = failed + j;
    for (Index i = j; i < j + width; ++i) {
      Index& pivot = pivots[static_cast<std::size_t>(i)];
      pivot += j;
      if (pivot == i) continue;
      for (Index k = 0; k < j; ++k) std::swap(a[i + k * pitch], a[pivot + k * pitch]);
      for (Index k = j + width; k < n; ++k) std::swap(a[i + k * pitch], a[pivot + k * pitch]);
    }
    if (j + width >= n) continue;
    T* const right = a + j + (j + width) * pitch;
    solve_triangle(true, 'N', true, width, n - j - width, a + j + j * pitch, pitch, right, pitch);
    subtract_product(m - j - width, n - j - width, width, a + j + width + j * pitch, pitch, right, pitch,
                     right + width, pitch);
  }
  for (Index& pivot : pivots) ++pivot;
  return info;
}

template <class T>
void exchange_rows(Index columns, const std::vector<Index>& pivots, bool forward, T* b, Index b_pitch) {
  const auto count = static_cast<Index>(pivots.size());
  for (Index step = 0; step < count; ++step) {
    const Index i = forward ? step : count - 1 - step;
    const Index other = pivots[static_cast<std::size_t>(i)] - 1;
    if (other == i) continue;
    for (Index c = 0; c < columns; ++c) std::swap(b[i + c * b_pitch], b[other + c * b_pitch]);
  }
}

template <class T>
void getrs(char op, Index n, Index columns, const T* lu, Index pitch, const std::vector<Index>& pivots, T* b,
           Index b_pitch) {
  if (op == 'N') {
    exchange_rows(columns, pivots, true, b, b_pitch);
    solve_triangle(true, 'N', true, n, columns, lu, pitch, b, b_pitch);
    solve_triangle(false, 'N', false, n, columns, lu, pitch, b, b_pitch);
    return;
  }
  solve_triangle(false, op, false, n, columns, lu, pitch, b, b_pitch);
  solve_triangle(true, op, true, n, columns, lu, pitch, b, b_pitch);
  exchange_rows(columns, pivots, false, b, b_pitch);
}

// Factors a = L L^H in the lower triangle. Reads only that triangle.
template <class T>
Index potrf(Index n, T* a, Index pitch) {
  constexpr Index kBlock = 32;
  std::vector<T> rows(static_cast<std::size_t>(kBlock * n));
  for (Index j = 0; j < n; j += kBlock) {
    const Index width = std::min(kBlock, n - j);
    T* const corner = a + j + j * pitch;
    for (Index k = 0; k < width; ++k) {
      T* const column = corner + k * pitch;
      const Real<T> pivot = real_of(column[k]);
      if (!(pivot > 0)) return j + k + 1;
      const Real<T> root = std::sqrt(pivot);
      column[k] = root;
      for (Index i = k + 1; i < n - j; ++i) column[i] /= root;
      for (Index c = k + 1; c < width; ++c)
        axpy(n - j - c, -conj_of(column[c]), column + c, corner + c + c * pitch);
    }
    const Index rest = n - j - width;
    for (Index c = 0; c < rest; ++c) {
      for (Index k = 0; k < width; ++k)
        rows[static_cast<std::size_t>(k + c * width)] = conj_of(corner[width + c + k * pitch]);
    }
    // Column blocks of the rest, each from its diagonal down.
    for (Index c = 0; c < rest; c += kBlock) {
      const Index columns = std::min(kBlock, rest - c);
      subtract_product(rest - c, columns, width, corner + width + c, pitch, rows.data() + c * width, width,
                       corner + width + c + (width + c) * pitch, pitch);
    }
  }
  return 0;
}

// Solves a banded system: a(i, j) is bands[lower + upper + i - j + j * pitch], and `lower` rows above are
// workspace.
template <class T>
Index gbsv(Index n, Index lower, Index upper, Index columns, T* bands, Index pitch, T* b, Index b_pitch) {
  const auto at = [&](Index i, Index j) -> T& { return bands[lower + upper + i - j + j * pitch]; };
  for (Index j = 0; j < n; ++j) {
    const Index last = std::min(n - 1, j + lower), right = std::min(n - 1, j + upper + lower);
    Index best = j;
    for (Index i = j + 1; i <= last; ++i) {
      if (size_of(at(i, j)) > size_of(at(best, j))) best = i;
    }
    if (at(best, j) == T{}) return j + 1;
    if (best != j) {
      for (Index k = j; k <= right; ++k) std::swap(at(j, k), at(best, k));
      for (Index c = 0; c < columns; ++c) std::swap(b[j + c * b_pitch], b[best + c * b_pitch]);
    }
    for (Index i = j + 1; i <= last; ++i) {
      const T factor = at(i, j) / at(j, j);
      for (Index k = j + 1; k <= right; ++k) at(i, k) -= times(factor, at(j, k));
      for (Index c = 0; c < columns; ++c) b[i + c * b_pitch] -= times(factor, b[j + c * b_pitch]);
    }
  }
  for (Index c = 0; c < columns; ++c) {
    T* const x = b + c * b_pitch;
    for (Index i = n - 1; i >= 0; --i) {
      T sum = x[i];
      for (Index k = i + 1; k <= std::min(n - 1, i + upper + lower); ++k) sum -= times(at(i, k), x[k]);
      x[i] = sum / at(i, i);
    }
  }
  return 0;
}

}  // namespace quern::linalg::own
