// SPDX-License-Identifier: MIT
// Sums (or products, maxima...) along the middle axis of elements of shape (outer, length, inner), up to each
// of them. The axis is cut into chunks; the totals of chunks, which have the shape (outer, chunks, inner), are
// accumulated first, then the chunks.
//
// PARAMETERS         of the expression that is accumulated
// LOAD(i)            element i of it, an ITEM
// ITEM, OUT          what is accumulated, and what is stored
// combine(a, b)      the operator
// STRIP              the number of neighbouring columns of a work-item: 1 on devices with many work-items
//
// The first element of a column is its own sum, because 0 + x is not x where x is -0.0.
inline ulong chunk_end(ulong first, ulong chunk, ulong length) { return min(first + chunk, length); }

#if STRIP == 1
// A work-item for a chunk of a column; neighbours in memory are neighbours in the grid.
kernel void totals(PARAMETERS, global ITEM *total, ulong length, ulong inner, ulong chunk, ulong chunks,
                   ulong count) {
  const ulong id = get_global_id(0);
  if (id >= count) return;
  const ulong column = id % inner, part = id / inner % chunks, outer = id / inner / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  ITEM sum = LOAD((outer * length + first) * inner + column);
  for (ulong k = first + 1; k < last; ++k) sum = combine(sum, LOAD((outer * length + k) * inner + column));
  total[id] = sum;
}

kernel void accumulate(PARAMETERS, global OUT *out, const global ITEM *total, ulong length, ulong inner,
                       ulong chunk, ulong chunks, ulong count) {
  const ulong id = get_global_id(0);
  if (id >= count) return;
  const ulong column = id % inner, part = id / inner % chunks, outer = id / inner / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  ulong i = (outer * length + first) * inner + column;
  ITEM sum = LOAD(i);
  if (part > 0) sum = combine(total[id - inner], sum);
  out[i] = (OUT)sum;
  for (ulong k = first + 1; k < last; ++k) {
    i += inner;
    sum = combine(sum, LOAD(i));
    out[i] = (OUT)sum;
  }
}
#else

// A work-item for a chunk of neighbouring columns, along which the compiler vectorises.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void totals(PARAMETERS, global ITEM *total, ulong length,
                                                                  ulong inner, ulong chunk, ulong chunks,
                                                                  ulong strips) {
  const ulong id = get_global_id(0), start = id % strips * STRIP;
  const ulong part = id / strips % chunks, outer = id / strips / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  const int width = (int)min((ulong)STRIP, inner - start);
  ulong row = (outer * length + first) * inner + start;
  if (inner == 1) {
    ITEM sum = LOAD(row);
    for (ulong k = first + 1; k < last; ++k) sum = combine(sum, LOAD(outer * length + k));
    total[outer * chunks + part] = sum;
    return;
  }
  ITEM sum[STRIP];
  for (int c = 0; c < width; ++c) sum[c] = LOAD(row + c);
  for (ulong k = first + 1; k < last; ++k) {
    row += inner;
    for (int c = 0; c < width; ++c) sum[c] = combine(sum[c], LOAD(row + c));
  }
  for (int c = 0; c < width; ++c) total[(outer * chunks + part) * inner + start + c] = sum[c];
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void accumulate(PARAMETERS, global OUT *out,
                                                                      const global ITEM *total, ulong length,
                                                                      ulong inner, ulong chunk, ulong chunks,
                                                                      ulong strips) {
  const ulong id = get_global_id(0), start = id % strips * STRIP;
  const ulong part = id / strips % chunks, outer = id / strips / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  const int width = (int)min((ulong)STRIP, inner - start);
  const ulong before = (outer * chunks + part - 1) * inner + start;
  ulong row = (outer * length + first) * inner + start;
  if (inner == 1) {
    ITEM sum = LOAD(row);
    if (part > 0) sum = combine(total[before], sum);
    out[row] = (OUT)sum;
    for (ulong k = row + 1; k < outer * length + last; ++k) {
      sum = combine(sum, LOAD(k));
      out[k] = (OUT)sum;
    }
    return;
  }
  ITEM sum[STRIP];
  for (int c = 0; c < width; ++c) {
    sum[c] = LOAD(row + c);
    if (part > 0) sum[c] = combine(total[before + c], sum[c]);
    out[row + c] = (OUT)sum[c];
  }
  for (ulong k = first + 1; k < last; ++k) {
    row += inner;
    for (int c = 0; c < width; ++c) {
      sum[c] = combine(sum[c], LOAD(row + c));
      out[row + c] = (OUT)sum[c];
    }
  }
}
#endif
