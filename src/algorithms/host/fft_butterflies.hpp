// SPDX-License-Identifier: MIT
// Transforms of a few points in registers, for as many lines at once as a SIMD register has lanes. Real and
// imaginary parts are in vectors of their own. All functions are inlined, so that they are compiled for the
// instruction set of their caller.
#pragma once

#include <cstdint>

#define QUERN_FFT_INLINE static inline __attribute__((always_inline))

namespace quern::algorithms::fft_host {

template <class V, class T>
QUERN_FFT_INLINE void butterfly2(V* x, V* y) {
  const V a = x[0], b = y[0];
  x[0] = a + x[1];
  y[0] = b + y[1];
  x[1] = a - x[1];
  y[1] = b - y[1];
}

template <class V, class T>
QUERN_FFT_INLINE void butterfly4(V& x0, V& y0, V& x1, V& y1, V& x2, V& y2, V& x3, V& y3) {
  const V ax = x0 + x2, ay = y0 + y2, bx = x0 - x2, by = y0 - y2;
  const V cx = x1 + x3, cy = y1 + y3, dx = x1 - x3, dy = y1 - y3;
  x0 = ax + cx;
  y0 = ay + cy;
  x1 = bx + dy;
  y1 = by - dx;
  x2 = ax - cx;
  y2 = ay - cy;
  x3 = bx - dy;
  y3 = by + dx;
}

template <class V, class T>
QUERN_FFT_INLINE void butterfly8(V* x, V* y) {
  // Two of four points each, of the even and of the odd numbers.
  butterfly4<V, T>(x[0], y[0], x[2], y[2], x[4], y[4], x[6], y[6]);
  butterfly4<V, T>(x[1], y[1], x[3], y[3], x[5], y[5], x[7], y[7]);
  constexpr T h = static_cast<T>(0.70710678118654752440);
  const V ax = (x[3] + y[3]) * h, ay = (y[3] - x[3]) * h;
  const V bx = y[5], by = -x[5];
  const V cx = (y[7] - x[7]) * h, cy = -(x[7] + y[7]) * h;
  const V e1x = x[2], e1y = y[2], e2x = x[4], e2y = y[4], e3x = x[6], e3y = y[6];
  const V o0x = x[1], o0y = y[1], e0x = x[0], e0y = y[0];
  x[0] = e0x + o0x;
  y[0] = e0y + o0y;
  x[4] = e0x - o0x;
  y[4] = e0y - o0y;
  x[1] = e1x + ax;
  y[1] = e1y + ay;
  x[5] = e1x - ax;
  y[5] = e1y - ay;
  x[2] = e2x + bx;
  y[2] = e2y + by;
  x[6] = e2x - bx;
  y[6] = e2y - by;
  x[3] = e3x + cx;
  y[3] = e3y + cy;
  x[7] = e3x - cx;
  y[7] = e3y - cy;
}

// An odd number of points. `twiddles` has cos and sin of 2 pi k / r.
template <int r, class V, class T>
QUERN_FFT_INLINE void butterfly_odd(V* x, V* y, const T* twiddles) {
  constexpr int h = (r - 1) / 2;
  V sx[h], sy[h], dx[h], dy[h];
  V tx = x[0], ty = y[0];
#pragma GCC unroll 16
  for (int j = 0; j < h; ++j) {
    sx[j] = x[j + 1] + x[r - 1 - j];
    sy[j] = y[j + 1] + y[r - 1 - j];
    dx[j] = x[j + 1] - x[r - 1 - j];
    dy[j] = y[j + 1] - y[r - 1 - j];
    tx += sx[j];
    ty += sy[j];
  }
  const V x0 = x[0], y0 = y[0];
  x[0] = tx;
  y[0] = ty;
#pragma GCC unroll 16
  for (int k = 1; k <= h; ++k) {
    V ax = x0, ay = y0, bx = {}, by = {};
#pragma GCC unroll 16
    for (int j = 1; j <= h; ++j) {
      const T c = twiddles[2 * (j * k % r)], s = twiddles[2 * (j * k % r) + 1];
      ax += sx[j - 1] * c;
      ay += sy[j - 1] * c;
      bx += dx[j - 1] * s;
      by += dy[j - 1] * s;
    }
    x[k] = ax + by;
    y[k] = ay - bx;
    x[r - k] = ax - by;
    y[r - k] = ay + bx;
  }
}

template <int r, class V, class T>
QUERN_FFT_INLINE void butterfly(V* x, V* y, const T* twiddles) {
  if constexpr (r == 2) {
    butterfly2<V, T>(x, y);
  } else if constexpr (r == 4) {
    butterfly4<V, T>(x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]);
  } else if constexpr (r == 8) {
    butterfly8<V, T>(x, y);
  } else {
    butterfly_odd<r, V, T>(x, y, twiddles);
  }
}

}  // namespace quern::algorithms::fft_host
