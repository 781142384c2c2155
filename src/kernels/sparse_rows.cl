// SPDX-License-Identifier: MIT
// Compressed rows on CPUs: each work-item takes a chunk of rows with about as many entries as the others.
// Needs sparse_values.cl.

// Sums of long rows have several accumulators, because one addition must wait for the one before.
inline VALUE row_product(const global VALUE *data, const global INDEX *indices, const global VALUE *x, long begin,
                         long end) {
  VALUE sum = (VALUE)0;
  long i = begin;
  if (end - begin >= 16) {
    VALUE a = (VALUE)0, b = (VALUE)0, c = (VALUE)0;
    for (; i + 4 <= end; i += 4) {
      sum = multiply_add(sum, data[i], x[indices[i]]);
      a = multiply_add(a, data[i + 1], x[indices[i + 1]]);
      b = multiply_add(b, data[i + 2], x[indices[i + 2]]);
      c = multiply_add(c, data[i + 3], x[indices[i + 3]]);
    }
    sum = plus(plus(sum, a), plus(b, c));
  }
  for (; i < end; ++i) sum = multiply_add(sum, data[i], x[indices[i]]);
  return sum;
}

#define MOST_ENTRIES 64  // of a pattern; see sparse_structure.cl
// The rows of a work-item.
#define CHUNK                                                                        \
  const long chunk = (long)get_global_id(0), chunks = (long)get_global_size(0);      \
  const long first = first_row(indptr, rows, chunk * weight);                        \
  const long last = chunk + 1 == chunks ? rows : first_row(indptr, rows, (chunk + 1) * weight);

// y = A x. If has_dot, sums[chunk] = the chunk's part of conj(x) . y, and x has as many elements as y.
kernel void multiply_rows(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                          const global VALUE *x, global VALUE *y, long rows, long weight, int has_dot,
                          global VALUE *sums EPILOGUE) {
  CHUNK
  long begin = first < last ? (long)indptr[first] : 0;
  VALUE dot = (VALUE)0;
  for (long row = first; row < last; ++row) {
    const long end = (long)indptr[row + 1];
    const VALUE sum = row_product(data, indices, x, begin, end);
    y[row] = FINISHED(sum, row);
    if (has_dot) dot = multiply_add(dot, conjugate(x[row]), sum);
    begin = end;
  }
  if (has_dot) sums[chunk] = dot;
}

// The same for rows with patterns: the columns of row i are i + offsets[MOST_ENTRIES * codes[i]] and so on.
kernel void multiply_patterns(const global VALUE *data, const global INDEX *indptr, const global uchar *codes,
                              const global int *lengths, const global INDEX *offsets, const global VALUE *x,
                              global VALUE *y, long rows, long weight, int has_dot, global VALUE *sums EPILOGUE) {
  CHUNK
  long begin = first < last ? (long)indptr[first] : 0;
  VALUE dot = (VALUE)0;
  for (long row = first; row < last; ++row) {
    const uint code = codes[row];
    const long length = lengths[code];
    const VALUE sum = row_product(data + begin, offsets + code * MOST_ENTRIES, x + row, 0, length);
    y[row] = FINISHED(sum, row);
    if (has_dot) dot = multiply_add(dot, conjugate(x[row]), sum);
    begin += length;
  }
  if (has_dot) sums[chunk] = dot;
}

// Y = A X for row-major matrices with `columns` columns. Eight sums at a time stay in registers. Elements of the addend
// are row_step and column_step apart.
kernel void multiply_matrix(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                            const global VALUE *x, global VALUE *y, long rows, long weight, long columns,
                            long row_step, long column_step EPILOGUE) {
  CHUNK
  for (long row = first; row < last; ++row) {
    const long begin = (long)indptr[row], end = (long)indptr[row + 1];
    long column = 0;
    for (; column + 8 <= columns; column += 8) {
      VALUE sums[8];
      for (int k = 0; k < 8; ++k) sums[k] = (VALUE)0;
      for (long i = begin; i < end; ++i) {
        const VALUE value = data[i];
        const global VALUE *from = x + (long)indices[i] * columns + column;
        for (int k = 0; k < 8; ++k) sums[k] = multiply_add(sums[k], value, from[k]);
      }
      for (int k = 0; k < 8; ++k)
        y[row * columns + column + k] = FINISHED(sums[k], row * row_step + (column + k) * column_step);
    }
    for (; column < columns; ++column) {
      VALUE sum = (VALUE)0;
      for (long i = begin; i < end; ++i)
        sum = multiply_add(sum, data[i], x[(long)indices[i] * columns + column]);
      y[row * columns + column] = FINISHED(sum, row * row_step + column * column_step);
    }
  }
}

// y[row] = sum of the entries of the row
kernel void sum_rows(const global VALUE *data, const global INDEX *indptr, global VALUE *y, long rows, long weight) {
  CHUNK
  for (long row = first; row < last; ++row) {
    VALUE sum = (VALUE)0;
    for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i) sum = plus(sum, data[i]);
    y[row] = sum;
  }
}

#if FLOATING
// Solves a triangular system row by row, in order (LOWER) or backwards; one work-item does all.
kernel void solve_rows(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                       const global long *diagonals, global VALUE *x, long rows, int is_lower) {
  for (long k = 0; k < rows; ++k)
    solve_row(data, indices, indptr, diagonals, x, is_lower ? k : rows - 1 - k, is_lower);
}
#endif
