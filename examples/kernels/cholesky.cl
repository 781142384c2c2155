// SPDX-License-Identifier: MIT
// The steps of a blocked Cholesky factorisation, one work-item each. Tiles are N x N, in column-major order; N is a
// multiple of 8.
#ifndef N
#define N 32
#endif

// The factor of a tile on the diagonal; its upper triangle becomes 0.
kernel void factor(global double *restrict a) {
  for (int j = 0; j < N; ++j) {
    for (int i = j / 8 * 8; i < N; i += 8) {
      double8 sum = vload8(0, a + j * N + i);
      for (int k = 0; k < j; ++k) sum -= a[k * N + j] * vload8(0, a + k * N + i);
      vstore8(sum, 0, a + j * N + i);
    }
    const double d = sqrt(a[j * N + j]);
    for (int i = j; i < N; ++i) a[j * N + i] /= d;
    for (int i = 0; i < j; ++i) a[j * N + i] = 0;
  }
}

// a = a * inverse(transpose(l)) for a tile below the factor l.
kernel void solve(global const double *restrict l, global double *restrict a) {
  for (int i = 0; i < N; i += 8) {
    for (int j = 0; j < N; ++j) {
      double8 sum = vload8(0, a + j * N + i);
      for (int k = 0; k < j; ++k) sum -= l[k * N + j] * vload8(0, a + k * N + i);
      vstore8(sum / l[j * N + j], 0, a + j * N + i);
    }
  }
}

// c = c - a * transpose(b)
kernel void update(global const double *restrict a, global const double *restrict b, global double *restrict c) {
  for (int i = 0; i < N; i += 8) {
    for (int j = 0; j < N; j += 4) {
      double8 c0 = vload8(0, c + j * N + i), c1 = vload8(0, c + (j + 1) * N + i);
      double8 c2 = vload8(0, c + (j + 2) * N + i), c3 = vload8(0, c + (j + 3) * N + i);
      for (int k = 0; k < N; ++k) {
        const double8 x = vload8(0, a + k * N + i);
        const double4 y = vload4(0, b + k * N + j);
        c0 -= y.x * x;
        c1 -= y.y * x;
        c2 -= y.z * x;
        c3 -= y.w * x;
      }
      vstore8(c0, 0, c + j * N + i);
      vstore8(c1, 0, c + (j + 1) * N + i);
      vstore8(c2, 0, c + (j + 2) * N + i);
      vstore8(c3, 0, c + (j + 3) * N + i);
    }
  }
}
