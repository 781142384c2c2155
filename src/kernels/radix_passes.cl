// SPDX-License-Identifier: MIT
// Radix sort for any GPU; it needs only local memory and barriers. For each digit, the groups count the
// digits of their shares, the counts are summed, and the groups scatter their shares tile by tile.
//
// Needs radix_keys.cl. Further parameters:
// THREADS, ITEMS     work-items of a group, a power of two of at least 256; keys of a work-item in a tile
// INDEX              uint or ulong: type of positions
// VALUES             1: values are moved with the keys; VALUE_IN and VALUE_OUT are their types
#define TILE (THREADS * ITEMS)
#define NIBBLES 16

// Bits of `stage`
#define FIRST_PASS 1u
#define LAST_PASS 2u
#define VALUES_ARE_POSITIONS 4u

// Computes each work-item's exclusive prefix sum of x. Leaves the sum of all in scratch[THREADS - 1].
#define SUM_BELOW(TYPE, x, item, scratch, result)                 \
  scratch[item] = x;                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                                   \
  for (uint step = 1; step < THREADS; step *= 2) {                \
    const TYPE other = item >= step ? scratch[item - step] : 0;   \
    barrier(CLK_LOCAL_MEM_FENCE);                                 \
    scratch[item] += other;                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                 \
  }                                                               \
  const TYPE result = scratch[item] - (x)

// Counts the digits of each group's `share` keys in counts[digit * groups + group].
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void radix_count(
    const global KEY *keys, global INDEX *counts, INDEX n, INDEX share, uint shift, KEY flip, uint stage) {
  local uint count[DIGITS];
  const uint item = get_local_id(0);
  const INDEX first = (INDEX)get_group_id(0) * share, last = first + min(share, n - first);
  if (item < DIGITS) count[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (INDEX i = first + item; i < last; i += THREADS) {
    const KEY x = stage & FIRST_PASS ? key_in(keys[i], flip) : keys[i];
    atomic_inc(&count[digit_of(x, shift)]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < DIGITS) counts[(INDEX)item * get_num_groups(0) + get_group_id(0)] = count[item];
}

// One group per digit replaces the counts by their exclusive prefix sums. totals[digit] is their sum.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void radix_sum(global INDEX *counts,
                                                                          global INDEX *totals, uint groups) {
  local INDEX scratch[THREADS];
  const uint item = get_local_id(0);
  global INDEX *const row = counts + (INDEX)get_group_id(0) * groups;
  INDEX before = 0;
  for (uint first = 0; first < groups; first += THREADS) {
    const INDEX own = first + item < groups ? row[first + item] : 0;
    SUM_BELOW(INDEX, own, item, scratch, below);
    if (first + item < groups) row[first + item] = before + below;
    before += scratch[THREADS - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) totals[get_group_id(0)] = before;
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void radix_scatter(
    const global KEY *keys_in, global KEY *keys_out,
#if VALUES
    const global VALUE_IN *values_in, global VALUE_OUT *values_out,
#endif
    const global INDEX *counts, const global INDEX *totals, INDEX n, INDEX share, uint shift, KEY flip,
    uint stage) {
  local KEY sorted[TILE];
#if VALUES
  local VALUE_IN sorted_values[TILE];
#endif
  local ushort nibbles[NIBBLES * THREADS];
  local uint scratch[THREADS];
  local INDEX wide_scratch[THREADS];
  local INDEX places[DIGITS];
  local ushort starts[DIGITS];
  const uint item = get_local_id(0);
  const INDEX first = (INDEX)get_group_id(0) * share, last = first + min(share, n - first);

  // The position of the group's first key of each digit: after all smaller digits, and after the same digit
  // of earlier groups.
  const INDEX total = item < DIGITS ? totals[item] : 0;
  SUM_BELOW(INDEX, total, item, wide_scratch, smaller);
  if (item < DIGITS) places[item] = smaller + counts[(INDEX)item * get_num_groups(0) + get_group_id(0)];

  for (INDEX tile = first; tile < last; tile += TILE) {
    const uint size = (uint)min((INDEX)TILE, last - tile);
    // The last tile is filled with keys that sort last; they are not written.
    for (uint at = item; at < TILE; at += THREADS) {
      KEY x = (KEY)~(KEY)0;
      if (at < size) x = stage & FIRST_PASS ? key_in(keys_in[tile + at], flip) : keys_in[tile + at];
      sorted[at] = x;
#if VALUES
      if (at < size)
        sorted_values[at] = stage & VALUES_ARE_POSITIONS ? (VALUE_IN)(tile + at) : values_in[tile + at];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Sorts the tile by the digit, four bits at a time. Each work-item counts ITEMS adjacent keys.
    for (uint half_digit = 0; half_digit < 8; half_digit += 4) {
      KEY key[ITEMS];
#if VALUES
      VALUE_IN value[ITEMS];
#endif
      for (uint d = 0; d < NIBBLES; ++d) nibbles[d * THREADS + item] = 0;
      for (uint i = 0; i < ITEMS; ++i) {
        key[i] = sorted[item * ITEMS + i];
#if VALUES
        value[i] = sorted_values[item * ITEMS + i];
#endif
        ++nibbles[((digit_of(key[i], shift) >> half_digit) & (NIBBLES - 1)) * THREADS + item];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      uint own = 0;
      for (uint i = 0; i < NIBBLES; ++i) own += nibbles[item * NIBBLES + i];
      SUM_BELOW(uint, own, item, scratch, below);
      uint sum = below;
      for (uint i = 0; i < NIBBLES; ++i) {
        const uint count = nibbles[item * NIBBLES + i];
        nibbles[item * NIBBLES + i] = (ushort)sum;
        sum += count;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint i = 0; i < ITEMS; ++i) {
        const uint to =
            nibbles[((digit_of(key[i], shift) >> half_digit) & (NIBBLES - 1)) * THREADS + item]++;
        sorted[to] = key[i];
#if VALUES
        sorted_values[to] = value[i];
#endif
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint at = item; at < size; at += THREADS) {
      const uint digit = digit_of(sorted[at], shift);
      if (at == 0 || digit_of(sorted[at - 1], shift) != digit) starts[digit] = (ushort)at;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = item; at < size; at += THREADS) {
      const KEY x = sorted[at];
      const uint digit = digit_of(x, shift);
      const INDEX to = places[digit] + (at - starts[digit]);
      keys_out[to] = stage & LAST_PASS ? key_out(x, flip) : x;
#if VALUES
      values_out[to] = (VALUE_OUT)sorted_values[at];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = item; at < size; at += THREADS) {
      const uint digit = digit_of(sorted[at], shift);
      if (at + 1 == size || digit_of(sorted[at + 1], shift) != digit) places[digit] += at + 1 - starts[digit];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
