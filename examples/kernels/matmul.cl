// SPDX-License-Identifier: MIT
// The product of two square matrices, tile by tile through local memory. The size is a multiple of TILE.
#ifndef TILE
#define TILE 16
#endif

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(global const float *a, global const float *b,
                                                                        global float *c, int n) {
  local float a_tile[TILE][TILE];
  local float b_tile[TILE][TILE];
  const int column = get_local_id(0), row = get_local_id(1);
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    a_tile[row][column] = a[y * n + t + column];
    b_tile[row][column] = b[(t + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += a_tile[row][k] * b_tile[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
