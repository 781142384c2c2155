// SPDX-License-Identifier: MIT
// Radix sort for processors with caches and few cores. Keys are spread over buckets that follow each other in
// key order and are small enough for a core's cache, chosen from a histogram of the leading bits; each bucket
// is then sorted from its lowest digit up by one work-item.
//
// radix_keys.cl comes first. Besides its parameters:
// INDEX              uint or ulong: positions
// VALUES             1: values travel with the keys; VALUE_IN, VALUE_OUT are their types
#define BIN_BITS 11
#define BINS (1 << BIN_BITS)
#define BINS_OF_BUCKET 8
#define SHARES (BINS / BINS_OF_BUCKET)
#define BUCKETS (4 * SHARES)  // see radix_plan
#define MOST_DIGITS 2048
#define FEW 24

// Of a histogram of the leading bits of `order - low`.
typedef struct {
  KEY low;
  uint shift;
} bins_t;

// Of a bucket: where it begins, and the bits in which its keys' `order - low` differ.
typedef struct {
  INDEX start;
  KEY low;
  uint bits;
} bucket_t;

inline uint bits_of(KEY range) { return range == 0 ? 0 : 64 - (uint)clz((ulong)range); }

inline bins_t bins_of(const global KEY *range, uint chunks) {
  KEY low = range[0], high = range[1];
  for (uint c = 1; c < chunks; ++c) {
    low = min(low, range[2 * c]);
    high = max(high, range[2 * c + 1]);
  }
  const uint bits = bits_of(high - low);
  bins_t result = {low, bits > BIN_BITS ? bits - BIN_BITS : 0};
  return result;
}

// The least and the greatest key of each chunk.
kernel void radix_range(const global KEY *keys, global KEY *range, INDEX n, INDEX chunk, KEY flip) {
  const INDEX first = (INDEX)get_global_id(0) * chunk, last = first + min(chunk, n - first);
  KEY low = (KEY)~(KEY)0, high = 0;
  for (INDEX i = first; i < last; ++i) {
    const KEY x = order_of(key_in(keys[i], flip));
    low = min(low, x);
    high = max(high, x);
  }
  range[2 * get_global_id(0)] = low;
  range[2 * get_global_id(0) + 1] = high;
}

kernel void radix_bins(const global KEY *keys, const global KEY *range, global INDEX *counts, INDEX n,
                       INDEX chunk, uint chunks, KEY flip) {
  const INDEX first = (INDEX)get_global_id(0) * chunk, last = first + min(chunk, n - first);
  const bins_t bins = bins_of(range, chunks);
  // Two tables, so that equal neighbours do not wait for each other. A chunk has less than 2^32 keys.
  uint count[2 * BINS];
  for (uint i = 0; i < 2 * BINS; ++i) count[i] = 0;
  INDEX i = first;
  for (; i + 2 <= last; i += 2) {
    ++count[(KEY)(order_of(key_in(keys[i], flip)) - bins.low) >> bins.shift];
    ++count[BINS + ((KEY)(order_of(key_in(keys[i + 1], flip)) - bins.low) >> bins.shift)];
  }
  if (i < last) ++count[(KEY)(order_of(key_in(keys[i], flip)) - bins.low) >> bins.shift];
  global INDEX *const out = counts + get_global_id(0) * BINS;
  for (uint b = 0; b < BINS; ++b) out[b] = count[b] + count[BINS + b];
}

// Chooses the buckets: neighbouring bins, at most BINS_OF_BUCKET, and no more keys than an equal share unless
// one bin has them. Two neighbours have more than a share if that ended the first, so there are at most
// 3 * SHARES + 1. places[chunk * BUCKETS + bucket] is where the chunk's first key of a bucket goes.
kernel void radix_plan(const global KEY *range, const global INDEX *counts, global ushort *bucket_of_bin,
                       global bucket_t *buckets, global INDEX *places, INDEX n, uint chunks) {
  const bins_t bins = bins_of(range, chunks);
  const INDEX share = n / SHARES + 1;
  uint bucket = 0, first_bin = 0;
  INDEX start = 0, size = 0;
  for (uint c = 0; c < chunks; ++c) places[c * BUCKETS] = 0;
  for (uint bin = 0; bin <= BINS; ++bin) {
    INDEX here = 0;
    if (bin < BINS)
      for (uint c = 0; c < chunks; ++c) here += counts[c * BINS + bin];
    if (bin == BINS || (size > 0 && (bin - first_bin == BINS_OF_BUCKET || size + here > share))) {
      buckets[bucket].start = start;
      buckets[bucket].low = bins.low + ((KEY)first_bin << bins.shift);
      buckets[bucket].bits = bits_of(bin - first_bin - 1) + bins.shift;
      start += size;
      size = 0;
      first_bin = bin;
      ++bucket;
      if (bin == BINS) break;
      for (uint c = 0; c < chunks; ++c) places[c * BUCKETS + bucket] = 0;
    }
    if (size == 0 && here == 0) first_bin = bin + 1;  // empty bins in front of a bucket are not its own
    size += here;
    bucket_of_bin[bin] = (ushort)bucket;
    for (uint c = 0; c < chunks; ++c) places[c * BUCKETS + bucket] += counts[c * BINS + bin];
  }
  for (uint b = bucket; b <= BUCKETS; ++b) buckets[b].start = n;
  INDEX sum = 0;
  for (uint b = 0; b < bucket; ++b)
    for (uint c = 0; c < chunks; ++c) {
      const INDEX here = places[c * BUCKETS + b];
      places[c * BUCKETS + b] = sum;
      sum += here;
    }
}

kernel void radix_partition(const global KEY *keys, global KEY *keys_out,
#if VALUES
                            const global VALUE_IN *values, global VALUE_IN *values_out, uint values_are_positions,
#endif
                            const global KEY *range, const global ushort *bucket_of_bin,
                            const global INDEX *places, INDEX n, INDEX chunk, uint chunks, KEY flip) {
  const INDEX first = (INDEX)get_global_id(0) * chunk, last = first + min(chunk, n - first);
  const bins_t bins = bins_of(range, chunks);
  INDEX place[BUCKETS];
  ushort bucket[BINS];
  for (uint b = 0; b < BUCKETS; ++b) place[b] = places[get_global_id(0) * BUCKETS + b];
  for (uint b = 0; b < BINS; ++b) bucket[b] = bucket_of_bin[b];
  for (INDEX i = first; i < last; ++i) {
    const KEY x = key_in(keys[i], flip);
    const INDEX to = place[bucket[(KEY)(order_of(x) - bins.low) >> bins.shift]]++;
    keys_out[to] = x;
#if VALUES
    values_out[to] = values_are_positions ? (VALUE_IN)i : values[i];
#endif
  }
}

#if VALUES
#define WITH_VALUES(...) , __VA_ARGS__
#else
#define WITH_VALUES(...)
#endif

// Few keys, by insertion.
inline void insert_few(const global KEY *from, global KEY *out WITH_VALUES(const global VALUE_IN *values,
                                                                           global VALUE_OUT *values_out),
                       uint n, KEY flip) {
  for (uint i = 0; i < n; ++i) {
    const KEY x = from[i], order = order_of(x);
    uint at = i;
    for (; at > 0 && order_of(out[at - 1]) > order; --at) {
      out[at] = out[at - 1];
#if VALUES
      values_out[at] = values_out[at - 1];
#endif
    }
    out[at] = x;
#if VALUES
    values_out[at] = (VALUE_OUT)values[i];
#endif
  }
  for (uint i = 0; i < n; ++i) out[i] = key_out(out[i], flip);
}

// Sorts `a` into `out`, which is room for the steps between too. The number of digits is odd, so that the
// last step ends there.
inline void sort_bucket(global KEY *a, global KEY *out WITH_VALUES(global VALUE_IN *a_values,
                                                                   global VALUE_OUT *out_values),
                        INDEX n, KEY low, uint bits, KEY flip) {
  if (n <= FEW) {
    insert_few(a, out WITH_VALUES(a_values, out_values), (uint)n, flip);
    return;
  }
  if (bits == 0) {
    for (INDEX i = 0; i < n; ++i) out[i] = key_out(a[i], flip);
#if VALUES
    for (INDEX i = 0; i < n; ++i) out_values[i] = (VALUE_OUT)a_values[i];
#endif
    return;
  }
  const uint widest = n < MOST_DIGITS ? 8 : 11;
  const uint passes = ((bits + widest - 1) / widest) | 1;
  const uint width = (bits + passes - 1) / passes;
  const uint digits = 1u << width;
  const KEY mask = (KEY)(digits - 1);
  INDEX count[2 * MOST_DIGITS];
  for (uint d = 0; d < 2 * digits; ++d) count[d] = 0;
  for (INDEX i = 0; i < n; ++i) ++count[(KEY)(order_of(a[i]) - low) & mask];
  global KEY *b = out;
#if VALUES
  // Positions are narrower on the way than at the end.
  global VALUE_IN *b_values = (global VALUE_IN *)out_values;
#endif
  for (uint pass = 0; pass + 1 < passes; ++pass) {
    INDEX *const place = count + (pass % 2) * digits, *const next = count + ((pass + 1) % 2) * digits;
    INDEX sum = 0;
    for (uint d = 0; d < digits; ++d) {
      const INDEX here = place[d];
      place[d] = sum;
      next[d] = 0;
      sum += here;
    }
    const uint shift = pass * width;
    for (INDEX i = 0; i < n; ++i) {
      const KEY x = a[i], order = (KEY)(order_of(x) - low) >> shift;
      const INDEX to = place[order & mask]++;
      ++next[(order >> width) & mask];
      b[to] = x;
#if VALUES
      b_values[to] = a_values[i];
#endif
    }
    global KEY *const other = a;
    a = b;
    b = other;
#if VALUES
    global VALUE_IN *const other_values = a_values;
    a_values = b_values;
    b_values = other_values;
#endif
  }
  // After an even number of exchanges `a` is the room that came in.
  INDEX *const place = count + ((passes - 1) % 2) * digits;
  INDEX sum = 0;
  for (uint d = 0; d < digits; ++d) {
    const INDEX here = place[d];
    place[d] = sum;
    sum += here;
  }
  // An odd number of digits may be one more than there are bits for; then all keys have the same one there.
  const uint shift = (passes - 1) * width;
  const KEY used = shift < KEY_BITS ? mask : 0;
  for (INDEX i = 0; i < n; ++i) {
    const KEY x = a[i];
    const INDEX to = place[((KEY)(order_of(x) - low) >> (shift % KEY_BITS)) & used]++;
    out[to] = key_out(x, flip);
#if VALUES
    out_values[to] = (VALUE_OUT)a_values[i];
#endif
  }
}

kernel void radix_buckets(const global bucket_t *buckets, global KEY *keys, global KEY *keys_out,
#if VALUES
                          global VALUE_IN *values, global VALUE_OUT *values_out,
#endif
                          KEY flip) {
  const uint b = get_global_id(0);
  const INDEX start = buckets[b].start, n = buckets[b + 1].start - start;
  if (n > 0)
    sort_bucket(keys + start, keys_out + start WITH_VALUES(values + start, values_out + start), n,
                buckets[b].low, buckets[b].bits, flip);
}

// A short array, by one work-item.
kernel void radix_short(const global KEY *keys, global KEY *room, global KEY *keys_out,
#if VALUES
                        const global VALUE_IN *values, global VALUE_IN *values_room, global VALUE_OUT *values_out,
                        uint values_are_positions,
#endif
                        INDEX n, KEY flip) {
  KEY low = (KEY)~(KEY)0, high = 0;
  for (INDEX i = 0; i < n; ++i) {
    const KEY x = key_in(keys[i], flip), order = order_of(x);
    low = min(low, order);
    high = max(high, order);
    room[i] = x;
#if VALUES
    values_room[i] = values_are_positions ? (VALUE_IN)i : values[i];
#endif
  }
  sort_bucket(room, keys_out WITH_VALUES(values_room, values_out), n, low, bits_of(high - low), flip);
}
