// SPDX-License-Identifier: MIT
// Products of compressed rows with vectors on GPUs. A work-group takes tiles of whole rows: it loads the entries of
// all its rows side by side into local memory, and then sums each row. Rows that are too long for a tile are summed
// by several groups each. Needs sparse_values.cl.
//
// THREADS   work-items of a group
// SPAN      entries and rows of a tile, together, up to the last row
// ROOM      the most entries of a tile
// PER_ROW   work-items that sum a row: a power of two
// LONG      1: rows with more than SPAN entries are left to multiply_long; only the last row of a tile can be one
// DOT       1: sums[group] = the group's part of conj(x) . y

// starts[k] is the first row of tile k.
kernel void split_rows(const global INDEX *indptr, global INDEX *starts, long rows, long tiles) {
  const long tile = (long)get_global_id(0);
  if (tile <= tiles) starts[tile] = (INDEX)(tile == tiles ? rows : first_row(indptr, rows, tile * SPAN));
}

inline VALUE group_sum(local VALUE *room, VALUE value) {
  const uint item = get_local_id(0);
  room[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = THREADS / 2; step > 0; step /= 2) {
    if (item < step) room[item] = plus(room[item], room[item + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const VALUE sum = room[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_tiles(
    const global VALUE *data, const global INDEX *indices, const global INDEX *indptr, const global VALUE *x,
    global VALUE *y, const global INDEX *starts, long tiles
#if DOT
    ,
    global VALUE *sums
#endif
) {
  local VALUE products[ROOM];
#if PER_ROW > 1
  local VALUE parts[THREADS];
#endif
  const uint item = get_local_id(0);
#if DOT
  VALUE dot = (VALUE)0;
#endif
  for (long tile = (long)get_group_id(0); tile < tiles; tile += (long)get_num_groups(0)) {
    const long first = (long)starts[tile];
    long last = (long)starts[tile + 1];
    const long begin = (long)indptr[first];
    long end = (long)indptr[last];
#if LONG
    if (last > first) {
      const long before = (long)indptr[last - 1];
      if (end - before > SPAN) {
        last -= 1;
        end = before;
      }
    }
#endif
    const uint count = (uint)(end - begin);
    for (uint i = item; i < count; i += THREADS)
      products[i] = multiply_add((VALUE)0, data[begin + i], x[indices[begin + i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
#if PER_ROW == 1
    for (long row = first + item; row < last; row += THREADS) {
      const uint from = (uint)((long)indptr[row] - begin), to = (uint)((long)indptr[row + 1] - begin);
      VALUE sum = (VALUE)0;
      for (uint i = from; i < to; ++i) sum = plus(sum, products[i]);
      y[row] = sum;
#if DOT
      dot = multiply_add(dot, conjugate(x[row]), sum);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    const uint lane = item % PER_ROW;
    for (long batch = first; batch < last; batch += THREADS / PER_ROW) {
      const long row = batch + item / PER_ROW;
      VALUE sum = (VALUE)0;
      if (row < last) {
        const uint to = (uint)((long)indptr[row + 1] - begin);
        for (uint i = (uint)((long)indptr[row] - begin) + lane; i < to; i += PER_ROW) sum = plus(sum, products[i]);
      }
      parts[item] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint step = PER_ROW / 2; step > 0; step /= 2) {
        if (lane < step) parts[item] = plus(parts[item], parts[item + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (lane == 0 && row < last) {
        y[row] = parts[item];
#if DOT
        dot = multiply_add(dot, conjugate(x[row]), parts[item]);
#endif
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
  }
#if DOT
  dot = group_sum(products, dot);
  if (item == 0) sums[get_group_id(0)] = dot;
#endif
}

// partial[k * parts + p] is part p of the product of row long_rows[k].
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void multiply_long(
    const global VALUE *data, const global INDEX *indices, const global INDEX *indptr, const global VALUE *x,
    const global long *long_rows, global VALUE *partial, uint parts) {
  local VALUE room[THREADS];
  const uint part = (uint)(get_group_id(0) % parts);
  const long row = long_rows[get_group_id(0) / parts];
  const long end = (long)indptr[row + 1];
  VALUE sum = (VALUE)0;
  for (long i = (long)indptr[row] + (long)part * THREADS + get_local_id(0); i < end; i += (long)parts * THREADS)
    sum = multiply_add(sum, data[i], x[indices[i]]);
  sum = group_sum(room, sum);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}

kernel void finish_long(const global long *long_rows, const global VALUE *partial, global VALUE *y, uint parts,
                        uint count) {
  const uint k = (uint)get_global_id(0);
  if (k >= count) return;
  VALUE sum = (VALUE)0;
  for (uint p = 0; p < parts; ++p) sum = plus(sum, partial[k * parts + p]);
  y[long_rows[k]] = sum;
}

// Y = A X for row-major matrices with `columns` columns: a work-item for each element of Y.
kernel void multiply_elements(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                              const global VALUE *x, global VALUE *y, long size, long columns) {
  const long at = (long)get_global_id(0);
  if (at >= size) return;
  const long row = at / columns, column = at % columns;
  VALUE sum = (VALUE)0;
  for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i)
    sum = multiply_add(sum, data[i], x[(long)indices[i] * columns + column]);
  y[at] = sum;
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
// Solves for the rows order[begin:end] of a triangular system, none of which needs another. The diagonal of row i is
// the entry diagonals[i], or 1 where that is negative.
kernel void solve_level(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                        const global long *diagonals, global VALUE *x, const global long *order, long begin,
                        long end, int is_lower) {
  const long k = begin + (long)get_global_id(0);
  if (k >= end) return;
  const long row = order[k];
  VALUE sum = x[row];
  for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i) {
    const long column = (long)indices[i];
    if (is_lower ? column < row : column > row) sum = multiply_add(sum, -data[i], x[column]);
  }
  x[row] = diagonals[row] < 0 ? sum : quotient(sum, data[diagonals[row]]);
}
#endif
