// SPDX-License-Identifier: MIT
// The systems of linalg_small.cl for sub-groups of 32 work-items: rows travel by shuffles, without barriers. N is a
// power of two, so that each matrix lies in one sub-group. The parameters are those of linalg_small.cl, and
//
// WIDE, WIDE_VALUE   values that one load reads, and their type: 16 bytes, or one value
#define WIDTH (COLUMNS > 0 ? COLUMNS : 1)
#define LANES 32

#if COMPLEX
inline VALUE shuffled(VALUE x, int lane) {
  return (VALUE)(quern_shuffle(x.x, lane), quern_shuffle(x.y, lane));
}
#else
inline VALUE shuffled(VALUE x, int lane) { return quern_shuffle(x, lane); }
#endif

kernel __attribute__((reqd_work_group_size(N, MATRICES, 1))) void eliminate(
    const global VALUE *a, const global VALUE *b, global VALUE *out, ulong count, ulong a_step, ulong b_step,
    global long *failed) {
  const int row = get_local_id(0), slot = get_local_id(1);
  const int first = slot * N % LANES;  // the lane of the matrix's first row
  const uint lanes = (N == LANES ? ~0u : (1u << N % LANES) - 1) << first;
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  VALUE own[N], right[WIDTH];
  const global WIDE_VALUE *const from = (const global WIDE_VALUE *)(a + matrix * a_step + row * N);
#pragma unroll
  for (int j = 0; j < N / WIDE; ++j) *(WIDE_VALUE *)(own + j * WIDE) = from[j];
#if !INVERSE
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) right[j] = b[matrix * b_step + row * COLUMNS + j];
#endif
  int step = N;      // at which this row was the pivot
  int places[N];     // the lanes of the pivots
  VALUE pivots[N];
  bool is_singular = false;
  bool is_negative = false;  // the sign of the permutation
#pragma unroll
  for (int k = 0; k < N; ++k) {
    PART size = step == N ? size_of(own[k]) : (PART)-1;
    if (isnan(size)) size = INFINITY;  // becomes the pivot, so that the results are NaN
    PART largest = size;
#pragma unroll
    for (int distance = N / 2; distance > 0; distance /= 2)
      largest = fmax(largest, quern_shuffle_xor(largest, distance));
    const uint candidates = (uint)quern_ballot(size == largest) & lanes;
    const uint chosen = candidates & -candidates;
    const int lane = 31 - (int)clz(chosen);
#if COLUMNS == 0
    // The number of rows above the pivot that were no pivots yet.
    if (popcount((uint)quern_ballot(step == N) & lanes & (chosen - 1)) & 1) is_negative = !is_negative;
#endif
    if (first + row == lane) step = k;
    places[k] = lane;
    const VALUE pivot = shuffled(own[k], lane);
    pivots[k] = pivot;
    const bool is_zero = size_of(pivot) == 0;
    if (is_zero) is_singular = true;
#if INVERSE
    // Gauss and Jordan in place: column k becomes that of the inverse.
    const VALUE inverse = quotient(NUMBER(1), pivot), factor = own[k];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (j == k) continue;
      const VALUE scaled_pivot = times(shuffled(own[j], lane), inverse);
      own[j] = step == k ? scaled_pivot : own[j] - times(factor, scaled_pivot);
    }
    own[k] = step == k ? inverse : -times(factor, inverse);
#else
    const VALUE factor = is_zero ? NUMBER(0) : quotient(own[k], pivot);
#pragma unroll
    for (int j = k + 1; j < N; ++j) {
      const VALUE other = shuffled(own[j], lane);
      if (step == N) own[j] -= times(factor, other);
    }
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      const VALUE other = shuffled(right[j], lane);
      if (step == N) right[j] -= times(factor, other);
    }
#endif
  }
#if COLUMNS > 0 && !INVERSE
  // From the last pivot to the first: its row's right side becomes the solution.
#pragma unroll
  for (int k = N - 1; k >= 0; --k) {
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      const VALUE solved = quotient(shuffled(right[j], places[k]), pivots[k]);
      if (step == k) right[j] = solved;
      if (step < k) right[j] -= times(own[k], solved);
    }
  }
#endif
  if (number >= count) return;
#if COLUMNS > 0
  if (is_singular) {
    if (row == 0) failed[0] = (long)matrix + 1;
    return;
  }
  global VALUE *const to = out + (matrix * N + step) * COLUMNS;
#if INVERSE
#pragma unroll
  for (int k = 0; k < N; ++k) to[places[k] - first] = own[k];
#else
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) to[j] = right[j];
#endif
#else
  if (row != 0) return;
  VALUE product = NUMBER(is_negative ? -1 : 1);
  int exponent = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) multiply(&product, &exponent, pivots[k]);
  out[matrix] = scaled(product, exponent);
#endif
}
