// SPDX-License-Identifier: MIT
// Compressed rows of similar lengths on GPUs. In a product with a vector a work-group takes tiles of whole rows: it loads
// the entries of all its rows side by side into local memory, and then sums each row. Needs sparse_values.cl.
//
// THREADS   work-items of a group
// CAPACITY  the most entries of a tile
// PER_ROW   work-items that sum a row: a power of two
// DOT       1: sums[group] = the group's part of conj(x) . y

#define BATCH 8

// Tile k has the rows starts[k] to starts[k + 1] (split_rows of sparse_structure.cl).
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_tiles(
    const global VALUE *data, const global INDEX *indices, const global INDEX *indptr, const global VALUE *x,
    global VALUE *y, const global INDEX *starts, long tiles
#if DOT
    ,
    global VALUE *sums
#endif
        EPILOGUE) {
  local VALUE products[CAPACITY];
#if PER_ROW > 1
  local VALUE parts[THREADS];
#endif
  const uint item = get_local_id(0);
#if DOT
  VALUE dot = (VALUE)0;
#endif
  for (long tile = (long)get_group_id(0); tile < tiles; tile += (long)get_num_groups(0)) {
    const long first = (long)starts[tile], last = (long)starts[tile + 1];
    const long begin = (long)indptr[first], end = (long)indptr[last];
    // All indices of a batch are loaded before the first element of x, so that the loads overlap.
    const uint count = (uint)(end - begin);
    for (uint base = item; base < count; base += BATCH * THREADS) {
      INDEX columns[BATCH];
#pragma unroll
      for (uint k = 0; k < BATCH; ++k) {
        const uint i = base + k * THREADS;
        columns[k] = i < count ? indices[begin + i] : 0;
      }
#pragma unroll
      for (uint k = 0; k < BATCH; ++k) {
        const uint i = base + k * THREADS;
        if (i < count) products[i] = multiply_add((VALUE)0, data[begin + i], x[columns[k]]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint lane = item % PER_ROW;
    for (long batch = first; batch < last; batch += THREADS / PER_ROW) {
      const long row = batch + item / PER_ROW;
      VALUE sum = (VALUE)0;
      if (row < last) {
        const uint from = (uint)((long)indptr[row] - begin), to = (uint)((long)indptr[row + 1] - begin);
        for (uint i = from + lane; i < to; i += PER_ROW) sum = plus(sum, products[i]);
      }
#if PER_ROW > 1
      parts[item] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint step = PER_ROW / 2; step > 0; step /= 2) {
        if (lane < step) parts[item] = plus(parts[item], parts[item + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      sum = parts[item];
#endif
      if (row < last && lane == 0) {
        y[row] = FINISHED(sum, row);
#if DOT
        dot = multiply_add(dot, conjugate(x[row]), sum);
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if DOT
  dot = group_sum(products, dot);
  if (item == 0) sums[get_group_id(0)] = dot;
#endif
}

// Y = A X for row-major matrices with `columns` columns: a work-item for each element of Y. Elements of the addend are
// row_step and column_step apart.
kernel void multiply_elements(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                              const global VALUE *x, global VALUE *y, long size, long columns, long row_step,
                              long column_step EPILOGUE) {
  const long at = (long)get_global_id(0);
  if (at >= size) return;
  const long row = at / columns, column = at % columns;
  VALUE sum = (VALUE)0;
  for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i)
    sum = multiply_add(sum, data[i], x[(long)indices[i] * columns + column]);
  y[at] = FINISHED(sum, row * row_step + column * column_step);
}

// y[row] = sum of the entries of the row
kernel void sum_elements(const global VALUE *data, const global INDEX *indptr, global VALUE *y, long rows) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  VALUE sum = (VALUE)0;
  for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i) sum = plus(sum, data[i]);
  y[row] = sum;
}

#if FLOATING
// Solves for the rows order[begin:end] of a triangular system, none of which needs another.
kernel void solve_level(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                        const global long *diagonals, global VALUE *x, const global long *order, long begin,
                        long end, int is_lower) {
  const long k = begin + (long)get_global_id(0);
  if (k < end) solve_row(data, indices, indptr, diagonals, x, order[k], is_lower);
}
#endif
