// SPDX-License-Identifier: MIT
// Histograms. Each group or chunk counts into a table of its own, a row of `rows`. histogram_sum then adds
// the rows.
//
// ELEMENT            type of the counted elements
// REAL               float or double: the type in which bins are compared
// BINS_BY_VALUE      1: the element is its bin number
// BINS_UNIFORM       1: bins of equal width from `low` to `high`. edges[] holds the exact edges, which decide
//                    for elements closer to an edge than `slack`. If both are 0, edges[] may have any values,
//                    and is searched.
// WEIGHTED           1: sums of weights of type WEIGHT instead of counts
// SUM                uint, ulong or double: element type of a row
// TOTAL              long or double: element type of the result
// VECTOR, WIDTH      vector type for loads, and its number of elements, a power of two
// THREADS, COPIES    work-items of a group, and copies of its table, which work-items use in turn
typedef struct {
  REAL low, high, scale, slack;
} bins_t;

#if !BINS_BY_VALUE
// The last edge belongs to the last bin. NaN belongs to no bin.
inline bool is_inside(REAL x, REAL low, REAL high) { return x >= low && x <= high; }
#endif

#if BINS_UNIFORM
// Adding SHIFTER rounds to the nearest integer, which is then in the low bits.
#if REAL_BITS == 64
#define SHIFTER 6755399441055744.0
#define LOW_BITS(x) (uint) as_ulong(x)
#else
#define SHIFTER 12582912.0f
#define LOW_BITS(x) (as_uint(x) - as_uint(SHIFTER))
#endif

// Returns the bin, and in `near` the edge closest to x. If x is near that edge, rounding may have given a
// neighbouring bin.
inline uint guessed_bin(REAL x, bins_t bins, uint count, uint *near) {
  const REAL place = (x - bins.low) * bins.scale;
  const REAL shifted = place + SHIFTER;
  const REAL distance = place - (shifted - SHIFTER);
  const uint nearest = LOW_BITS(shifted);
  *near = nearest;
  const uint bin = min(nearest - (distance < 0 ? 1u : 0u), count - 1);
  return is_inside(x, bins.low, bins.high) ? bin : count;
}

inline bool is_near(REAL x, bins_t bins) {
  const REAL place = (x - bins.low) * bins.scale;
  return fabs(place - ((place + SHIFTER) - SHIFTER)) <= bins.slack;
}
#endif

// Returns one of `count` bins, or `count` if the element belongs to no bin.
inline uint bin_of(ELEMENT element, bins_t bins, const global REAL *edges, uint count) {
#if BINS_BY_VALUE
  return (ulong)element < count ? (uint)element : count;
#else
  const REAL x = (REAL)element;
#if BINS_UNIFORM
  uint near;
  uint bin = guessed_bin(x, bins, count, &near);
  if (is_near(x, bins) && bin != count) bin = min(x >= edges[near] ? near : near - 1, count - 1);
  return bin;
#else
  if (!is_inside(x, edges[0], edges[count])) return count;
  uint first = 0, last = count;  // edges[first] <= x, and x < edges[last] unless last == count
  while (last - first > 1) {
    const uint middle = (first + last) / 2;
    if (x >= edges[middle])
      first = middle;
    else
      last = middle;
  }
  return first;
#endif
#endif
}

#if WEIGHTED
#define WEIGHTS const global WEIGHT *weights,
#define WEIGHT_AT(i) (SUM) weights[i]
#else
#define WEIGHTS
#define WEIGHT_AT(i) 1
#endif

#if GROUPS
inline void count_locally(local SUM *counts, uint bin, uint copy, SUM weight) {
#if WEIGHTED
  add_to_local_double(&counts[bin * COPIES + copy], weight);
#else
  atomic_inc(&counts[bin * COPIES + copy]);
#endif
}

// Counts in a table in local memory. The table has COPIES copies, which makes simultaneous updates of one
// counter rarer.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void histogram_groups(
    const global ELEMENT *x, WEIGHTS const global REAL *edges, global SUM *rows, ulong n, uint count, REAL low,
    REAL high, REAL scale, REAL slack, local SUM *counts) {
  const uint item = get_local_id(0), copy = item % COPIES;
  const bins_t bins = {low, high, scale, slack};
  for (uint i = item; i < count * COPIES; i += THREADS) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong vectors = n / WIDTH, stride = (ulong)get_num_groups(0) * THREADS;
  ulong at = (ulong)get_group_id(0) * THREADS + item;
#if !WEIGHTED
  // Issues several loads before the first one is used.
  for (; at + (UNROLL - 1) * stride < vectors; at += UNROLL * stride) {
    union {
      VECTOR vector;
      ELEMENT element[WIDTH];
    } loaded[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) loaded[u].vector = ((const global VECTOR *)x)[at + u * stride];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (uint i = 0; i < WIDTH; ++i) {
        const uint bin = bin_of(loaded[u].element[i], bins, edges, count);
        if (bin < count) count_locally(counts, bin, copy, 1);
      }
    }
  }
#endif
  for (; at < vectors; at += stride)
    for (uint i = 0; i < WIDTH; ++i) {
      const uint bin = bin_of(x[at * WIDTH + i], bins, edges, count);
      if (bin < count) count_locally(counts, bin, copy, WEIGHT_AT(at * WIDTH + i));
    }
  for (ulong i = vectors * WIDTH + (ulong)get_group_id(0) * THREADS + item; i < n; i += stride) {
    const uint bin = bin_of(x[i], bins, edges, count);
    if (bin < count) count_locally(counts, bin, copy, WEIGHT_AT(i));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = item; bin < count; bin += THREADS) {
    SUM sum = 0;
    for (uint i = 0; i < COPIES; ++i) sum += counts[bin * COPIES + (i + item) % COPIES];
    rows[(ulong)get_group_id(0) * count + bin] = sum;
  }
}

// For more bins than fit local memory: all groups count into one table, which is zero at the start.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void histogram_atomic(
    const global ELEMENT *x, WEIGHTS const global REAL *edges, global SUM *row, ulong n, uint count, REAL low,
    REAL high, REAL scale, REAL slack) {
  const bins_t bins = {low, high, scale, slack};
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint bin = bin_of(x[i], bins, edges, count);
    if (bin < count) {
#if WEIGHTED
      add_to_global_double(&row[bin], WEIGHT_AT(i));
#elif SUM_BITS == 64
      atom_inc(&row[bin]);
#else
      atomic_inc(&row[bin]);
#endif
    }
  }
}

// A group adds 32 bins. Its work-items of equal item % 32 divide the rows among them.
#define LANES (THREADS / 32)
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void histogram_sum(const global SUM *rows,
                                                                              global TOTAL *out, uint row_count,
                                                                              uint count, uint pitch) {
  local TOTAL sums[THREADS];
  const uint item = get_local_id(0), lane = item / 32;
  const uint bin = (uint)get_group_id(0) * 32 + item % 32;
  TOTAL sum = 0;
  if (bin < count)
    for (uint r = lane; r < row_count; r += LANES) sum += (TOTAL)rows[(ulong)r * pitch + bin];
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0 && bin < count) {
    for (uint l = 1; l < LANES; ++l) sum += sums[l * 32 + item];
    out[bin] = sum;
  }
}
#else

// One work-item counts a chunk. For each block it first computes all bins, in a loop that vectorises, and
// then counts them in TABLES tables or in one. Several tables avoid waiting for the previous update if
// neighbouring elements are equal. A row has one bin more, for elements that belong to no bin.
#define BLOCK 128
#define TABLES 4

inline void find_bins(const global ELEMENT *block, bins_t bins, const global REAL *edges, uint count, uint *bin) {
#if BINS_UNIFORM
  // Positions are shifted up by the slack, so that elements near an edge are just above an integer.
  uint near_edge = 0;
  for (int i = 0; i < BLOCK; ++i) {
    const REAL place = ((REAL)block[i] - bins.low) * bins.scale + bins.slack;
    const REAL whole = floor(place);
    bin[i] = min((uint)(int)whole, count);
    near_edge |= place - whole > 2 * bins.slack ? 0u : 1u;  // also 1 for NaN
  }
  if (near_edge == 0) return;
  // Compares with the edge below the position, or with the edge that it is near to.
  for (int i = 0; i < BLOCK; ++i) {
    const REAL x = (REAL)block[i];
    const REAL place = (x - bins.low) * bins.scale + bins.slack;
    const int edge = max(min((int)floor(place), (int)count), 0);
    const uint inner = min((uint)(x >= edges[edge] ? edge : edge - 1), count - 1);
    bin[i] = is_inside(x, bins.low, bins.high) ? inner : count;
  }
#else
  for (int i = 0; i < BLOCK; ++i) bin[i] = bin_of(block[i], bins, edges, count);
#endif
}

kernel void histogram_chunks(const global ELEMENT *x, WEIGHTS const global REAL *edges, global SUM *rows, ulong n,
                             ulong chunk, uint tables, uint count, REAL low, REAL high, REAL scale, REAL slack) {
  const ulong first = get_global_id(0) * chunk, last = first + min(chunk, n - first);
  const bins_t bins = {low, high, scale, slack};
  const uint pitch = count + 1;
  global SUM *const row = rows + get_global_id(0) * tables * pitch;
  for (ulong i = 0; i < (ulong)tables * pitch; ++i) row[i] = 0;
  ulong start = first;
  for (; start + BLOCK <= last; start += BLOCK) {
    uint bin[BLOCK];
    find_bins(x + start, bins, edges, count, bin);
#if !WEIGHTED
    if (tables == TABLES) {
      for (int i = 0; i < BLOCK; i += TABLES)
#pragma unroll
        for (int t = 0; t < TABLES; ++t) ++(row + t * pitch)[bin[i + t]];
      continue;
    }
#endif
    for (int i = 0; i < BLOCK; ++i) row[bin[i]] += WEIGHT_AT(start + i);
  }
  for (; start < last; ++start) row[bin_of(x[start], bins, edges, count)] += WEIGHT_AT(start);
}

// One work-item counts a small array directly into the result.
kernel void histogram_few(const global ELEMENT *x, WEIGHTS const global REAL *edges, global TOTAL *out, ulong n,
                          uint count, REAL low, REAL high, REAL scale, REAL slack) {
  const bins_t bins = {low, high, scale, slack};
  for (uint i = 0; i < count; ++i) out[i] = 0;
  ulong start = 0;
  for (; start + BLOCK <= n; start += BLOCK) {
    uint bin[BLOCK];
    find_bins(x + start, bins, edges, count, bin);
    for (int i = 0; i < BLOCK; ++i)
      if (bin[i] < count) out[bin[i]] += WEIGHT_AT(start + i);
  }
  for (; start < n; ++start) {
    const uint bin = bin_of(x[start], bins, edges, count);
    if (bin < count) out[bin] += WEIGHT_AT(start);
  }
}

kernel void histogram_sum(const global SUM *rows, global TOTAL *out, uint row_count, uint count, uint pitch) {
  const uint share = (uint)((count + get_global_size(0) - 1) / get_global_size(0));
  const ulong first = get_global_id(0) * share, last = min(first + share, (ulong)count);
  for (ulong bin = first; bin < last; ++bin) {
    TOTAL sum = 0;
    for (uint r = 0; r < row_count; ++r) sum += (TOTAL)rows[(ulong)r * pitch + bin];
    out[bin] = sum;
  }
}
#endif
