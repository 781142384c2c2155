// SPDX-License-Identifier: MIT
// Eigenvalues and eigenvectors of general matrices without a library, in complex arithmetic.
#pragma once

#include "linalg/own_orthogonal.hpp"

namespace quern::linalg::own {

// Reduces a to Hessenberg form Q^H a Q by Householder vectors; q becomes Q, unless it is null.
template <class C>
void to_hessenberg(Index n, C* a, C* q) {
  std::vector<C> v(static_cast<std::size_t>(n));
  if (q != nullptr) {
    std::fill(q, q + n * n, C{});
    for (Index i = 0; i < n; ++i) q[i + i * n] = C{1};
  }
  for (Index k = 0; k + 2 < n; ++k) {
    const Index rest = n - k - 1;
    C* const column = a + k + 1 + k * n;
    const C tau = householder(rest, column);
    std::copy(column, column + rest, v.begin());
    v[0] = C{1};
    std::fill(column + 1, column + rest, C{});
    if (tau == C{}) continue;
    reflect(rest, rest, v.data(), std::conj(tau), column + n, n);
    // From the right: rows of a, and of q, times I - tau v v^H.
    const auto from_right = [&](C* matrix) {
      std::vector<C> sums(static_cast<std::size_t>(n));
      for (Index j = 0; j < rest; ++j)
        axpy(n, v[static_cast<std::size_t>(j)], matrix + (k + 1 + j) * n, sums.data());
      for (Index j = 0; j < rest; ++j)
        axpy(n, -times(tau, std::conj(v[static_cast<std::size_t>(j)])), sums.data(),
             matrix + (k + 1 + j) * n);
    };
    from_right(a);
    if (q != nullptr) from_right(q);
  }
}

// Makes a Hessenberg matrix triangular by QR steps with shifts; z is multiplied by the rotations unless it is
// null. Returns 0, or the number of eigenvalues that did not converge.
template <class C>
Index to_schur(Index n, C* h, C* z) {
  using R = Real<C>;
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon();
  constexpr int kMostSteps = 90;
  const auto at = [&](Index i, Index j) -> C& { return h[i + j * n]; };
  std::vector<C> cosines(static_cast<std::size_t>(n)), sines(static_cast<std::size_t>(n));
  // What is less is far below the rounding errors of the matrix.
  R largest = 0;
  for (Index i = 0; i < n * n; ++i) largest = std::max(largest, size_of(h[i]));
  const R least = kEpsilon * kEpsilon * largest;
  Index last = n - 1;
  for (int steps = 0; last > 0;) {
    Index first = last;
    while (first > 0) {
      const R size = size_of(at(first - 1, first - 1)) + size_of(at(first, first));
      if (size_of(at(first, first - 1)) <= std::max(kEpsilon * size, least)) break;
      --first;
    }
    if (first == last) {
      if (last > 0) at(last, last - 1) = C{};
      --last;
      steps = 0;
      continue;
    }
    if (first > 0) at(first, first - 1) = C{};
    if (++steps > kMostSteps) return last + 1;
    // The eigenvalue of the last 2 x 2 block that is nearer to its corner.
    const C half = (at(last - 1, last - 1) - at(last, last)) / R{2};
    const C root = std::sqrt(times(half, half) + times(at(last - 1, last), at(last, last - 1)));
    const C far = real_of(times(std::conj(half), root)) >= 0 ? half + root : half - root;
    C shift = at(last, last);
    if (steps % 10 == 0)
      shift += size_of(at(last, last - 1));
    else if (far != C{})
      shift -= times(at(last - 1, last), at(last, last - 1)) / far;
    for (Index i = first; i <= last; ++i) at(i, i) -= shift;
    for (Index k = first; k < last; ++k) {
      const C a = at(k, k), b = at(k + 1, k);
      const R r = std::hypot(std::abs(a), std::abs(b));
      const C c = r > 0 ? a / r : C{1}, s = r > 0 ? b / r : C{};
      cosines[static_cast<std::size_t>(k)] = c;
      sines[static_cast<std::size_t>(k)] = s;
      for (Index j = k; j < n; ++j) {
        const C x = at(k, j), y = at(k + 1, j);
        at(k, j) = times(std::conj(c), x) + times(std::conj(s), y);
        at(k + 1, j) = times(c, y) - times(s, x);
      }
    }
    const auto rotate = [&](C* matrix, Index k, Index rows) {
      const C c = cosines[static_cast<std::size_t>(k)], s = sines[static_cast<std::size_t>(k)];
      C *const left = matrix + k * n, *const right = left + n;
      for (Index i = 0; i < rows; ++i) {
        const C x = left[i], y = right[i];
        left[i] = times(x, c) + times(y, s);
        right[i] = times(y, std::conj(c)) - times(x, std::conj(s));
      }
    };
    for (Index k = first; k < last; ++k) rotate(h, k, std::min(k + 2, last + 1));
    if (z != nullptr) {
      for (Index k = first; k < last; ++k) rotate(z, k, n);
    }
    for (Index i = first; i <= last; ++i) at(i, i) += shift;
  }
  return 0;
}

// Eigenvectors of a triangular matrix, times z, with unit length.
template <class C>
void schur_vectors(Index n, const C* t, const C* z, C* vectors) {
  using R = Real<C>;
  R largest = 0;
  for (Index i = 0; i < n * n; ++i) largest = std::max(largest, size_of(t[i]));
  const R least = std::max(std::numeric_limits<R>::epsilon() * largest, std::numeric_limits<R>::min());
  std::vector<C> x(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    std::copy(t + k * n, t + k * n + k, x.begin());
    for (Index i = 0; i < k; ++i) x[static_cast<std::size_t>(i)] = -x[static_cast<std::size_t>(i)];
    x[static_cast<std::size_t>(k)] = C{1};
    for (Index j = k - 1; j >= 0; --j) {
      C gap = t[j + j * n] - t[k + k * n];
      if (size_of(gap) < least) gap = C{least};
      C& value = x[static_cast<std::size_t>(j)];
      value /= gap;
      // Vectors of nearly equal eigenvalues grow; only their direction counts.
      if (size_of(value) > R{1} / std::numeric_limits<R>::epsilon()) {
        const R scale = size_of(value);
        for (Index i = 0; i <= k; ++i) x[static_cast<std::size_t>(i)] /= scale;
      }
      axpy(j, -value, t + j * n, x.data());
    }
    C* const to = vectors + k * n;
    std::fill(to, to + n, C{});
    for (Index j = 0; j <= k; ++j) axpy(n, x[static_cast<std::size_t>(j)], z + j * n, to);
    const R length = norm_of(n, to);
    if (length > 0) {
      for (Index i = 0; i < n; ++i) to[i] /= length;
    }
  }
}

// For a real matrix: eigenvalues whose imaginary parts are rounding errors become real, and so do their
// vectors.
template <class C>
void make_real(Index n, C* values, C* vectors) {
  using R = Real<C>;
  R largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, size_of(values[i]));
  for (Index k = 0; k < n; ++k) {
    if (std::abs(values[k].imag()) > 16 * static_cast<R>(n) * std::numeric_limits<R>::epsilon() * largest)
      continue;
    values[k] = values[k].real();
    if (vectors == nullptr) continue;
    C* const vector = vectors + k * n;
    Index best = 0;
    for (Index i = 1; i < n; ++i) {
      if (size_of(vector[i]) > size_of(vector[best])) best = i;
    }
    const R size = std::abs(vector[best]);
    if (!(size > 0)) continue;
    const C phase = std::conj(vector[best]) / size;
    for (Index i = 0; i < n; ++i) vector[i] = times(vector[i], phase).real();
    const R length = norm_of(n, vector);
    for (Index i = 0; i < n; ++i) vector[i] /= length;
  }
}

// Eigenvalues and, unless `vectors` is null, right eigenvectors of unit length. Destroys h.
template <class C>
Index geev(Index n, C* h, C* values, C* vectors, bool is_real) {
  std::vector<C> z(vectors != nullptr ? static_cast<std::size_t>(n * n) : 0);
  C* const basis = vectors != nullptr ? z.data() : nullptr;
  const int exponent = scale_of(n, n, h, n);
  scale(n, n, h, n, -exponent);
  to_hessenberg(n, h, basis);
  if (const Index info = to_schur(n, h, basis)) return info;
  for (Index i = 0; i < n; ++i) values[i] = h[i + i * n];
  if (vectors != nullptr) schur_vectors(n, h, z.data(), vectors);
  if (is_real) make_real(n, values, vectors);
  scale(n, 1, values, n, exponent);
  return 0;
}

}  // namespace quern::linalg::own
