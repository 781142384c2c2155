// SPDX-License-Identifier: MIT
// Copies the elements below the diagonal of a square matrix to those above it. A work-group copies a square
// on or below the diagonal through local memory, so that reads and writes are contiguous.
//
// TYPE    element type
#define TILE 32
#define LINES 8  // that a work-group copies at once

kernel __attribute__((reqd_work_group_size(TILE, LINES, 1))) void mirror(global TYPE *c, ulong n) {
  local TYPE tile[TILE][TILE + 1];
  const ulong group = get_group_id(0);
  // Line r of the triangle starts with square r * (r + 1) / 2.
  ulong row = (ulong)((sqrt(8.0f * (float)group + 1.0f) - 1.0f) / 2.0f);
  while (row * (row + 1) / 2 > group) --row;
  while ((row + 1) * (row + 2) / 2 <= group) ++row;
  const ulong column = group - row * (row + 1) / 2;
  const int x = get_local_id(0);
  for (int y = get_local_id(1); y < TILE; y += LINES) {
    const ulong i = row * TILE + y, j = column * TILE + x;
    if (i < n && j < n) tile[y][x] = c[i * n + j];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = get_local_id(1); y < TILE; y += LINES) {
    const ulong i = column * TILE + y, j = row * TILE + x;
    if (i < j && j < n) c[i * n + j] = tile[x][y];
  }
}
