// SPDX-License-Identifier: MIT
// Matrix products on GPUs, for stacks of matrices. A work-group computes a tile of the result. Each work-item
// has several rows and columns of the tile in registers. Strips of both operands are loaded into local memory
// one after the other.
//
// TYPE, ITEM, OUT          element types in memory, of the sums and of the result
// LOAD, STORE              convert an element to an ITEM, and a sum to the result; from the definitions, as
// multiply_add(c, a, b)    c + a * b
// FINISH, FINISH_PARAMETERS  what is stored of a sum, and the parameters that it reads; see matmul_finish.hpp
// QUAD                     a vector of four ITEMs, if VECTOR is 1
// BM, BN, BK               rows and columns of a tile, and depth of a strip
// TM, TN                   rows and columns of a work-item
// A_ALONG_K, B_ALONG_K     1: the operand is contiguous along the summed axis
// A_WIDTH, B_WIDTH         4: TYPE is ITEM, and four neighbours along the contiguous axis are aligned as a QUAD and
//                          inside the matrix together; 1: elements are loaded one by one
// INDEX                    int or long: type of offsets within a strip
#define THREADS ((BM / TM) * (BN / TN))
#define PAD 4
#define LOADS_OF_A (BM * BK / THREADS / A_WIDTH)
#define LOADS_OF_B (BN * BK / THREADS / B_WIDTH)
#define BAND 8  // rows of tiles that are computed together, because they share cached data

// Returns the offset of a matrix of the stack. Steps count elements along the axes of the result's stack.
inline long start_of(ulong matrix, ulong middle, ulong inner, long outer_step, long middle_step, long inner_step) {
  return (long)(matrix / inner / middle) * outer_step + (long)(matrix / inner % middle) * middle_step +
         (long)(matrix % inner) * inner_step;
}

// Returns the row or column of the tile that is number i of work-item `own`.
inline int line_of(int i, int own, int threads) {
#if VECTOR
  return i / 4 * (4 * threads) + own * 4 + i % 4;
#else
  return own + i * threads;
#endif
}

// Returns the position within the strip, along k, of load e of work-item `id`. A load has `width` elements
// along the contiguous axis, and a strip has `lines` rows or columns.
inline int depth_of(int e, int id, int lines, bool along_k, int width) {
  return along_k ? id % (BK / width) * width : id / (lines / width) + e * (THREADS / (lines / width));
}
inline int fetched_line(int e, int id, int lines, bool along_k, int width) {
  return along_k ? id / (BK / width) + e * (THREADS / (BK / width)) : id % (lines / width) * width;
}
// Returns the offset of load e from the first load of the work-item.
inline INDEX step_of(int e, int lines, bool along_k, int width, INDEX line_step, INDEX depth_step) {
  return along_k ? e * (THREADS / (BK / width)) * line_step : e * (THREADS / (lines / width)) * depth_step;
}
#define OF_A BM, A_ALONG_K, A_WIDTH
#define OF_B BN, B_ALONG_K, B_WIDTH

#if A_WIDTH == 4
#define A_LOAD QUAD
#else
#define A_LOAD ITEM
#endif
#if B_WIDTH == 4
#define B_LOAD QUAD
#else
#define B_LOAD ITEM
#endif
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void matmul(
    const global TYPE *a, const global TYPE *b, global OUT *c, long a_start, long a_outer, long a_middle,
    long a_inner, long a_row, long a_depth, long b_start, long b_outer, long b_middle, long b_inner, long b_column, long b_depth, ulong middle,
    ulong inner, ulong matrices, ulong m, ulong n, ulong depth, ulong chunk FINISH_PARAMETERS) {
#if VECTOR
  local QUAD a_tile[2 * BK * (BM + PAD) / 4], b_tile[2 * BK * (BN + PAD) / 4];
#else
  local ITEM a_tile[2 * BK * (BM + PAD)], b_tile[2 * BK * (BN + PAD)];
#endif
  const int id = get_local_id(0), own_column = id % (BN / TN), own_row = id / (BN / TN);
  const ulong down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
  const ulong group = get_group_id(0), matrix_and_split = group / (down * across);
  const ulong matrix = matrix_and_split % matrices, split = matrix_and_split / matrices;
  const ulong tile = group % (down * across), band = tile / (BAND * across);
  const ulong in_band = min((ulong)BAND, down - band * BAND), rest = tile - band * BAND * across;
  const ulong row0 = (band * BAND + rest % in_band) * BM, column0 = rest / in_band * BN;
  const ulong first = split * chunk, last = min(first + chunk, depth);

  a += a_start + start_of(matrix, middle, inner, a_outer, a_middle, a_inner) +
       (long)(row0 + fetched_line(0, id, OF_A)) * a_row + (long)(first + depth_of(0, id, OF_A)) * a_depth;
  b += b_start + start_of(matrix, middle, inner, b_outer, b_middle, b_inner) +
       (long)(column0 + fetched_line(0, id, OF_B)) * b_column + (long)(first + depth_of(0, id, OF_B)) * b_depth;
  const int rows_left = (int)min(m - row0, (ulong)BM), columns_left = (int)min(n - column0, (ulong)BN);

  ITEM sums[TM * TN];
#pragma unroll
  for (int i = 0; i < TM * TN; ++i) sums[i] = (ITEM)0;
  A_LOAD a_next[LOADS_OF_A];
  B_LOAD b_next[LOADS_OF_B];
  // The next strip is loaded while one strip is multiplied; local memory holds both.
  const ulong strips = (last - first + BK - 1) / BK;
  for (ulong strip = 0; strip <= strips; ++strip) {
    const int part = (int)(strip % 2);
    if (strip < strips) {
      const int left = (int)min(last - first - strip * BK, (ulong)BK);
#pragma unroll
      for (int e = 0; e < LOADS_OF_A; ++e) {
        const bool is_inside = fetched_line(e, id, OF_A) < rows_left && depth_of(e, id, OF_A) < left;
        const global TYPE *const from = a + step_of(e, OF_A, (INDEX)a_row, (INDEX)a_depth);
        a_next[e] = (A_LOAD)0;
#if A_WIDTH == 4
        if (is_inside) a_next[e] = *(const global QUAD *)from;
#else
        if (is_inside) a_next[e] = LOAD(*from);
#endif
      }
#pragma unroll
      for (int e = 0; e < LOADS_OF_B; ++e) {
        const bool is_inside = fetched_line(e, id, OF_B) < columns_left && depth_of(e, id, OF_B) < left;
        const global TYPE *const from = b + step_of(e, OF_B, (INDEX)b_column, (INDEX)b_depth);
        b_next[e] = (B_LOAD)0;
#if B_WIDTH == 4
        if (is_inside) b_next[e] = *(const global QUAD *)from;
#else
        if (is_inside) b_next[e] = LOAD(*from);
#endif
      }
      a += BK * a_depth;
      b += BK * b_depth;
    }
    if (strip > 0) {
      const int here = (1 - part) * BK;
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        ITEM rows[TM], columns[TN];
#if VECTOR
#pragma unroll
        for (int i = 0; i < TM; i += 4) {
          const QUAD four = a_tile[((here + k) * (BM + PAD) + line_of(i, own_row, BM / TM)) / 4];
          rows[i] = four.s0;
          rows[i + 1] = four.s1;
          rows[i + 2] = four.s2;
          rows[i + 3] = four.s3;
        }
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
          const QUAD four = b_tile[((here + k) * (BN + PAD) + line_of(j, own_column, BN / TN)) / 4];
          columns[j] = four.s0;
          columns[j + 1] = four.s1;
          columns[j + 2] = four.s2;
          columns[j + 3] = four.s3;
        }
#else
#pragma unroll
        for (int i = 0; i < TM; ++i) rows[i] = a_tile[(here + k) * (BM + PAD) + line_of(i, own_row, BM / TM)];
#pragma unroll
        for (int j = 0; j < TN; ++j)
          columns[j] = b_tile[(here + k) * (BN + PAD) + line_of(j, own_column, BN / TN)];
#endif
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
          for (int j = 0; j < TN; ++j) sums[i * TN + j] = multiply_add(sums[i * TN + j], rows[i], columns[j]);
      }
    }
    if (strip < strips) {
#pragma unroll
      for (int e = 0; e < LOADS_OF_A; ++e) {
        const int at = (part * BK + depth_of(e, id, OF_A)) * (BM + PAD) + fetched_line(e, id, OF_A);
        local ITEM *const to = (local ITEM *)a_tile + at;
#if A_WIDTH == 1
        *to = a_next[e];
#elif A_ALONG_K
        to[0] = a_next[e].s0;
        to[BM + PAD] = a_next[e].s1;
        to[2 * (BM + PAD)] = a_next[e].s2;
        to[3 * (BM + PAD)] = a_next[e].s3;
#else
        a_tile[at / 4] = a_next[e];
#endif
      }
#pragma unroll
      for (int e = 0; e < LOADS_OF_B; ++e) {
        const int at = (part * BK + depth_of(e, id, OF_B)) * (BN + PAD) + fetched_line(e, id, OF_B);
        local ITEM *const to = (local ITEM *)b_tile + at;
#if B_WIDTH == 1
        *to = b_next[e];
#elif B_ALONG_K
        to[0] = b_next[e].s0;
        to[BN + PAD] = b_next[e].s1;
        to[2 * (BN + PAD)] = b_next[e].s2;
        to[3 * (BN + PAD)] = b_next[e].s3;
#else
        b_tile[at / 4] = b_next[e];
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c += matrix_and_split * m * n;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const ulong row = row0 + line_of(i, own_row, BM / TM);
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const ulong column = column0 + line_of(j, own_column, BN / TN);
      if (row < m && column < n) c[row * n + column] = FINISH(sums[i * TN + j]);
    }
  }
}
