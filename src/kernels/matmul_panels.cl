// SPDX-License-Identifier: MIT
// Matrix products on CPUs, for stacks of matrices. `pack` first copies both operands into panels: ROWS rows
// of the left operand or COLUMNS columns of the right one, adjacent in memory for each k. In `matmul` a
// work-item computes a block of the result. It keeps ROWS x COLUMNS sums in registers, and reads parts of the
// panels that stay in the caches.
//
// TYPE, ITEM               element types in memory and of the sums
// LOAD                     converts an element to an ITEM; from the definitions, as
// multiply_add(c, a, b)    c + a * b
// ROWS, COLUMNS            size of the part of the result that is in registers
// BLOCK_ROWS, BLOCK_COLUMNS   size of a work-item's block, multiples of ROWS and COLUMNS
// BLOCK_DEPTH              number of steps along k that are summed before the next part of the panels
//
// Panels that would take too much memory hold some rows and steps only. The products of further steps are
// added to the result.

#ifdef BOOLEAN
#define ADD(a, b) ((a) | (b))
#else
#define ADD(a, b) ((a) + (b))
#endif

// One work-item copies one panel. `lines` is the number of rows or columns of a matrix; missing lines are
// zero.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void pack(const global TYPE *x, global ITEM *to, long start, ulong lines,
                                                                ulong depth, long matrix_step, long line_step,
                                                                long depth_step, int width) {
  const ulong panels = (lines + width - 1) / width;
  const ulong matrix = get_global_id(0) / panels, first = get_global_id(0) % panels * width;
  const int count = (int)min((ulong)width, lines - first);
  to += get_global_id(0) * width * depth;
  x += start + (long)matrix * matrix_step + (long)first * line_step;
  for (ulong k = 0; k < depth; ++k) {
    for (int i = 0; i < count; ++i) to[k * width + i] = LOAD(x[i * line_step + (long)k * depth_step]);
    for (int i = count; i < width; ++i) to[k * width + i] = (ITEM)0;
  }
}

inline void multiply_panels(const global ITEM *a, const global ITEM *b, int depth, ITEM *result) {
  ITEM sums[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i) sums[i] = (ITEM)0;
  for (int k = 0; k < depth; ++k) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const ITEM x = a[k * ROWS + i];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j)
        sums[i * COLUMNS + j] = multiply_add(sums[i * COLUMNS + j], x, b[k * COLUMNS + j]);
    }
  }
  for (int i = 0; i < ROWS * COLUMNS; ++i) result[i] = sums[i];
}

// Returns which matrix of an operand belongs to a matrix of the result, by broadcasting.
inline ulong matrix_of(ulong matrix, ulong middle, ulong inner, ulong outer_step, ulong middle_step,
                       ulong inner_step) {
  return matrix / inner / middle * outer_step + matrix / inner % middle * middle_step + matrix % inner * inner_step;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void matmul(
    const global ITEM *a, const global ITEM *b, global ITEM *c, ulong a_outer, ulong a_middle, ulong a_inner,
    ulong b_outer, ulong b_middle, ulong b_inner, ulong middle, ulong inner, ulong matrices, ulong m, ulong n,
    ulong depth, ulong chunk, int adds) {
  const ulong down = (m + BLOCK_ROWS - 1) / BLOCK_ROWS, across = (n + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
  const ulong block = get_global_id(0) % (down * across), matrix_and_split = get_global_id(0) / (down * across);
  const ulong matrix = matrix_and_split % matrices, split = matrix_and_split / matrices;
  const ulong a_lines = (m + ROWS - 1) / ROWS * ROWS, b_lines = (n + COLUMNS - 1) / COLUMNS * COLUMNS;
  a += matrix_of(matrix, middle, inner, a_outer, a_middle, a_inner) * a_lines * depth;
  b += matrix_of(matrix, middle, inner, b_outer, b_middle, b_inner) * b_lines * depth;
  c += matrix_and_split * m * n;
  const ulong first = split * chunk, last = min(first + chunk, depth);
  const ulong row0 = block % down * BLOCK_ROWS, row1 = min(row0 + BLOCK_ROWS, m);
  const ulong column0 = block / down * BLOCK_COLUMNS, column1 = min(column0 + BLOCK_COLUMNS, n);
  ITEM part[ROWS * COLUMNS];
  for (ulong k = first; k < last; k += BLOCK_DEPTH) {
    const int count = (int)min((ulong)BLOCK_DEPTH, last - k);
    for (ulong column = column0; column < column1; column += COLUMNS) {
      const int columns = (int)min((ulong)COLUMNS, n - column);
      for (ulong row = row0; row < row1; row += ROWS) {
        const int rows = (int)min((ulong)ROWS, m - row);
        multiply_panels(a + row * depth + k * ROWS, b + column * depth + k * COLUMNS, count, part);
        for (int i = 0; i < rows; ++i) {
          global ITEM *const to = c + (row + i) * n + column;
          if (k == first && !adds) {
            for (int j = 0; j < columns; ++j) to[j] = part[i * COLUMNS + j];
          } else {
            for (int j = 0; j < columns; ++j) to[j] = ADD(to[j], part[i * COLUMNS + j]);
          }
        }
      }
    }
  }
}
