// SPDX-License-Identifier: MIT
// The row of each entry of compressed rows. Each work-item takes a chunk of the entries.
//
// INDEX    int or long
kernel void fill_rows(const global INDEX *indptr, global INDEX *out, long rows, long count, long chunk) {
  const long begin = (long)get_global_id(0) * chunk, end = min(begin + chunk, count);
  if (begin >= end) return;
  // The last row that starts at or before the first entry.
  long first = 0, last = rows;
  while (first < last) {
    const long middle = first + (last - first) / 2;
    if ((long)indptr[middle] <= begin)
      first = middle + 1;
    else
      last = middle;
  }
  long row = first - 1;
  for (long i = begin; i < end && row < rows; ++row) {
    const long row_end = min((long)indptr[row + 1], end);
    for (; i < row_end; ++i) out[i] = (INDEX)row;
  }
}
