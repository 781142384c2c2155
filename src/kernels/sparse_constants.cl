// SPDX-License-Identifier: MIT
// Matrices with few patterns of rows (sparse_structure.cl) whose rows have the same values if they have the same pattern,
// as those of stencils with constant coefficients: products read neither indices nor values. On GPUs. Needs
// sparse_values.cl and sparse_cg.cl.
//
// THREADS   work-items of a group; a divisor of BLOCK_ROWS
// LONGEST   entries of the longest pattern

#define MOST_ENTRIES 64  // of a pattern
#define BLOCK_ROWS 256   // rows of a block of mark_blocks
#define SLOTS 256        // of the table of patterns

inline bool is_same(VALUE a, VALUE b) {
#if COMPLEX
  return a.x == b.x && a.y == b.y;
#else
  return a == b;
#endif
}

// differs[0] becomes 1 if a row's values differ from those of the row that its pattern was found in.
kernel void compare_values(const global VALUE *data, const global INDEX *indptr, const global uchar *codes,
                           const global int *table, volatile global int *differs, long rows) {
  const long row = (long)get_global_id(0);
  if (row >= rows || differs[0] != 0) return;
  const long begin = (long)indptr[row], end = (long)indptr[row + 1];
  const long other = (long)indptr[table[codes[row]] - 1] - begin;
  bool is_equal = true;
  for (long i = begin; i < end; ++i) is_equal = is_equal && is_same(data[i], data[other + i]);
  if (!is_equal) differs[0] = 1;
}

// The values of pattern `slot` go to constants[slot * MOST_ENTRIES].
kernel void store_values(const global VALUE *data, const global INDEX *indptr, const global int *table,
                         const global int *lengths, global VALUE *constants) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= SLOTS || table[slot] == 0) return;
  const long begin = (long)indptr[table[slot] - 1];
  for (int k = 0; k < lengths[slot]; ++k) constants[slot * MOST_ENTRIES + k] = data[begin + k];
}

// As multiply_direction of sparse_patterns.cl.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_constants(
    const global VALUE *restrict constants, const global uchar *restrict codes, const global int *restrict blocks,
    const global int *restrict lengths, const global INDEX *restrict offsets, const global VALUE *restrict r,
    const global VALUE *restrict p, global VALUE *restrict p_new, global VALUE *restrict solution,
    const global VALUE *restrict rr_new, const global VALUE *restrict rr, const global VALUE *restrict alphas,
    long rr_count, global VALUE *restrict y, long rows, global VALUE *restrict sums) {
  local VALUE scratch[THREADS];
  const VALUE top = group_sum(scratch, part_of(rr_new, rr_count));
  const VALUE bottom = group_sum(scratch, part_of(rr, rr_count));
  const VALUE beta = ratio(top, bottom), alpha = alphas[0];
  VALUE dot = (VALUE)0;
  for (long row = (long)get_global_id(0); row < rows; row += (long)get_global_size(0)) {
    const int block = blocks[row / BLOCK_ROWS];
    const int code = block < 0 ? (int)codes[row] : block;
    const int length = lengths[code];
    const global INDEX *const columns = offsets + code * MOST_ENTRIES;
    const global VALUE *const values = constants + code * MOST_ENTRIES;
    const VALUE old = p[row], old_solution = solution[row];
    const VALUE own = multiply_add(r[row], beta, old);
    VALUE sum = (VALUE)0;
#if LONGEST <= 8
    // All elements are on their way before the first is used.
    VALUE near[LONGEST], near_p[LONGEST];
#pragma unroll
    for (int k = 0; k < LONGEST; ++k) {
      const long at = k < length ? row + columns[k] : row;
      near[k] = r[at];
      near_p[k] = p[at];
    }
#pragma unroll
    for (int k = 0; k < LONGEST; ++k)
      if (k < length) sum = multiply_add(sum, values[k], multiply_add(near[k], beta, near_p[k]));
#else
    for (int k = 0; k < length; ++k) {
      const long at = row + columns[k];
      sum = multiply_add(sum, values[k], multiply_add(r[at], beta, p[at]));
    }
#endif
    solution[row] = multiply_add(old_solution, alpha, old);
    p_new[row] = own;
    y[row] = sum;
    dot = multiply_add(dot, conjugate(own), sum);
  }
  dot = group_sum(scratch, dot);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = dot;
}
