// SPDX-License-Identifier: MIT
// The systems of linalg_small.cl for sub-groups of 32 work-items: rows travel by shuffles, without barriers. N is a
// power of two, so that each matrix lies in one sub-group. The parameters are those of linalg_small.cl, and
//
// ROWS               rows of a matrix that a work-item has, in registers: each value that a shuffle brings
//                    serves all of them
// WIDE, WIDE_VALUE   values that one load reads, and their type: 16 bytes, or one value
#define WIDTH (COLUMNS > 0 ? COLUMNS : 1)
#define LANES 32
#define OWN_LANES (N / ROWS)  // of a matrix; lane i has the rows i, i + OWN_LANES, ...

#if COMPLEX
inline VALUE shuffled(VALUE x, int lane) {
  return (VALUE)(quern_shuffle(x.x, lane), quern_shuffle(x.y, lane));
}
#else
inline VALUE shuffled(VALUE x, int lane) { return quern_shuffle(x, lane); }
#endif

// The element of the work-item's row number `which`, which is read without an address.
#if ROWS == 1
#define PICK(rows, which, j) rows[0][j]
#else
#define PICK(rows, which, j) ((which) == 0 ? rows[0][j] : rows[1][j])
#endif

kernel __attribute__((reqd_work_group_size(OWN_LANES, MATRICES, 1))) void eliminate(
    const global VALUE *a, const global VALUE *b, global VALUE *out, ulong count, ulong a_step, ulong b_step,
    global long *failed) {
  const int item = get_local_id(0), slot = get_local_id(1);
  const int first = slot * OWN_LANES % LANES;  // the lane of the matrix's first row
  const uint lanes = (OWN_LANES == LANES ? ~0u : (1u << OWN_LANES % LANES) - 1) << first;
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  VALUE own[ROWS][N], right[ROWS][WIDTH];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = item + r * OWN_LANES;
    const global WIDE_VALUE *const from = (const global WIDE_VALUE *)(a + matrix * a_step + row * N);
#pragma unroll
    for (int j = 0; j < N / WIDE; ++j) *(WIDE_VALUE *)(own[r] + j * WIDE) = from[j];
#if !INVERSE
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) right[r][j] = b[matrix * b_step + row * COLUMNS + j];
#endif
  }
  int step[ROWS];  // at which the row was the pivot
#pragma unroll
  for (int r = 0; r < ROWS; ++r) step[r] = N;
  int places[N];   // the lanes of the pivots, and LANES times the number of the row there
  VALUE pivots[N];  // for determinants the pivots, otherwise their inverses
  bool is_singular = false;
  bool has_tiny = false;     // a pivot whose inverse may overflow
  bool is_negative = false;  // the sign of the permutation
#pragma unroll
  for (int k = 0; k < N; ++k) {
    int which = 0;
    PART size = -1;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      PART candidate = step[r] == N ? size_of(own[r][k]) : (PART)-1;
      if (isnan(candidate)) candidate = INFINITY;  // becomes the pivot, so that the results are NaN
      if (candidate > size) {
        size = candidate;
        which = r;
      }
    }
    PART largest = size;
#pragma unroll
    for (int distance = OWN_LANES / 2; distance > 0; distance /= 2)
      largest = fmax(largest, quern_shuffle_xor(largest, distance));
    const uint candidates = (uint)quern_ballot(size == largest) & lanes;
    const uint chosen = candidates & -candidates;
    const int lane = 31 - (int)clz(chosen);
    const int place = ROWS == 1 ? lane : lane + LANES * quern_shuffle(which, lane);
#if COLUMNS == 0
    // The number of rows above the pivot that were no pivots yet.
    int open = 0;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const uint rows = (uint)quern_ballot(step[r] == N) & lanes;
      if (r < place / LANES) open += (int)popcount(rows);
      if (r == place / LANES) open += (int)popcount(rows & (chosen - 1));
    }
    if (open & 1) is_negative = !is_negative;
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      if (first + item + r * LANES == place) step[r] = k;
    places[k] = place;
    const VALUE pivot = shuffled(PICK(own, which, k), lane);
    const bool is_zero = size_of(pivot) == 0, is_tiny = size_of(pivot) < TINY;
    if (is_zero) is_singular = true;
    if (is_tiny) has_tiny = true;
    const VALUE inverse = quotient(NUMBER(1), pivot);
#if COLUMNS == 0
    pivots[k] = pivot;
#else
    pivots[k] = inverse;
#endif
#if INVERSE
    // Gauss and Jordan in place: column k becomes that of the inverse.
    VALUE factor[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) factor[r] = own[r][k];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (j == k) continue;
      const VALUE scaled_pivot = times(shuffled(PICK(own, which, j), lane), inverse);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        own[r][j] = step[r] == k ? scaled_pivot : own[r][j] - times(factor[r], scaled_pivot);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) own[r][k] = step[r] == k ? inverse : -times(factor[r], inverse);
#else
    VALUE factor[ROWS];  // 0 for rows that were pivots
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      factor[r] = NUMBER(0);
      if (step[r] == N && !is_zero)
        factor[r] = is_tiny ? quotient(own[r][k], pivot) : times(own[r][k], inverse);
    }
#pragma unroll
    for (int j = k + 1; j < N; ++j) {
      const VALUE other = shuffled(PICK(own, which, j), lane);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        if (step[r] == N) own[r][j] -= times(factor[r], other);
    }
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      const VALUE other = shuffled(PICK(right, which, j), lane);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        if (step[r] == N) right[r][j] -= times(factor[r], other);
    }
#endif
  }
#if COLUMNS > 0 && !INVERSE
  // From the last pivot to the first: its row's right side becomes the solution.
  const bool divides = quern_ballot(has_tiny) != 0;  // of the whole sub-group, which shuffles together
#pragma unroll
  for (int k = N - 1; k >= 0; --k) {
    const int lane = places[k] % LANES, which = places[k] / LANES;
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      const VALUE sum = shuffled(PICK(right, which, j), lane);
      VALUE solved;
      if (divides)
        solved = quotient(sum, shuffled(PICK(own, which, k), lane));
      else
        solved = times(sum, pivots[k]);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        if (step[r] == k) right[r][j] = solved;
        if (step[r] < k) right[r][j] -= times(own[r][k], solved);
      }
    }
  }
#endif
  if (number >= count) return;
#if COLUMNS > 0
  if (is_singular) {
    if (item == 0) failed[0] = (long)matrix + 1;
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    global VALUE *const to = out + (matrix * N + step[r]) * COLUMNS;
#if INVERSE
#pragma unroll
    for (int k = 0; k < N; ++k) to[places[k] % LANES - first + places[k] / LANES * OWN_LANES] = own[r][k];
#else
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) to[j] = right[r][j];
#endif
  }
#else
  if (item != 0) return;
  VALUE product = NUMBER(is_negative ? -1 : 1);
  int exponent = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) multiply(&product, &exponent, pivots[k]);
  out[matrix] = scaled(product, exponent);
#endif
}
