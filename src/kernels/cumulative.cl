// SPDX-License-Identifier: MIT
// Sums (or products, maxima...) along the middle axis of elements of shape (outer, length, inner), up to each
// of them. The axis is cut into chunks; the totals of chunks, which have the shape (outer, chunks, inner), are
// accumulated in turn before the chunks themselves are.
//
// PARAMETERS         of the expression that is accumulated
// LOAD(i)            element i of it, an ITEM
// ITEM, OUT          what is accumulated, and what is stored
// combine(a, b)      the operator, whose neutral element is NEUTRAL
// STRIP              neighbouring columns of a work-item: 1 where work-items are many
inline ulong chunk_end(ulong first, ulong chunk, ulong length) { return min(first + chunk, length); }

#if STRIP == 1
// A work-item for a chunk of a column; neighbours in memory are neighbours in the grid.
kernel void totals(PARAMETERS, global ITEM *total, ulong length, ulong inner, ulong chunk, ulong chunks,
                   ulong count) {
  const ulong id = get_global_id(0);
  if (id >= count) return;
  const ulong column = id % inner, part = id / inner % chunks, outer = id / inner / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  ITEM sum = NEUTRAL;
  for (ulong k = first; k < last; ++k) sum = combine(sum, LOAD((outer * length + k) * inner + column));
  total[id] = sum;
}

kernel void accumulate(PARAMETERS, global OUT *out, const global ITEM *total, ulong length, ulong inner,
                       ulong chunk, ulong chunks, ulong count) {
  const ulong id = get_global_id(0);
  if (id >= count) return;
  const ulong column = id % inner, part = id / inner % chunks, outer = id / inner / chunks;
  const ulong first = part * chunk, last = chunk_end(first, chunk, length);
  ITEM sum = NEUTRAL;
  if (part > 0) sum = total[id - inner];
  for (ulong k = first; k < last; ++k) {
    const ulong i = (outer * length + k) * inner + column;
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
  ITEM sum[STRIP];
  for (int c = 0; c < width; ++c) sum[c] = NEUTRAL;
  for (ulong k = first; k < last; ++k) {
    const ulong row = (outer * length + k) * inner + start;
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
  ITEM sum[STRIP];
  for (int c = 0; c < width; ++c) sum[c] = NEUTRAL;
  if (part > 0)
    for (int c = 0; c < width; ++c) sum[c] = total[(outer * chunks + part - 1) * inner + start + c];
  for (ulong k = first; k < last; ++k) {
    const ulong row = (outer * length + k) * inner + start;
    for (int c = 0; c < width; ++c) {
      sum[c] = combine(sum[c], LOAD(row + c));
      out[row + c] = (OUT)sum[c];
    }
  }
}
#endif
