// SPDX-License-Identifier: MIT
// Radix sort for devices that start groups in order and have sub-groups of 32 ("Onesweep": Adinets and
// Merrill, 2022). One kernel computes the histograms of all digits. Then one kernel per digit scatters the
// keys; each tile gets its output positions from the tiles before it.
//
// Needs radix_keys.cl. Further parameters:
// THREADS, ITEMS     work-items of a group, a multiple of 32 of at least 256; keys of a work-item
// INDEX, INDEX_BITS  uint or ulong: type of positions, and its width
// VALUES             1: values are moved with the keys; VALUE_IN and VALUE_OUT are their types
// PASSES             number of digits of a key
// LOOK               number of earlier tiles that are read at a time
// COPIES             copies of the tables of radix_histogram, which work-items use in turn
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)

// The status of a tile for a digit: its number of such keys, or the position of the next tile's first such
// key. 0 means that neither is known yet.
#define OWN_COUNT ((INDEX)1 << (INDEX_BITS - 2))
#define NEXT_PLACE ((INDEX)1 << (INDEX_BITS - 1))
#define STATUS_VALUE (OWN_COUNT - 1)

// Bits of `stage`
#define FIRST_PASS 1u
#define LAST_PASS 2u
#define VALUES_ARE_POSITIONS 4u

// Returns the sum of x over the lower work-items, among the first DIGITS. All work-items of the group call
// it.
inline INDEX sum_below(INDEX x, uint item, local INDEX *sums) {
  const uint lane = item % 32, warp = item / 32;
  INDEX sum = x;
#pragma unroll
  for (uint step = 1; step < 32; step *= 2) {
    const INDEX other = quern_shuffle_up(sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31 && warp < DIGITS / 32) sums[warp] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum -= x;
#pragma unroll
  for (uint w = 0; w < DIGITS / 32 - 1; ++w)
    if (w < warp) sum += sums[w];
  return sum;
}

// Returns the position of the first key of this digit in tile `tile`. It reads the status of earlier tiles,
// and waits until they are known.
inline INDEX place_of(volatile global INDEX *status, INDEX tile, uint digit) {
  INDEX place = 0, next = tile;  // `place` includes the tiles from `next` on
  for (;;) {
    INDEX said[LOOK];
#pragma unroll
    for (uint i = 0; i < LOOK; ++i) said[i] = next > i ? status[(next - 1 - i) * DIGITS + digit] : 0;
    bool silent = false;
#pragma unroll
    for (uint i = 0; i < LOOK; ++i) {
      silent = silent || said[i] == 0;
      if (!silent) {
        place += said[i] & STATUS_VALUE;
        if (said[i] & NEXT_PLACE) return place;
        --next;
      }
    }
  }
}

inline void count_digits(local uint *counts, KEY key) {
#pragma unroll
  for (uint pass = 0; pass < PASSES; ++pass)
    atomic_inc(&counts[(pass * DIGITS + digit_of(key, pass * 8)) * COPIES]);
}

// Counts every digit of every key: histogram[pass * DIGITS + digit].
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void radix_histogram(
    const global KEY *keys, global INDEX *histogram, INDEX n, KEY flip) {
  local uint counts[PASSES * DIGITS * COPIES];
  const uint item = get_local_id(0), copy = item % COPIES;
  for (uint i = item; i < PASSES * DIGITS * COPIES; i += THREADS) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // A group has less than 2^32 keys, so 32-bit counters suffice.
  for (INDEX first = (INDEX)get_group_id(0) * TILE; first < n; first += (INDEX)get_num_groups(0) * TILE) {
    if (n - first >= TILE) {
      KEY key[ITEMS];
#pragma unroll
      for (uint i = 0; i < ITEMS; ++i) key[i] = keys[first + i * THREADS + item];
#pragma unroll
      for (uint i = 0; i < ITEMS; ++i) count_digits(counts + copy, key_in(key[i], flip));
    } else {
      for (INDEX at = first + item; at < n; at += THREADS) count_digits(counts + copy, key_in(keys[at], flip));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < PASSES * DIGITS; i += THREADS) {
    uint sum = 0;
    for (uint c = 0; c < COPIES; ++c) sum += counts[i * COPIES + (c + item) % COPIES];
#if INDEX_BITS == 64
    if (sum != 0) atom_add(&histogram[i], (INDEX)sum);
#else
    if (sum != 0) atomic_add(&histogram[i], sum);
#endif
  }
}

// Sorts by one digit. `histogram` is that of this digit. `status` has a row of DIGITS for each tile and is
// zero at the start. The kernel clears `next_status` for the next pass.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void radix_sweep(
    const global KEY *keys_in, global KEY *keys_out,
#if VALUES
    const global VALUE_IN *values_in, global VALUE_OUT *values_out,
#endif
    const global INDEX *histogram, volatile global INDEX *status, global INDEX *next_status, INDEX n,
    uint shift, KEY flip, uint stage, local ulong *memory) {
  // Divides the local memory. The widest elements come first, for alignment.
  local KEY *const sorted = (local KEY *)memory;
#if VALUES
  local VALUE_IN *const sorted_values = (local VALUE_IN *)(sorted + TILE);
  local INDEX *const places = (local INDEX *)(sorted_values + TILE);
#else
  local INDEX *const places = (local INDEX *)(sorted + TILE);
#endif
  local INDEX *const sums = places + DIGITS;
  local uint *const counts = (local uint *)(sums + 2 * DIGITS / 32);

  const uint item = get_local_id(0), lane = item % 32, warp = item / 32;
  const INDEX tile = get_group_id(0), start = tile * TILE;
  const bool is_whole = n - start >= TILE;
  local uint *const own = counts + warp * DIGITS;  // counters of this warp

  if (item < DIGITS) next_status[tile * DIGITS + item] = 0;
#pragma unroll
  for (uint i = 0; i < DIGITS / 32; ++i) own[i * 32 + lane] = 0;

  KEY key[ITEMS];
  const INDEX first = start + warp * (32 * ITEMS) + lane;
  if (is_whole) {
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) key[i] = keys_in[first + i * 32];
    if (stage & FIRST_PASS) {
#pragma unroll
      for (uint i = 0; i < ITEMS; ++i) key[i] = key_in(key[i], flip);
    }
  } else {
    // The last tile is filled with keys that sort last; they are not written.
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) {
      key[i] = (KEY)~(KEY)0;
      if (first + i * 32 < n)
        key[i] = stage & FIRST_PASS ? key_in(keys_in[first + i * 32], flip) : keys_in[first + i * 32];
    }
  }

  // Publishes the tile's counts before it computes ranks, so that later tiles need not wait for these.
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) atomic_inc(&own[digit_of(key[i], shift)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint count = 0;
  if (item < DIGITS) {
#pragma unroll
    for (uint w = 0; w < WARPS; ++w) count += counts[w * DIGITS + item];
    if (tile != 0) status[tile * DIGITS + item] = OWN_COUNT | count;
  }
  const uint below = (uint)sum_below(count, item, sums);
  if (item < DIGITS) {
    uint sum = below;
#pragma unroll
    for (uint w = 0; w < WARPS; ++w) {
      const uint own_count = counts[w * DIGITS + item];
      counts[w * DIGITS + item] = sum;
      sum += own_count;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // The position of each key in the tile: after the same digit of lower lanes and of earlier keys.
  const uint lanes_below = (1u << lane) - 1, lanes_above = ~lanes_below << 1;
#if VALUES
  ushort rank[ITEMS];
#endif
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) {
    const uint digit = digit_of(key[i], shift);
    const uint lanes = (uint)quern_match_any((uchar)digit);
    const uint place = own[digit] + popcount(lanes & lanes_below);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if ((lanes & lanes_above) == 0) own[digit] = place + 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    sorted[place] = key[i];
#if VALUES
    rank[i] = (ushort)place;
#endif
  }

#if VALUES
  VALUE_IN value[ITEMS];
  if (stage & VALUES_ARE_POSITIONS) {
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) value[i] = (VALUE_IN)(first + i * 32);
  } else if (is_whole) {
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) value[i] = values_in[first + i * 32];
  } else {
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) value[i] = first + i * 32 < n ? values_in[first + i * 32] : 0;
  }
#endif

  INDEX place = 0;
  if (tile == 0)
    place = sum_below(item < DIGITS ? histogram[item] : 0, item, sums + DIGITS / 32);
  else if (item < DIGITS)
    place = place_of(status, tile, item);
  if (item < DIGITS) {
    status[tile * DIGITS + item] = NEXT_PLACE | (place + count);
    places[item] = place - below;
  }
#if VALUES
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) sorted_values[rank[i]] = value[i];
#endif
  barrier(CLK_LOCAL_MEM_FENCE);

  if (is_whole) {
#pragma unroll
    for (uint i = 0; i < ITEMS; ++i) {
      const uint at = i * THREADS + item;
      const KEY x = sorted[at];
      const INDEX to = places[digit_of(x, shift)] + at;
      keys_out[to] = stage & LAST_PASS ? key_out(x, flip) : x;
#if VALUES
      values_out[to] = (VALUE_OUT)sorted_values[at];
#endif
    }
  } else {
    for (uint at = item; at < n - start; at += THREADS) {
      const KEY x = sorted[at];
      const INDEX to = places[digit_of(x, shift)] + at;
      keys_out[to] = stage & LAST_PASS ? key_out(x, flip) : x;
#if VALUES
      values_out[to] = (VALUE_OUT)sorted_values[at];
#endif
    }
  }
}
