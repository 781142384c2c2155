// SPDX-License-Identifier: MIT
// Transposes a matrix.
//
// ELEMENT            element type
// TILE, ROWS         side of a square tile; on GPUs, rows of work-items that copy it
#if GROUPS
// Copies tiles through local memory, so that both reads and writes are along rows. The grid's first dimension
// runs along a column of tiles, because it has the larger limit.
kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose(const global ELEMENT *from,
                                                                          global ELEMENT *to, ulong rows,
                                                                          ulong columns, ulong tiles_across) {
  local ELEMENT tile[TILE * (TILE + 1)];
  const uint x = get_local_id(0), y = get_local_id(1);
  const ulong number = get_group_id(0);
  const ulong row = number / tiles_across * TILE, column = number % tiles_across * TILE;
#pragma unroll
  for (uint i = 0; i < TILE; i += ROWS)
    if (row + y + i < rows && column + x < columns)
      tile[(y + i) * (TILE + 1) + x] = from[(row + y + i) * columns + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint i = 0; i < TILE; i += ROWS)
    if (column + y + i < columns && row + x < rows)
      to[(column + y + i) * rows + row + x] = tile[x * (TILE + 1) + y + i];
}
#else

// One work-item per row of tiles. A tile stays in the cache until all its cache lines are used.
kernel void transpose(const global ELEMENT *from, global ELEMENT *to, ulong rows, ulong columns) {
  const ulong first = get_global_id(0) * TILE, last = min(first + TILE, rows);
  for (ulong start = 0; start < columns; start += TILE) {
    const ulong end = min(start + TILE, columns);
    for (ulong column = start; column < end; ++column)
      for (ulong row = first; row < last; ++row) to[column * rows + row] = from[row * columns + column];
  }
}
#endif
