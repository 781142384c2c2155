// SPDX-License-Identifier: MIT
// Merges two sorted arrays with the merge path algorithm: the output is divided into tiles of equal size, and
// bisection finds where each tile begins in both inputs. Needs radix_keys.cl, whose order it compares keys
// in.
//
// VALUES, VALUE      1: values of type VALUE are moved with the keys
// THREADS, ITEMS     work-items of a group, and keys of a work-item
// WORDS              number of VALUEs that form one value: 1, or the parameter `words`
typedef struct {
  ulong a, b;
} sizes_t;

inline bool goes_first(KEY a, KEY b, KEY flip) {
  return order_of(key_in(a, flip)) <= order_of(key_in(b, flip));  // the merge is stable: equal keys of a come first
}

// Returns how many of the first `at` keys of the output come from a.
inline ulong split_at(const global KEY *a, const global KEY *b, sizes_t sizes, ulong at, KEY flip) {
  ulong first = at > sizes.b ? at - sizes.b : 0, last = min(at, sizes.a);
  while (first < last) {
    const ulong middle = first + (last - first) / 2;
    if (goes_first(a[middle], b[at - 1 - middle], flip))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

#if VALUES
#define VALUE_PARAMETERS const global VALUE *a_values, const global VALUE *b_values, global VALUE *values_out,
#else
#define VALUE_PARAMETERS
#endif

#if GROUPS
#define TILE (THREADS * ITEMS)

// splits[i] is the number of keys from a among the first i * TILE keys of the output.
kernel void merge_splits(const global KEY *a, const global KEY *b, global ulong *splits, ulong a_size,
                         ulong b_size, ulong count, KEY flip) {
  const ulong i = get_global_id(0);
  const sizes_t sizes = {a_size, b_size};
  if (i < count) splits[i] = split_at(a, b, sizes, min(i * TILE, a_size + b_size), flip);
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void merge_groups(
    const global KEY *a, const global KEY *b, global KEY *out, VALUE_PARAMETERS const global ulong *splits,
    ulong a_size, ulong b_size, KEY flip) {
  local KEY keys[TILE];
#if VALUES
  local ushort sources[TILE];
#endif
  const uint item = get_local_id(0);
  const ulong start = (ulong)get_group_id(0) * TILE;
  const uint size = (uint)min((ulong)TILE, a_size + b_size - start);
  const ulong a_start = splits[get_group_id(0)], b_start = start - a_start;
  const uint from_a = (uint)(splits[get_group_id(0) + 1] - a_start), from_b = size - from_a;
  for (uint i = item; i < size; i += THREADS)
    keys[i] = i < from_a ? a[a_start + i] : b[b_start + (i - from_a)];
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each work-item bisects within the tile, then merges ITEMS keys.
  const uint at = min(item * ITEMS, size);
  uint first = at > from_b ? at - from_b : 0, last = min(at, from_a);
  while (first < last) {
    const uint middle = (first + last) / 2;
    if (goes_first(keys[middle], keys[from_a + at - 1 - middle], flip))
      first = middle + 1;
    else
      last = middle;
  }
  uint i = first, j = from_a + at - first;
  KEY merged[ITEMS];
  ushort source[ITEMS];
#pragma unroll
  for (uint k = 0; k < ITEMS; ++k) {
    const bool is_a = j >= size || (i < from_a && goes_first(keys[i], keys[j], flip));
    const uint from = min(is_a ? i : j, TILE - 1u);
    merged[k] = keys[from];
    source[k] = (ushort)from;
    if (is_a)
      ++i;
    else
      ++j;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < ITEMS; ++k)
    if (item * ITEMS + k < size) {
      keys[item * ITEMS + k] = merged[k];
#if VALUES
      sources[item * ITEMS + k] = source[k];
#endif
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = item; k < size; k += THREADS) {
    out[start + k] = keys[k];
#if VALUES
    const uint from = sources[k];
    values_out[start + k] = from < from_a ? a_values[a_start + from] : b_values[b_start + (from - from_a)];
#endif
  }
}
#else

kernel void merge_chunks(const global KEY *a, const global KEY *b, global KEY *out,
                         VALUE_PARAMETERS ulong chunk, ulong a_size, ulong b_size, KEY flip, uint words) {
  const sizes_t sizes = {a_size, b_size};
  const ulong start = get_global_id(0) * chunk, end = start + min(chunk, a_size + b_size - start);
  ulong i = split_at(a, b, sizes, start, flip), j = start - i;
  for (ulong k = start; k < end; ++k) {
    const bool is_a = j >= b_size || (i < a_size && goes_first(a[i], b[j], flip));
    out[k] = is_a ? a[i] : b[j];
#if VALUES
    for (uint w = 0; w < WORDS; ++w)
      values_out[k * WORDS + w] = is_a ? a_values[i * WORDS + w] : b_values[j * WORDS + w];
#endif
    i += is_a ? 1 : 0;
    j += is_a ? 0 : 1;
  }
}
#endif
