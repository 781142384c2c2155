// SPDX-License-Identifier: MIT
// Products of compressed rows that have few patterns (sparse_structure.cl) with vectors, on GPUs. A work-group takes
// tiles of THREADS rows and a work-item a row of each. The group loads the entries of its rows side by side into local
// memory; the columns come from the pattern. Needs sparse_values.cl.
//
// THREADS    work-items of a group; a divisor of BLOCK_ROWS
// LONGEST    entries of the longest pattern
// DOT        1: sums[group] = the group's part of conj(x) . y
// DIRECTION  1: conjugate gradients, whose next direction is the vector: x = r + beta p, computed where it is needed.
//            Needs sparse_cg.cl. Otherwise x is in memory.

#define MOST_ENTRIES 64  // of a pattern
#define BLOCK_ROWS 256   // rows of a block of mark_blocks
#if LONGEST < 9
#define EARLY LONGEST  // entries of a row whose elements of x are loaded before the entries are there
#else
#define EARLY 8
#endif

#if DIRECTION
// y = A x with x = r + beta p and beta = rr_new / rr. x goes to p_new, and solution += alpha p.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_direction(
    const global VALUE *restrict data, const global INDEX *restrict indptr, const global uchar *restrict codes,
    const global int *restrict blocks, const global int *restrict lengths, const global INDEX *restrict offsets,
    const global VALUE *restrict r, const global VALUE *restrict p, global VALUE *restrict p_new,
    global VALUE *restrict solution, const global VALUE *restrict rr_new, const global VALUE *restrict rr,
    const global VALUE *restrict alphas, long rr_count, global VALUE *restrict y, long rows,
    global VALUE *restrict sums) {
#define ELEMENT(k) multiply_add(near[k], beta, near_p[k])
#else
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_patterns(
    const global VALUE *restrict data, const global INDEX *restrict indptr, const global uchar *restrict codes,
    const global int *restrict blocks, const global int *restrict lengths, const global INDEX *restrict offsets,
    const global VALUE *restrict x, global VALUE *restrict y, long rows
#if DOT
    ,
    global VALUE *sums
#endif
        EPILOGUE) {
#define ELEMENT(k) near[k]
#endif
  local VALUE values[THREADS * LONGEST];
  const uint item = get_local_id(0);
#if DIRECTION
  const VALUE top = group_sum(values, part_of(rr_new, rr_count));
  const VALUE bottom = group_sum(values, part_of(rr, rr_count));
  const VALUE beta = ratio(top, bottom), alpha = alphas[0];
#endif
#if DOT
  VALUE dot = (VALUE)0;
#endif
  const long tiles = (rows + THREADS - 1) / THREADS;
  for (long tile = (long)get_group_id(0); tile < tiles; tile += (long)get_num_groups(0)) {
    const long first = tile * THREADS, last = min(first + THREADS, rows), row = first + item;
    const long begin = (long)indptr[first];
    const uint count = (uint)((long)indptr[last] - begin);
    // Rows of one pattern need neither codes nor starts.
    int code = blocks[first / BLOCK_ROWS];
    uint from = 0, length = 0;
    if (row < last) {
      const bool is_mixed = code < 0;
      if (is_mixed) code = codes[row];
      length = (uint)lengths[code];
      from = is_mixed ? (uint)((long)indptr[row] - begin) : item * length;
    }
    const global INDEX *const columns = offsets + (code < 0 ? 0 : code) * MOST_ENTRIES;
    // Entries and elements are on their way at the same time.
    VALUE loaded[EARLY], near[EARLY];
    INDEX column[EARLY];
#pragma unroll
    for (uint k = 0; k < EARLY; ++k) {
      const uint i = item + k * THREADS;
      loaded[k] = i < count ? data[begin + i] : (VALUE)0;
    }
#pragma unroll
    for (uint k = 0; k < EARLY; ++k) column[k] = columns[k];
#if DIRECTION
    VALUE near_p[EARLY], own = (VALUE)0, old = (VALUE)0, old_solution = (VALUE)0;
#pragma unroll
    for (uint k = 0; k < EARLY; ++k) {
      near[k] = k < length ? r[row + column[k]] : (VALUE)0;
      near_p[k] = k < length ? p[row + column[k]] : (VALUE)0;
    }
    if (row < last) {
      own = r[row];
      old = p[row];
      old_solution = quern_load_streaming(solution + row);
    }
#else
#pragma unroll
    for (uint k = 0; k < EARLY; ++k) near[k] = k < length ? x[row + column[k]] : (VALUE)0;
#endif
#pragma unroll
    for (uint k = 0; k < EARLY; ++k) {
      const uint i = item + k * THREADS;
      if (i < count) values[i] = loaded[k];
    }
#if LONGEST > EARLY
    for (uint i = item + EARLY * THREADS; i < count; i += THREADS) values[i] = data[begin + i];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < last) {
      VALUE sum = (VALUE)0;
#pragma unroll
      for (uint k = 0; k < EARLY; ++k)
        if (k < length) sum = multiply_add(sum, values[from + k], ELEMENT(k));
#if LONGEST > EARLY
      for (uint k = EARLY; k < length; ++k) {
        const long at = row + columns[k];
#if DIRECTION
        sum = multiply_add(sum, values[from + k], multiply_add(r[at], beta, p[at]));
#else
        sum = multiply_add(sum, values[from + k], x[at]);
#endif
      }
#endif
#if DIRECTION
      quern_store_streaming(solution + row, multiply_add(old_solution, alpha, old));
      own = multiply_add(own, beta, old);
      p_new[row] = own;
      y[row] = sum;
      dot = multiply_add(dot, conjugate(own), sum);
#else
      y[row] = FINISHED(sum, row);
#if DOT
      dot = multiply_add(dot, conjugate(x[row]), sum);
#endif
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if DOT
  dot = group_sum(values, dot);
  if (item == 0) sums[get_group_id(0)] = dot;
#endif
}
