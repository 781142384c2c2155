// SPDX-License-Identifier: MIT
// The search that divides compressed rows into parts of equal work.
//
// INDEX    int or long

// Returns the first row whose entries and rows before it are at least `weight`, so that parts of equal weight
// have equal work even if rows are empty.
inline long first_row(const global INDEX *indptr, long rows, long weight) {
  long first = 0, last = rows;
  while (first < last) {
    const long middle = first + (last - first) / 2;
    if ((long)indptr[middle] + middle < weight)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}
