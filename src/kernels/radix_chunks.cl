// SPDX-License-Identifier: MIT
// Radix sort for CPUs. It first partitions the keys into buckets that are ordered by key, using a histogram
// of the leading bits. A bucket is small enough for a core's cache. One work-item then sorts each bucket by
// digits, starting with the lowest.
//
// Needs radix_keys.cl. Further parameters:
// VALUES             1: values are moved with the keys; VALUE_IN and VALUE_OUT are their types
#define INDEX ulong  // type of positions
#define BIN_BITS 11
#define BINS (1 << BIN_BITS)
#define BINS_OF_BUCKET 8
#define SHARES (BINS / BINS_OF_BUCKET)
#define BUCKETS (4 * SHARES)  // see radix_plan
#define LEADING_BITS 24
#define FEW 24

// The bins of a histogram: bin = (order - low) >> shift.
typedef struct {
  KEY low;
  uint shift;
} bins_t;

// A bucket: the position of its first key, the lowest `order` that its keys can have, and the number of bits
// in which `order - low` of its keys can differ.
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

// Writes the smallest and the largest key of each chunk.
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
  // Two tables avoid waiting for the previous update if neighbouring keys are equal. A chunk has less than
  // 2^32 keys.
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

// Chooses the buckets. A bucket has at most BINS_OF_BUCKET adjacent bins, and at most n / SHARES + 1 keys
// unless it is a single bin. If a bucket ends because of its size, it and the next bucket together have more
// keys than a share. There are therefore at most 3 * SHARES + 1 buckets. places[chunk * BUCKETS + bucket] is
// the output position of the chunk's first key in the bucket.
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
    if (size == 0 && here == 0) first_bin = bin + 1;  // skips empty bins before a bucket
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

// Insertion sort for few keys.
inline void insert_few(global KEY *keys WITH_VALUES(global VALUE_OUT *values), uint n) {
  for (uint i = 1; i < n; ++i) {
    const KEY x = keys[i], order = order_of(x);
#if VALUES
    const VALUE_OUT value = values[i];
#endif
    uint at = i;
    for (; at > 0 && order_of(keys[at - 1]) > order; --at) {
      keys[at] = keys[at - 1];
#if VALUES
      values[at] = values[at - 1];
#endif
    }
    keys[at] = x;
#if VALUES
    values[at] = value;
#endif
  }
}

// Sorts `a` into `out` by `bits` bits above the lowest `rest` bits. Passes alternate between `a` and `out`.
// Their number is odd, so that the last one writes `out`. Digits have at most 8 bits, because with more the
// scattered writes would use more cache lines than the first-level cache has.
inline void sort_by_digits(global KEY *a, global KEY *out WITH_VALUES(global VALUE_IN *a_values,
                                                                      global VALUE_OUT *out_values),
                           INDEX n, KEY low, uint bits, uint rest) {
  const uint passes = ((bits + 7) / 8) | 1, width = (bits + passes - 1) / passes;
  const uint digits = 1u << width;
  const KEY mask = (KEY)(digits - 1);
  INDEX count[2 * DIGITS];
  for (uint d = 0; d < 2 * digits; ++d) count[d] = 0;
  for (INDEX i = 0; i < n; ++i) ++count[((KEY)(order_of(a[i]) - low) >> rest) & mask];
  global KEY *b = out;
#if VALUES
  // For positions VALUE_IN is narrower than VALUE_OUT; the intermediate passes use VALUE_IN.
  global VALUE_IN *b_values = (global VALUE_IN *)out_values;
#endif
  for (uint pass = 0; pass < passes; ++pass) {
    INDEX *const place = count + (pass % 2) * digits, *const next = count + ((pass + 1) % 2) * digits;
    INDEX sum = 0;
    for (uint d = 0; d < digits; ++d) {
      const INDEX here = place[d];
      place[d] = sum;
      next[d] = 0;
      sum += here;
    }
    const uint shift = rest + pass * width;
    if (pass + 1 == passes) {
      // With an odd number of passes the last digit may lie above the highest bit. It is then 0 for all keys.
      const KEY used = shift < KEY_BITS ? mask : 0;
      for (INDEX i = 0; i < n; ++i) {
        const KEY x = a[i];
        const INDEX to = place[((KEY)(order_of(x) - low) >> (shift % KEY_BITS)) & used]++;
        out[to] = x;
#if VALUES
        out_values[to] = (VALUE_OUT)a_values[i];
#endif
      }
      return;
    }
    for (INDEX i = 0; i < n; ++i) {
      const KEY x = a[i], order = (KEY)(order_of(x) - low) >> shift;
      const INDEX to = place[order & mask]++;
      ++next[(order >> width) & mask];
      b[to] = x;
#if VALUES
      b_values[to] = a_values[i];
#endif
    }
    // The buffers change roles.
    global KEY *const other = a;
    a = b;
    b = other;
#if VALUES
    global VALUE_IN *const other_values = a_values;
    a_values = b_values;
    b_values = other_values;
#endif
  }
}

// Sorts `a` into `out`. It sorts by the leading bits first. Few keys agree in all leading bits, so the
// remaining bits are sorted afterwards, within each run of such keys.
inline void sort_bucket(global KEY *a, global KEY *out WITH_VALUES(global VALUE_IN *a_values,
                                                                   global VALUE_OUT *out_values),
                        INDEX n, KEY low, uint bits, KEY flip) {
  const uint leading = n <= FEW ? 0 : min(bits, (uint)LEADING_BITS), rest = bits - leading;
  if (leading > 0) {
    sort_by_digits(a, out WITH_VALUES(a_values, out_values), n, low, leading, rest);
  } else {
    for (INDEX i = 0; i < n; ++i) out[i] = a[i];
#if VALUES
    for (INDEX i = 0; i < n; ++i) out_values[i] = (VALUE_OUT)a_values[i];
#endif
  }
  if (rest > 0) {
    KEY order = (KEY)(order_of(out[0]) - low) >> (rest - 1) >> 1;
    for (INDEX i = 0; i < n;) {
      INDEX end = i + 1;
      KEY next = 0;
      for (; end < n; ++end) {
        next = (KEY)(order_of(out[end]) - low) >> (rest - 1) >> 1;
        if (next != order) break;
      }
      order = next;
      if (end - i > FEW) {
        for (INDEX k = i; k < end; ++k) {
          a[k] = out[k];
#if VALUES
          a_values[k] = (VALUE_IN)out_values[k];
#endif
        }
        sort_by_digits(a + i, out + i WITH_VALUES(a_values + i, out_values + i), end - i, low, rest, 0);
      } else if (end - i > 1) {
        insert_few(out + i WITH_VALUES(out_values + i), (uint)(end - i));
      }
      i = end;
    }
  }
  for (INDEX i = 0; i < n; ++i) out[i] = key_out(out[i], flip);
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

// Sorts rows of n keys, one row per work-item. A short array is a single row. Positions count from the start
// of the row.
kernel void radix_rows(const global KEY *keys, global KEY *keys_scratch, global KEY *keys_out,
#if VALUES
                       const global VALUE_IN *values, global VALUE_IN *values_scratch, global VALUE_OUT *values_out,
                       uint values_are_positions,
#endif
                       INDEX n, KEY flip) {
  const ulong start = (ulong)get_global_id(0) * n;
  keys += start;
  keys_scratch += start;
  keys_out += start;
#if VALUES
  values += start;
  values_scratch += start;
  values_out += start;
#endif
  KEY low = (KEY)~(KEY)0, high = 0;
  for (INDEX i = 0; i < n; ++i) {
    const KEY x = key_in(keys[i], flip), order = order_of(x);
    low = min(low, order);
    high = max(high, order);
    keys_scratch[i] = x;
  }
#if VALUES
  // These are separate loops, so that compilers vectorise them.
  if (values_are_positions) {
    for (INDEX i = 0; i < n; ++i) values_scratch[i] = (VALUE_IN)i;
  } else {
    for (INDEX i = 0; i < n; ++i) values_scratch[i] = values[i];
  }
#endif
  sort_bucket(keys_scratch, keys_out WITH_VALUES(values_scratch, values_out), n, low, bits_of(high - low), flip);
}
