// SPDX-License-Identifier: MIT
// Stockham transforms of as many lines as a SIMD register has lanes. Point i of all lines is two neighbouring
// vectors: real parts, imaginary parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "algorithms/host/fft_butterflies.hpp"

namespace quern::algorithms::fft_host {

template <class T, std::size_t kBytes>
struct Lanes {
  typedef T V __attribute__((vector_size(kBytes)));
  static constexpr std::int64_t kCount = kBytes / sizeof(T);
};

// One step of a transform: n = radix * m * s points. Its twiddle factors are those of points 1, 2, ..., for
// each p < m, behind those of the radix itself.
struct Step {
  std::int32_t radix;
  std::int32_t m, s;
  std::int32_t twiddles;  // index of its first number in the table
};
inline constexpr std::size_t kMostSteps = 24;

template <class V, class T>
QUERN_FFT_INLINE void store_product(V* to, const V& x, const V& y, const T* twiddle) {
  to[0] = x * twiddle[0] - y * twiddle[1];
  to[1] = x * twiddle[1] + y * twiddle[0];
}

template <int r, class T, std::size_t kBytes>
QUERN_FFT_INLINE void run_step(const T* from_numbers, T* to_numbers, std::int64_t m, std::int64_t s,
                               const T* twiddles) {
  using V = typename Lanes<T, kBytes>::V;
  const V* const from = reinterpret_cast<const V*>(from_numbers);
  V* const to = reinterpret_cast<V*>(to_numbers);
  const T* const own = twiddles;
  const T* w = twiddles + 2 * r;
  // Twiddle factors of p = 0 are 1.
  for (std::int64_t q = 0; q < s; ++q) {
    V x[r], y[r];
#pragma GCC unroll 32
    for (int j = 0; j < r; ++j) {
      x[j] = from[2 * (q + s * m * j)];
      y[j] = from[2 * (q + s * m * j) + 1];
    }
    butterfly<r, V, T>(x, y, own);
#pragma GCC unroll 32
    for (int j = 0; j < r; ++j) {
      to[2 * (q + s * j)] = x[j];
      to[2 * (q + s * j) + 1] = y[j];
    }
  }
  for (std::int64_t p = 1; p < m; ++p) {
    w += 2 * (r - 1);
    for (std::int64_t q = 0; q < s; ++q) {
      V x[r], y[r];
#pragma GCC unroll 32
      for (int j = 0; j < r; ++j) {
        x[j] = from[2 * (q + s * (p + m * j))];
        y[j] = from[2 * (q + s * (p + m * j)) + 1];
      }
      butterfly<r, V, T>(x, y, own);
      V* const at = to + 2 * (q + s * r * p);
      at[0] = x[0];
      at[1] = y[0];
#pragma GCC unroll 32
      for (int j = 1; j < r; ++j) {
        store_product<V, T>(at + 2 * s * j, x[j], y[j], w + 2 * (j - 1));
      }
    }
  }
}

// The largest radix. Its square is the work of a step; Bluestein's algorithm takes less for larger ones.
inline constexpr std::int64_t kMostRadix = 127;

// A step of any odd radix.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void run_odd_step(const T* from_numbers, T* to_numbers, std::int64_t r, std::int64_t m,
                                   std::int64_t s, const T* twiddles) {
  using V = typename Lanes<T, kBytes>::V;
  constexpr std::int64_t kMost = kMostRadix + 1;
  const V* const from = reinterpret_cast<const V*>(from_numbers);
  V* const to = reinterpret_cast<V*>(to_numbers);
  const T* w = twiddles + 2 * r;
  const std::int64_t h = (r - 1) / 2;
  for (std::int64_t p = 0; p < m; ++p, w += 2 * (r - 1)) {
    for (std::int64_t q = 0; q < s; ++q) {
      V sx[kMost / 2], sy[kMost / 2], dx[kMost / 2], dy[kMost / 2];
      const V x0 = from[2 * (q + s * p)], y0 = from[2 * (q + s * p) + 1];
      V tx = x0, ty = y0;
      for (std::int64_t j = 0; j < h; ++j) {
        const V* const a = from + 2 * (q + s * (p + m * (j + 1)));
        const V* const b = from + 2 * (q + s * (p + m * (r - 1 - j)));
        sx[j] = a[0] + b[0];
        sy[j] = a[1] + b[1];
        dx[j] = a[0] - b[0];
        dy[j] = a[1] - b[1];
        tx += sx[j];
        ty += sy[j];
      }
      V* const at = to + 2 * (q + s * r * p);
      at[0] = tx;
      at[1] = ty;
      for (std::int64_t k = 1; k <= h; ++k) {
        V ax = x0, ay = y0, bx = {}, by = {};
        std::int64_t power = 0;
        for (std::int64_t j = 0; j < h; ++j) {
          power += k;
          if (power >= r) power -= r;
          const T c = twiddles[2 * power], d = twiddles[2 * power + 1];
          ax += sx[j] * c;
          ay += sy[j] * c;
          bx += dx[j] * d;
          by += dy[j] * d;
        }
        store_product<V, T>(at + 2 * s * k, ax + by, ay - bx, w + 2 * (k - 1));
        store_product<V, T>(at + 2 * s * (r - k), ax - by, ay + bx, w + 2 * (r - k - 1));
      }
    }
  }
}

// Runs the steps from `a` and `b` in turn. Returns the memory that has the result.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE T* run_steps(const Step* steps, std::int64_t count, const T* table, T* a, T* b) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t m = steps[i].m, s = steps[i].s;
    const T* const twiddles = table + steps[i].twiddles;
    switch (steps[i].radix) {
      case 2:
        run_step<2, T, kBytes>(a, b, m, s, twiddles);
        break;
      case 3:
        run_step<3, T, kBytes>(a, b, m, s, twiddles);
        break;
      case 4:
        run_step<4, T, kBytes>(a, b, m, s, twiddles);
        break;
      case 5:
        run_step<5, T, kBytes>(a, b, m, s, twiddles);
        break;
      case 7:
        run_step<7, T, kBytes>(a, b, m, s, twiddles);
        break;
      case 8:
        run_step<8, T, kBytes>(a, b, m, s, twiddles);
        break;
      default:
        run_odd_step<T, kBytes>(a, b, steps[i].radix, m, s, twiddles);
    }
    std::swap(a, b);
  }
  return a;
}

}  // namespace quern::algorithms::fft_host
