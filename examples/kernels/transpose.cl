// SPDX-License-Identifier: MIT
// Transposes a matrix of any shape through a tile in local memory, so that both sides are read and written in rows.
#ifndef TILE
#define TILE 16
#endif

kernel void transpose(global const float *in, global float *out, int width, int height) {
  local float tile[TILE][TILE + 1];  // one column more: neighbours in a column lie in different banks
  const int column = get_local_id(0), row = get_local_id(1);
  int x = get_group_id(0) * TILE + column;
  int y = get_group_id(1) * TILE + row;
  if (x < width && y < height) tile[row][column] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + column;
  y = get_group_id(0) * TILE + row;
  if (x < height && y < width) out[y * height + x] = tile[column][row];
}
