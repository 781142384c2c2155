// SPDX-License-Identifier: MIT
// Products of compressed rows of very different lengths with vectors, on GPUs. Entries and ends of rows, in one sequence,
// are divided into shares of equal size, so that neither long nor empty rows keep one work-group busy. A group loads the
// entries of its share side by side into local memory and sums the rows there by a segmented scan. What belongs to a row
// that a later share ends is its carry, which add_carries adds. Needs sparse_values.cl.
//
// THREADS   work-items of a group
// PER_ITEM  entries that a work-item scans, a divisor of 32; a share has SPAN = THREADS * PER_ITEM entries and ends
// DOT       1: sums[group] = the group's part of conj(x) . y

#define SPAN (THREADS * PER_ITEM)
// Entries of different work-items are in different banks of local memory.
#define AT(i) ((i) + (i) / PER_ITEM)
#define WORDS (SPAN / 32)

// Share k begins in row rows_of[k] (split_rows of sparse_structure.cl).
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_shares(
    const global VALUE *restrict data, const global INDEX *restrict indices, const global INDEX *restrict indptr,
    const global VALUE *restrict x, global VALUE *restrict y, const global INDEX *restrict rows_of,
    global VALUE *restrict carries, long rows, long shares
#if DOT
    ,
    global VALUE *sums
#endif
        EPILOGUE) {
  local VALUE products[SPAN + THREADS];
  local VALUE open[2][THREADS];  // the sum of the row that is not ended at the end of each work-item's entries
  local uchar is_closed[2][THREADS];  // whether a row begins among the entries
  local uint marks[WORDS];            // a bit for each entry that is the first of its row
  const uint item = get_local_id(0);
#if DOT
  VALUE dot = (VALUE)0;
#endif
  for (long share = (long)get_group_id(0); share < shares; share += (long)get_num_groups(0)) {
    const long row_begin = (long)rows_of[share], row_end = (long)rows_of[share + 1];
    const long begin = share * SPAN - row_begin;
    const long end = share + 1 == shares ? (long)indptr[rows] : (share + 1) * SPAN - row_end;
    const uint count = (uint)(end - begin);
    for (uint i = item; i < WORDS; i += THREADS) marks[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // All loads of a work-item are on their way at the same time. Entries are read once: they leave the cache to x.
    INDEX columns[PER_ITEM];
    VALUE values[PER_ITEM];
    int ends[PER_ITEM];
#pragma unroll
    for (uint k = 0; k < PER_ITEM; ++k) {
      const uint i = item + k * THREADS;
      columns[k] = i < count ? quern_load_streaming(indices + begin + i) : 0;
      values[k] = i < count ? quern_load_streaming(data + begin + i) : (VALUE)0;
      const long row = row_begin + i;
      ends[k] = row < row_end ? (int)((long)indptr[row + 1] - begin) : SPAN;
    }
#pragma unroll
    for (uint k = 0; k < PER_ITEM; ++k)
      if (item + k * THREADS < count) values[k] = multiply_add((VALUE)0, values[k], x[columns[k]]);
    VALUE carry = (VALUE)0;  // the part of the row that a later share ends
    if (row_begin == row_end) {
      // No row ends here: all entries are of one row.
#pragma unroll
      for (uint k = 0; k < PER_ITEM; ++k) carry = plus(carry, values[k]);
      carry = group_sum(open[0], carry);
    } else {
#pragma unroll
      for (uint k = 0; k < PER_ITEM; ++k) products[AT(item + k * THREADS)] = values[k];
      // A row begins where the row before it ends.
#pragma unroll
      for (uint k = 0; k < PER_ITEM; ++k)
        if (ends[k] < SPAN) atomic_or(&marks[ends[k] / 32], 1u << (ends[k] % 32));
      barrier(CLK_LOCAL_MEM_FENCE);
      // The sum of a row, as far as this work-item has it, replaces the row's last product.
      const uint at = item * PER_ITEM, own_marks = marks[at / 32] >> (at % 32);
      VALUE sum = (VALUE)0;
      uchar closed = 0;
#pragma unroll
      for (uint k = 0; k < PER_ITEM; ++k) {
        const VALUE product = products[AT(at + k)];
        if (own_marks >> k & 1) {
          if (k > 0) products[AT(at + k - 1)] = sum;
          sum = product;
          closed = 1;
        } else {
          sum = plus(sum, product);
        }
      }
      products[AT(at + PER_ITEM - 1)] = sum;
      open[0][item] = sum;
      is_closed[0][item] = closed;
      barrier(CLK_LOCAL_MEM_FENCE);
      uint now = 0;
      for (uint step = 1; step < THREADS; step *= 2) {
        if (item >= step && !closed) {
          sum = plus(open[now][item - step], sum);
          closed = is_closed[now][item - step];
        }
        now ^= 1;
        open[now][item] = sum;
        is_closed[now][item] = closed;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      // The sum of a row is at its last entry, and what the work-items before have of it.
#pragma unroll
      for (uint k = 0; k < PER_ITEM; ++k) {
        const long row = row_begin + item + k * THREADS;
        if (row < row_end) {
          const long start = (long)indptr[row] - begin;
          const int stop = ends[k];
          VALUE total = (VALUE)0;
          if (stop > 0 && start < stop) {
            const uint last = (uint)stop - 1, owner = last / PER_ITEM;
            total = products[AT(last)];
            if (start < (long)owner * PER_ITEM && owner > 0) total = plus(open[now][owner - 1], total);
          }
          y[row] = FINISHED(total, row);
#if DOT
          dot = multiply_add(dot, conjugate(x[row]), total);
#endif
        }
      }
      if (row_end < rows && (long)indptr[row_end] < end) carry = open[now][THREADS - 1];
    }
    if (item == 0) {
      carries[share] = carry;
#if DOT
      if (row_end < rows) dot = multiply_add(dot, conjugate(x[row_end]), carry);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if DOT
  dot = group_sum(open[0], dot);
  if (item == 0) sums[get_group_id(0)] = dot;
#endif
}

#define CARRY_THREADS 32

// Adds the carries to the rows that they belong to. Carries of one row follow each other; the group of the first of them
// adds all.
kernel __attribute__((reqd_work_group_size(CARRY_THREADS, 1, 1))) void add_carries(const global INDEX *rows_of,
                                                                                   const global VALUE *carries,
                                                                                   global VALUE *y, long rows,
                                                                                   long shares EPILOGUE) {
  local VALUE scratch[CARRY_THREADS];
  const uint item = get_local_id(0);
  const long first = (long)get_group_id(0);
  const INDEX row = rows_of[first + 1];
  if ((long)row >= rows || (first > 0 && rows_of[first] == row)) return;
  VALUE sum = (VALUE)0;
  for (long share = first + item; share < shares && rows_of[share + 1] == row; share += CARRY_THREADS)
    sum = plus(sum, carries[share]);
  scratch[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = CARRY_THREADS / 2; step > 0; step /= 2) {
    if (item < step) scratch[item] = plus(scratch[item], scratch[item + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item != 0) return;
  sum = scratch[0];
#if FLOATING && !COMPLEX
  if (epilogue != 0) sum = factor * sum;
#endif
  y[row] = plus(y[row], sum);
}
