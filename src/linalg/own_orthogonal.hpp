// SPDX-License-Identifier: MIT
// Factors with orthogonal matrices, without a library: QR, eigenvalues of Hermitian matrices, singular
// values.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/own_lu.hpp"

namespace quern::linalg::own {

template <class T>
Real<T> norm_of(Index n, const T* x) {
  Real<T> largest = 0;
  for (Index i = 0; i < n; ++i) {
    const Real<T> size = size_of(x[i]);
    if (size > largest || std::isnan(size)) largest = size;  // a NaN stays
  }
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  Real<T> sum = 0;
  for (Index i = 0; i < n; ++i) {
    const T scaled = x[i] / largest;
    sum += real_of(times(conj_of(scaled), scaled));
  }
  return largest * std::sqrt(sum);
}

// The power of two by which a matrix is divided before an iteration, because products of its elements
// overflow or vanish otherwise. Zero for most matrices, and for those that are not finite.
template <class T>
int scale_of(Index m, Index n, const T* a, Index pitch) {
  using R = Real<T>;
  const R least = std::sqrt(std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon());
  R largest = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) {
      const T x = a[i + j * pitch];
      const R size = std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
      if (!std::isfinite(size)) return 0;
      largest = std::max(largest, size);
    }
  }
  return largest == 0 || (largest >= least && largest <= 1 / least) ? 0 : std::ilogb(largest);
}

// Multiplies by 2^exponent.
template <class T>
void scale(Index m, Index n, T* a, Index pitch, int exponent) {
  if (exponent == 0) return;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) a[i + j * pitch] = scaled(a[i + j * pitch], exponent);
  }
}

// H = I - tau v v^H with v(0) = 1, such that H^H x has one nonzero element, which is real and returned in
// x(0). The rest of v replaces the rest of x.
template <class T>
T householder(Index n, T* x) {
  if (n == 0) return T{};
  const Real<T> rest = norm_of(n - 1, x + 1);
  const T alpha = x[0];
  if (rest == 0 && std::imag(alpha) == 0) return T{};
  const Real<T> length = std::hypot(std::abs(alpha), rest);
  // The reciprocal of a very small number is infinite.
  if (length < std::numeric_limits<Real<T>>::min() / std::numeric_limits<Real<T>>::epsilon()) {
    constexpr int kDigits = 2 * std::numeric_limits<Real<T>>::digits;
    scale(n, 1, x, n, kDigits);
    const T tau = householder(n, x);
    x[0] = scaled(x[0], -kDigits);
    return tau;
  }
  const Real<T> beta = real_of(alpha) >= 0 ? -length : length;
  const T tau = (T{beta} - alpha) / beta;
  const T scale = T{1} / (alpha - beta);
  for (Index i = 1; i < n; ++i) x[i] = times(x[i], scale);
  x[0] = beta;
  return tau;
}

// The columns of c times I - tau v v^H from the left, where v(0) = 1 is not stored.
template <class T>
void reflect(Index n, Index columns, const T* v, T tau, T* c, Index pitch) {
  if (tau == T{}) return;
  for (Index j = 0; j < columns; ++j) {
    T* const x = c + j * pitch;
    const T factor = -times(tau, x[0] + dot(n - 1, v + 1, x + 1));
    x[0] += factor;
    axpy(n - 1, factor, v + 1, x + 1);
  }
}

template <class T>
void geqrf(Index m, Index n, T* a, Index pitch, T* tau) {
  for (Index j = 0; j < std::min(m, n); ++j) {
    T* const column = a + j + j * pitch;
    tau[j] = householder(m - j, column);
    reflect(m - j, n - j - 1, column, conj_of(tau[j]), column + pitch, pitch);
  }
}

// The first n columns of Q, from k Householder vectors below the diagonal.
template <class T>
void orgqr(Index m, Index n, Index k, T* a, Index pitch, const T* tau) {
  for (Index j = k; j < n; ++j) {
    std::fill(a + j * pitch, a + j * pitch + m, T{});
    a[j + j * pitch] = T{1};
  }
  for (Index j = k - 1; j >= 0; --j) {
    T* const column = a + j + j * pitch;
    reflect(m - j, n - j - 1, column, tau[j], column + pitch, pitch);
    for (Index i = 1; i < m - j; ++i) column[i] = times(-tau[j], column[i]);
    column[0] = T{1} - tau[j];
    std::fill(a + j * pitch, column, T{});
  }
}

template <class T>
void sort_columns(Index n, Real<T>* values, Index rows, T* columns, Index pitch, bool ascending) {
  for (Index i = 0; i + 1 < n; ++i) {
    Index best = i;
    for (Index j = i + 1; j < n; ++j) {
      if (ascending ? values[j] < values[best] : values[j] > values[best]) best = j;
    }
    if (best == i) continue;
    std::swap(values[i], values[best]);
    if (columns != nullptr)
      std::swap_ranges(columns + i * pitch, columns + i * pitch + rows, columns + best * pitch);
  }
}

// Eigenvalues of a symmetric tridiagonal matrix by QL steps with implicit shifts; the rotations are applied
// to the columns of z unless it is null. e has n elements, of which the first n - 1 are used.
template <class T>
Index tridiagonal_values(Index n, Real<T>* d, Real<T>* e, T* z, Index pitch) {
  using R = Real<T>;
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon();
  constexpr int kMostSteps = 60;
  if (n > 0) e[n - 1] = 0;
  // What is less is far below the rounding errors of the matrix. Blocks of such elements become subnormal,
  // and would not converge.
  R largest = 0;
  for (Index k = 0; k < n; ++k) largest = std::max({largest, std::abs(d[k]), std::abs(e[k])});
  const R least = kEpsilon * kEpsilon * largest;
  for (Index l = 0; l < n; ++l) {
    for (int steps = 0;; ++steps) {
      Index m = l;
      while (m + 1 < n &&
             !(std::abs(e[m]) <= std::max(kEpsilon * (std::abs(d[m]) + std::abs(d[m + 1])), least)))
        ++m;
      if (m == l) break;
      if (steps == kMostSteps) return l + 1;
      R g = (d[l + 1] - d[l]) / (2 * e[l]);
      R r = std::hypot(g, R{1});
      g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
      R s = 1, c = 1, p = 0;
      Index i = m - 1;
      for (; i >= l; --i) {
        const R f = s * e[i], b = c * e[i];
        r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (z == nullptr) continue;
        T *const left = z + i * pitch, *const right = left + pitch;
        for (Index k = 0; k < n; ++k) {
          const T old = right[k];
          right[k] = s * left[k] + c * old;
          left[k] = c * left[k] - s * old;
        }
      }
      if (r == 0 && i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  return 0;
}

// Eigenvalues of a Hermitian matrix, ascending, and with `wants_vectors` eigenvectors in a. Reads all of a.
template <class T>
Index heev(bool wants_vectors, Index n, T* a, Index pitch, Real<T>* values) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<Real<T>> e(size + 1);
  std::vector<T> tau(size + 1), w(size + 1), v(size + 1);
  const int exponent = scale_of(n, n, a, pitch);
  scale(n, n, a, pitch, -exponent);
  // H^H A H for one column after the other, until A is tridiagonal.
  for (Index k = 0; k + 1 < n; ++k) {
    const Index rest = n - k - 1;
    T* const column = a + k + 1 + k * pitch;
    T* const corner = column + pitch;
    tau[static_cast<std::size_t>(k)] = householder(rest, column);
    const T factor = tau[static_cast<std::size_t>(k)];
    e[static_cast<std::size_t>(k)] = real_of(column[0]);
    if (factor == T{}) continue;
    std::copy(column, column + rest, v.begin());
    v[0] = T{1};
    std::fill(w.begin(), w.begin() + rest, T{});
    for (Index j = 0; j < rest; ++j)
      axpy(rest, times(factor, v[static_cast<std::size_t>(j)]), corner + j * pitch, w.data());
    const T half = times(T{Real<T>(-0.5)}, times(factor, dot(rest, w.data(), v.data())));
    axpy(rest, half, v.data(), w.data());
    for (Index j = 0; j < rest; ++j) {
      const T of_v = -conj_of(w[static_cast<std::size_t>(j)]),
              of_w = -conj_of(v[static_cast<std::size_t>(j)]);
      T* const to = corner + j * pitch;
      for (Index i = 0; i < rest; ++i)
        to[i] += times(of_v, v[static_cast<std::size_t>(i)]) + times(of_w, w[static_cast<std::size_t>(i)]);
    }
  }
  for (Index k = 0; k < n; ++k) values[k] = real_of(a[k + k * pitch]);
  if (wants_vectors && n > 0) {
    // The vectors move one column to the right, where orgqr expects those of a matrix without its first row.
    for (Index j = n - 1; j > 0; --j) {
      T* const column = a + j * pitch;
      if (j >= 1) std::copy(column - pitch + 1, column - pitch + n, column + 1);
      column[0] = T{};
    }
    std::fill(a, a + n, T{});
    a[0] = T{1};
    orgqr(n - 1, n - 1, n - 1, a + 1 + pitch, pitch, tau.data());
  }
  const Index info = tridiagonal_values(n, values, e.data(), wants_vectors ? a : nullptr, pitch);
  for (Index k = 0; k < n; ++k) {
    if (!std::isfinite(values[k])) return n;
    values[k] = scaled(values[k], exponent);
  }
  if (info == 0) sort_columns(n, values, n, wants_vectors ? a : nullptr, pitch, true);
  return info;
}

// Columns of g that are zero become orthonormal to the others. g is square.
template <class T>
void complete_basis(Index n, T* g, Index pitch, const std::vector<bool>& is_known) {
  Index candidate = 0;
  std::vector<bool> has = is_known;
  for (Index j = 0; j < n; ++j) {
    if (has[static_cast<std::size_t>(j)]) continue;
    T* const x = g + j * pitch;
    for (; candidate < n; ++candidate) {
      std::fill(x, x + n, T{});
      x[candidate] = T{1};
      for (int pass = 0; pass < 2; ++pass) {
        for (Index k = 0; k < n; ++k) {
          if (has[static_cast<std::size_t>(k)]) axpy(n, -dot(n, g + k * pitch, x), g + k * pitch, x);
        }
      }
      const Real<T> length = norm_of(n, x);
      if (length < Real<T>(0.5) / std::sqrt(static_cast<Real<T>>(n))) continue;
      for (Index i = 0; i < n; ++i) x[i] /= length;
      break;
    }
    has[static_cast<std::size_t>(j)] = true;
    ++candidate;
  }
}

// Singular values of a square matrix, descending: g = U diag(s) V^H by one-sided Jacobi rotations. U replaces
// g; the columns of v, which is the identity before, become V, unless it is null.
template <class T>
Index square_svd(Index n, T* g, Index pitch, Real<T>* s, T* v, Index v_pitch) {
  using R = Real<T>;
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon();
  constexpr int kMostSweeps = 60;
  // Columns whose square is less count as zero: products with them vanish, so they would be rotated for ever.
  constexpr R kLeast = std::numeric_limits<R>::min() / (kEpsilon * kEpsilon);
  // Scaled, because squares of lengths must neither overflow nor vanish.
  R largest = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (!std::isfinite(size_of(g[i + j * pitch]))) return 1;
      largest = std::max(largest, size_of(g[i + j * pitch]));
    }
  }
  const R scale = largest > 0 ? largest : R{1};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) g[i + j * pitch] /= scale;
  }
  bool is_rotated = largest > 0;
  std::vector<R> squares(static_cast<std::size_t>(n));  // of the lengths of the columns
  for (int sweep = 0; is_rotated; ++sweep) {
    if (sweep == kMostSweeps) return 1;
    is_rotated = false;
    for (Index j = 0; j < n; ++j)
      squares[static_cast<std::size_t>(j)] = real_of(dot(n, g + j * pitch, g + j * pitch));
    for (Index p = 0; p + 1 < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        T *const x = g + p * pitch, *const y = g + q * pitch;
        R &alpha = squares[static_cast<std::size_t>(p)], &beta = squares[static_cast<std::size_t>(q)];
        const T gamma = dot(n, x, y);
        const R size = std::abs(gamma);
        if (!(std::min(alpha, beta) > kLeast) ||
            !(size > kEpsilon * static_cast<R>(n) * std::sqrt(alpha) * std::sqrt(beta)))
          continue;
        is_rotated = true;
        const T phase = conj_of(gamma / size);
        const R zeta = (beta - alpha) / (2 * size);
        const R t = std::copysign(R{1}, zeta) / (std::abs(zeta) + std::hypot(R{1}, zeta));
        const R c = 1 / std::hypot(R{1}, t), sine = c * t;
        const auto rotate = [&](T* left, T* right) {
          for (Index i = 0; i < n; ++i) {
            const T one = left[i], other = times(phase, right[i]);
            left[i] = c * one - sine * other;
            right[i] = sine * one + c * other;
          }
        };
        rotate(x, y);
        // Where the difference cancels, the length is measured anew.
        const auto changed = [&](R square, R change, const T* column) {
          return square + change > square / 16 ? square + change : real_of(dot(n, column, column));
        };
        alpha = changed(alpha, -t * size, x);
        beta = changed(beta, t * size, y);
        if (v != nullptr) rotate(v + p * v_pitch, v + q * v_pitch);
      }
    }
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<R> lengths(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) lengths[static_cast<std::size_t>(j)] = norm_of(n, g + j * pitch);
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return lengths[static_cast<std::size_t>(i)] > lengths[static_cast<std::size_t>(j)];
  });
  const auto arrange = [&](T* columns, Index step) {
    std::vector<T> old(static_cast<std::size_t>(n * n));
    for (Index j = 0; j < n; ++j) std::copy(columns + j * step, columns + j * step + n, old.begin() + j * n);
    for (Index j = 0; j < n; ++j) {
      const auto from = old.begin() + order[static_cast<std::size_t>(j)] * n;
      std::copy(from, from + n, columns + j * step);
    }
  };
  arrange(g, pitch);
  if (v != nullptr) arrange(v, v_pitch);
  std::vector<bool> is_known(static_cast<std::size_t>(n), true);
  for (Index j = 0; j < n; ++j) {
    const R length = lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(j)])];
    s[j] = length * scale;
    if (length * length > kLeast) {
      for (Index i = 0; i < n; ++i) g[i + j * pitch] /= length;
    } else {
      is_known[static_cast<std::size_t>(j)] = false;
    }
  }
  if (v != nullptr) complete_basis(n, g, pitch, is_known);
  return 0;
}

}  // namespace quern::linalg::own
