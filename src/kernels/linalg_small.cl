// SPDX-License-Identifier: MIT
// Small systems of equations, one for each N work-items of a group: work-item i has row i of the matrix, and
// of the right side, in registers. The rows are not exchanged: each remembers at which step it was the pivot.
//
// REAL               float or double
// N                  rows of a matrix
// COLUMNS            columns of the right side; 0 for determinants
// MATRICES           matrices of a work-group
// INVERSE            1: the right side is the identity
#define WIDTH (COLUMNS > 0 ? COLUMNS : 1)

kernel __attribute__((reqd_work_group_size(N, MATRICES, 1))) void eliminate(
    const global REAL *a, const global REAL *b, global REAL *out, ulong count, ulong a_step, ulong b_step,
    global long *failed) {
  local REAL sizes[MATRICES][N];        // magnitudes of the candidates for the pivot
  local REAL pivot_row[MATRICES][N + WIDTH];
  local REAL factors[MATRICES][N];      // pivots with their signs, for determinants
  const int row = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  REAL own[N], right[WIDTH];
  const global REAL *const from = a + matrix * a_step + row * N;
#pragma unroll
  for (int j = 0; j < N; ++j) own[j] = from[j];
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) {
#if INVERSE
    right[j] = j == row ? 1 : 0;
#else
    right[j] = b[matrix * b_step + row * COLUMNS + j];
#endif
  }
  int step = N;  // at which this row was the pivot
  bool is_singular = false;
  REAL sign = 1;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    sizes[slot][row] = step == N ? fabs(own[k]) : (REAL)-1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int best = 0;
    REAL largest = sizes[slot][0];
    int open_before = 0;  // rows above the pivot that were no pivots yet: their number's parity is the sign
    for (int i = 1; i < N; ++i) {
      const REAL size = sizes[slot][i];
      if (size > largest || (largest < 0 && !(size < 0))) {
        largest = size;
        best = i;
      }
    }
    for (int i = 0; i < best; ++i) open_before += sizes[slot][i] < 0 ? 0 : 1;
    if (open_before & 1) sign = -sign;
    if (row == best) {
      step = k;
#pragma unroll
      for (int j = k; j < N; ++j) pivot_row[slot][j] = own[j];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) pivot_row[slot][N + j] = right[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = pivot_row[slot][k];
    if (row == 0) factors[slot][k] = pivot;
    if (pivot == 0) is_singular = true;
    if (step == N) {
      const REAL factor = pivot == 0 ? 0 : own[k] / pivot;
#pragma unroll
      for (int j = k + 1; j < N; ++j) own[j] -= factor * pivot_row[slot][j];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) right[j] -= factor * pivot_row[slot][N + j];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#if COLUMNS > 0
  // From the last pivot to the first: its row's right side becomes the solution.
#pragma unroll
  for (int k = N - 1; k >= 0; --k) {
    if (step == k) {
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        right[j] = right[j] / own[k];
        pivot_row[slot][N + j] = right[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step < k) {
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) right[j] -= own[k] * pivot_row[slot][N + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  if (is_singular) {
    if (row == 0) failed[0] = (long)matrix + 1;
    return;
  }
  global REAL *const to = out + matrix * N * COLUMNS + step * COLUMNS;
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) to[j] = right[j];
#else
  if (number >= count || row != 0) return;
  // The exponent is kept apart, so that partial products neither overflow nor vanish.
  REAL product = sign;
  int exponent = 0;
  for (int k = 0; k < N; ++k) {
    int power = 0;
    product = frexp(product * factors[slot][k], &power);
    exponent += power;
  }
  out[matrix] = ldexp(product, exponent);
#endif
}

// The lower factor L of L L^T, in the lower triangle; reads only that triangle. Work-item i has row i.
kernel __attribute__((reqd_work_group_size(N, MATRICES, 1))) void factor_definite(
    const global REAL *a, global REAL *out, ulong count, ulong a_step, int upper, global long *failed) {
  local REAL column[MATRICES][N];
  const int row = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  REAL own[N];
  const global REAL *const from = a + matrix * a_step;
#pragma unroll
  for (int j = 0; j < N; ++j) own[j] = j > row ? 0 : upper ? from[j * N + row] : from[row * N + j];
  bool is_definite = true;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (row == k) column[slot][k] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = column[slot][k];
    if (!(pivot > 0)) is_definite = false;
    const REAL root = sqrt(pivot);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row == k) own[k] = root;
    if (row > k) own[k] /= root;
    column[slot][row] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int j = k + 1; j < N; ++j) {
      if (j <= row) own[j] -= own[k] * column[slot][j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  if (!is_definite && row == 0) failed[0] = (long)matrix + 1;
  global REAL *const to = out + matrix * N * N;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (upper)
      to[j * N + row] = j > row ? 0 : own[j];
    else
      to[row * N + j] = own[j];
  }
}
