// SPDX-License-Identifier: MIT
// Fills an array with independent random numbers. Each block of four words gives two or four elements. An
// element depends only on the counter of its block, not on the work-item that computes it.
//
// Parameters: T; its vector types T2 and T_VECTOR of BLOCK_ELEMENTS; P and C, the types of a and b and of c;
// WORDS, the number of words that give UNIT elements (1 or 2); THREEFRY; TILES or STAGED; and either INTEGER
// or VALUE, the function of random_values.cl that turns words into elements.

#ifdef THREEFRY
#define IS_THREEFRY true
#else
#define IS_THREEFRY false
#endif

// Returns block i, counted from the block of counter `start`.
uint4 block_after(uint4 start, uint i, uint4 key) {
  const uint lower = start.x + i;
  return quern_block((uint4)(lower, start.y + (lower < i ? 1u : 0u), start.z, 0), key, IS_THREEFRY);
}

// The round keys of Philox. They are an argument of the kernel, because GPU instructions read arguments
// directly. Computing them from the key would cost an addition per word and round.
typedef struct {
  uint keys[20];
} round_keys;

// start.y is constant during a launch, so half of the first two rounds is the same for all blocks; the
// compiler computes it once.
uint4 block_by_rounds(uint4 start, uint i, uint4 key, round_keys rounds) {
#ifdef THREEFRY
  return block_after(start, i, key);
#else
  const ulong q0 = (ulong)start.z * 0xcd9e8d57u;
  const ulong p1 = (ulong)((uint)(q0 >> 32) ^ start.y ^ rounds.keys[0]) * 0xd2511f53u;
  const ulong p0 = (ulong)(start.x + i) * 0xd2511f53u;
  const ulong q1 = (ulong)((uint)(p0 >> 32) ^ rounds.keys[1]) * 0xcd9e8d57u;
  uint x = (uint)(q1 >> 32) ^ ((uint)q0 ^ rounds.keys[2]), y = (uint)q1;
  uint z = (uint)p0 ^ ((uint)(p1 >> 32) ^ rounds.keys[3]), w = (uint)p1;
#pragma unroll
  for (int round = 2; round < 10; ++round) {
    const ulong p = (ulong)x * 0xd2511f53u, q = (ulong)z * 0xcd9e8d57u;
    x = (uint)(q >> 32) ^ y ^ rounds.keys[2 * round];
    z = (uint)(p >> 32) ^ w ^ rounds.keys[2 * round + 1];
    y = (uint)q;
    w = (uint)p;
  }
  return (uint4)(x, y, z, w);
#endif
}

#if WORDS == 1
typedef uint unit_words;
#define UNIT_OF(words, i) (words)[i]
#elif WORDS == 2
typedef uint2 unit_words;
#define UNIT_OF(words, i) (uint2)((words)[2 * (i)], (words)[2 * (i) + 1])
#else
typedef uint4 unit_words;
#define UNIT_OF(words, i) (uint4)((words)[4 * (i)], (words)[4 * (i) + 1], (words)[4 * (i) + 2], (words)[4 * (i) + 3])
#endif
#define UNITS (4 / WORDS)  // per block

#if UNIT == 2
typedef T2 unit_value;
#else
typedef T unit_value;
#endif

#ifdef INTEGER
// c is the lower bound.
#if WORDS == 1
#define INTEGER_BELOW(words, a) quern_integer_uint(words, a)
#define OTHER quern_other_uint
bool is_refused(unit_words words, P a, P b) {
  return quern_refuses_uint(words, a, b);
}
#else
#define INTEGER_BELOW(words, a) quern_integer_ulong(words, a)
#define OTHER quern_other_ulong
bool is_refused(unit_words words, P a, P b) {
  return quern_refuses_ulong(words, a, b);
}
#endif

unit_value value_of(unit_words words, P a, P b, C c) {
  return (T)((C)INTEGER_BELOW(words, a) + c);
}

unit_value other_value(ulong place, uint4 start, uint4 key, P a, P b, C c) {
  return (T)((C)OTHER(place, start.z, key, IS_THREEFRY, a, b) + c);
}
#else
unit_value value_of(unit_words words, P a, P b, C c) {
  return VALUE(words, a, b);
}
#endif

#ifndef TILES
// Computes the elements of block i, counted from `start`.
void block_values(uint i, uint4 start, uint4 key, round_keys rounds, P a, P b, C c, T *values) {
  const uint4 block = block_by_rounds(start, i, key, rounds);
  const uint words[4] = {block.x, block.y, block.z, block.w};
#pragma unroll
  for (int unit = 0; unit < UNITS; ++unit) {
    const unit_value value = value_of(UNIT_OF(words, unit), a, b, c);
#if UNIT == 2
    values[2 * unit] = value.x;
    values[2 * unit + 1] = value.y;
#else
    values[unit] = value;
#endif
#ifdef INTEGER
    if (is_refused(UNIT_OF(words, unit), a, b)) {
      const ulong place = ((((ulong)start.y << 32) | start.x) + i) * 4 + unit * WORDS;
      values[unit] = other_value(place, start, key, a, b, c);
    }
#endif
  }
}

#ifndef STAGED
// Each work-item computes one block, or several at a distance of the global size. The first `shift` elements
// of the first block are skipped; the next one is written to out[first].
kernel void fill_blocks(global T *out, ulong first, uint blocks, uint count, uint4 start, uint4 key, round_keys rounds,
                        uint shift, P a, P b, C c) {
  out += first;
  const bool in_vectors = shift == 0 && ((size_t)out & (sizeof(T) * BLOCK_ELEMENTS - 1)) == 0;
  const uint stride = (uint)get_global_size(0);
  for (uint i = (uint)get_global_id(0); i < blocks; i += stride) {
    T values[BLOCK_ELEMENTS];
    block_values(i, start, key, rounds, a, b, c, values);
    const uint base = i * BLOCK_ELEMENTS - shift;
    if (in_vectors && base + BLOCK_ELEMENTS <= count) {
#if BLOCK_ELEMENTS == 4
      *(global T_VECTOR *)(out + base) = (T_VECTOR)(values[0], values[1], values[2], values[3]);
#else
      *(global T_VECTOR *)(out + base) = (T_VECTOR)(values[0], values[1]);
#endif
    } else {
#pragma unroll
      for (int j = 0; j < BLOCK_ELEMENTS; ++j)
        if (base + j < count) out[base + j] = values[j];  // base may wrap below 0
    }
  }
}
#else
// The same for element types whose blocks are not vectors in memory. A group collects its blocks in local
// memory, so that adjacent work-items store adjacent elements. The local size is at most STAGED.
kernel __attribute__((reqd_work_group_size(STAGED, 1, 1))) void fill_staged(global T *out, ulong first, uint blocks, uint count, uint4 start, uint4 key, round_keys rounds,
                        uint shift, P a, P b, C c) {
  local T staged[STAGED * BLOCK_ELEMENTS];
  out += first;
  const uint lane = (uint)get_local_id(0), width = (uint)get_local_size(0), stride = (uint)get_global_size(0);
  for (uint group = (uint)get_group_id(0) * width; group < blocks; group += stride) {
    T values[BLOCK_ELEMENTS];
    block_values(group + lane, start, key, rounds, a, b, c, values);
    for (int j = 0; j < BLOCK_ELEMENTS; ++j) staged[lane * BLOCK_ELEMENTS + j] = values[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint base = group * BLOCK_ELEMENTS - shift;
    for (uint e = lane; e < width * BLOCK_ELEMENTS; e += width)
      if (base + e < count) out[base + e] = staged[e];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
#else
// The same for CPUs. A work-item computes tiles of TILE blocks, and each step is a loop over the tile that
// the compiler vectorises.
#define TILE 16

kernel void fill_tiles(global T *out, ulong first, int tiles, int tiles_each, int count, uint4 start, uint4 key,
                       int shift, P a, P b, C c) {
  out += first;
  const int begin = (int)get_global_id(0) * tiles_each, end = min(begin + tiles_each, tiles);
  for (int tile = begin; tile < end; ++tile) {
    uint words[4 * TILE];
#if defined(QUERN_HOST) && !defined(THREEFRY)
    const uint lower = start.x + (uint)(tile * TILE);
    quern_philox_words((uint4)(lower, start.y + (lower < start.x ? 1u : 0u), start.z, 0), key.xy, words);
#else
#pragma unroll 1
    for (int j = 0; j < TILE; ++j) {
      const uint4 block = block_after(start, (uint)(tile * TILE + j), key);
      words[4 * j] = block.x;
      words[4 * j + 1] = block.y;
      words[4 * j + 2] = block.z;
      words[4 * j + 3] = block.w;
    }
#endif
    const int base = tile * TILE * BLOCK_ELEMENTS - shift;
    global T *const to = out + base;
    const int from = max(-base, 0), until = min(count - base, TILE * BLOCK_ELEMENTS);
    if (from == 0 && until == TILE * BLOCK_ELEMENTS) {
#pragma unroll 1
      for (int i = 0; i < TILE * UNITS; ++i) {
        const unit_value value = value_of(UNIT_OF(words, i), a, b, c);
#if UNIT == 2
        to[2 * i] = value.x;
        to[2 * i + 1] = value.y;
#else
        to[i] = value;
#endif
      }
    } else {
#pragma unroll 1
      for (int i = from / UNIT; i < (until + UNIT - 1) / UNIT; ++i) {
        const unit_value value = value_of(UNIT_OF(words, i), a, b, c);
#if UNIT == 2
        if (2 * i >= from) to[2 * i] = value.x;
        if (2 * i + 1 < until) to[2 * i + 1] = value.y;
#else
        to[i] = value;
#endif
      }
    }
#ifdef INTEGER
    uint refused = 0;
#pragma unroll 1
    for (int i = 0; i < TILE * UNITS; ++i) refused |= is_refused(UNIT_OF(words, i), a, b) ? 1u : 0u;
    if (refused != 0) {
      for (int i = from; i < until; ++i) {
        if (!is_refused(UNIT_OF(words, i), a, b)) continue;
        const ulong place = ((((ulong)start.y << 32) | start.x) + (uint)(tile * TILE)) * 4 + i * WORDS;
        to[i] = other_value(place, start, key, a, b, c);
      }
    }
#endif
  }
}
#endif
