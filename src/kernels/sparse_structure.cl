// SPDX-License-Identifier: MIT
// The structure of compressed rows: the row of each entry, parts of equal work, patterns of rows. Needs sparse_search.cl.
//
// INDEX    int or long

// The row of each entry. Each work-item takes a chunk of the entries.
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

// Divides entries and ends of rows, in one sequence, into parts of `span`. starts[k] is the row in which part k begins, or
// the first row after its begin if parts have whole rows; starts[parts] is the number of rows.
kernel void split_rows(const global INDEX *indptr, global INDEX *starts, long rows, long parts, long span,
                       int has_whole_rows) {
  const long part = (long)get_global_id(0);
  if (part > parts) return;
  const long begin = part * span;
  const long row = has_whole_rows ? first_row(indptr, rows, begin) : first_row(indptr, rows, begin + 1) - 1;
  starts[part] = (INDEX)(part == parts ? rows : row);
}

// Rows have the same pattern if their columns, counted from the diagonal, are the same in the same order. Matrices of
// stencils and bands have few patterns. Then a byte for each row replaces the indices of its entries.
#define SLOTS 256           // of the table, which maps a byte to a pattern
#define MOST_PATTERNS 192   // so that searches of the table end soon
#define MOST_ENTRIES 64     // of a pattern

inline bool is_same_pattern(const global INDEX *indptr, const global INDEX *indices, long row, long other) {
  const long begin = (long)indptr[row], other_begin = (long)indptr[other];
  const long length = (long)indptr[row + 1] - begin;
  if ((long)indptr[other + 1] - other_begin != length) return false;
  for (long k = 0; k < length; ++k)
    if ((long)indices[begin + k] - row != (long)indices[other_begin + k] - other) return false;
  return true;
}

// codes[row] is the slot of the row's pattern. table[slot] is 1 + a row that has the pattern, or 0. The caller clears
// the table. found[0] counts the patterns; it exceeds MOST_PATTERNS if they are too many or a row is too long, and the
// codes are then not complete. Each work-item takes a chunk of rows.
kernel void find_patterns(const global INDEX *indptr, const global INDEX *indices, volatile global int *table,
                          volatile global int *found, global uchar *codes, long rows, long chunk) {
  const long begin = (long)get_global_id(0) * chunk, end = min(begin + chunk, rows);
  uint code = SLOTS;
  for (long row = begin; row < end; ++row) {
    if (found[0] > MOST_PATTERNS) return;
    if (code == SLOTS || !is_same_pattern(indptr, indices, row, row - 1)) {
      const long first = (long)indptr[row], last = (long)indptr[row + 1];
      if (last - first > MOST_ENTRIES) {
        atomic_max(found, MOST_PATTERNS + 1);
        return;
      }
      uint hash = (uint)(last - first);
      for (long i = first; i < last; ++i) hash = (hash ^ (uint)((long)indices[i] - row)) * 0x9e3779b1u;
      code = hash >> 24;
      uint tries = 0;
      for (; tries < SLOTS; ++tries, code = (code + 1) % SLOTS) {
        int owner = table[code];
        if (owner == 0) {
          owner = atomic_cmpxchg(table + code, 0, (int)row + 1);
          if (owner == 0) {
            atomic_inc(found);
            break;
          }
        }
        if (is_same_pattern(indptr, indices, row, (long)owner - 1)) break;
      }
      if (tries == SLOTS) {
        atomic_max(found, MOST_PATTERNS + 1);
        return;
      }
    }
    codes[row] = (uchar)code;
  }
}

// Pattern `slot` has lengths[slot] columns, counted from the diagonal, at offsets[slot * MOST_ENTRIES]. lengths[SLOTS]
// is the number of patterns.
kernel void store_patterns(const global INDEX *indptr, const global INDEX *indices, const global int *table,
                           const global int *found, global int *lengths, global INDEX *offsets) {
  const uint slot = (uint)get_global_id(0);
  if (slot > SLOTS) return;
  if (slot == SLOTS) {
    lengths[SLOTS] = found[0];
    return;
  }
  const long row = (long)table[slot] - 1;
  const long begin = row < 0 ? 0 : (long)indptr[row], end = row < 0 ? 0 : (long)indptr[row + 1];
  lengths[slot] = (int)(end - begin);
  for (long i = begin; i < min(end, begin + MOST_ENTRIES); ++i)
    offsets[slot * MOST_ENTRIES + (i - begin)] = (INDEX)((long)indices[i] - row);
}

// blocks[k] is the code of all rows of block k, or -1 if they differ.
kernel void mark_blocks(const global uchar *codes, global int *blocks, long rows, long block_rows) {
  const long begin = (long)get_global_id(0) * block_rows, end = min(begin + block_rows, rows);
  if (begin >= end) return;
  const uchar code = codes[begin];
  bool is_same = true;
  for (long row = begin; row < end; ++row) is_same = is_same && codes[row] == code;
  blocks[get_global_id(0)] = is_same ? (int)code : -1;
}
