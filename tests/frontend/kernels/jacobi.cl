// SPDX-License-Identifier: MIT
#define AT(a, r, c) a[(r) * width + (c)]

kernel void jacobi(global const double *restrict from, global double *restrict to, int width, int height) {
  int c = get_global_id(0) + 1;
  int r = get_global_id(1) + 1;
  if (c < width - 1 && r < height - 1)
    AT(to, r, c) = 0.25 * (AT(from, r - 1, c) + AT(from, r + 1, c) + AT(from, r, c - 1) + AT(from, r, c + 1));
}
