// SPDX-License-Identifier: MIT
// One Jacobi step of the five-point stencil; a work-group keeps its tile and a halo of one cell in local memory. The
// border of the grid stays as it is. The grid's sides are multiples of the tile's.
#ifndef TILE
#define TILE 16
#endif

kernel void jacobi_step(global const float *in, global float *out, int width, int height) {
  local float cells[TILE + 2][TILE + 2];
  const int x = get_global_id(0), y = get_global_id(1);
  const int column = get_local_id(0) + 1, row = get_local_id(1) + 1;
  const int left = max(x - 1, 0), right = min(x + 1, width - 1);
  const int above = max(y - 1, 0), below = min(y + 1, height - 1);
  cells[row][column] = in[y * width + x];
  if (column == 1) cells[row][0] = in[y * width + left];
  if (column == TILE) cells[row][TILE + 1] = in[y * width + right];
  if (row == 1) cells[0][column] = in[above * width + x];
  if (row == TILE) cells[TILE + 1][column] = in[below * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  const float mean =
      0.25f * (cells[row - 1][column] + cells[row + 1][column] + cells[row][column - 1] + cells[row][column + 1]);
  out[y * width + x] = is_border ? cells[row][column] : mean;
}
