// SPDX-License-Identifier: MIT
// Products of compressed rows that have few patterns (sparse_structure.cl) with vectors, on GPUs. A work-group takes
// tiles of THREADS rows and a work-item a row of each. The group loads the entries of its rows side by side into local
// memory; the columns come from the pattern. Needs sparse_values.cl.
//
// THREADS   work-items of a group
// LONGEST   entries of the longest pattern
// DOT       1: sums[group] = the group's part of conj(x) . y

#define MOST_ENTRIES 64  // of a pattern
#define BLOCK_ROWS 256   // rows of a block of mark_blocks
#if LONGEST < 9
#define BATCH LONGEST
#else
#define BATCH 8
#endif

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_patterns(
    const global VALUE *restrict data, const global INDEX *restrict indptr, const global uchar *restrict codes,
    const global int *restrict blocks, const global int *restrict lengths, const global INDEX *restrict offsets,
    const global VALUE *restrict x, global VALUE *restrict y, long rows
#if DOT
    ,
    global VALUE *sums
#endif
        EPILOGUE) {
  local VALUE values[THREADS * LONGEST];
  const uint item = get_local_id(0);
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
    // Entries and elements of x are on their way at the same time.
    VALUE loaded[BATCH], near[BATCH];
    INDEX column[BATCH];
#pragma unroll
    for (uint k = 0; k < BATCH; ++k) {
      const uint i = item + k * THREADS;
      loaded[k] = i < count ? data[begin + i] : (VALUE)0;
    }
#pragma unroll
    for (uint k = 0; k < BATCH; ++k) column[k] = columns[k];
#pragma unroll
    for (uint k = 0; k < BATCH; ++k) near[k] = k < length ? x[row + column[k]] : (VALUE)0;
#pragma unroll
    for (uint k = 0; k < BATCH; ++k) {
      const uint i = item + k * THREADS;
      if (i < count) values[i] = loaded[k];
    }
#if LONGEST > BATCH
    for (uint i = item + BATCH * THREADS; i < count; i += THREADS) values[i] = data[begin + i];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < last) {
      VALUE sum = (VALUE)0;
#pragma unroll
      for (uint k = 0; k < BATCH; ++k)
        if (k < length) sum = multiply_add(sum, values[from + k], near[k]);
#if LONGEST > BATCH
      for (uint k = BATCH; k < length; ++k) sum = multiply_add(sum, values[from + k], x[row + columns[k]]);
#endif
      y[row] = FINISHED(sum, row);
#if DOT
      dot = multiply_add(dot, conjugate(x[row]), sum);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if DOT
  dot = group_sum(values, dot);
  if (item == 0) sums[get_group_id(0)] = dot;
#endif
}
