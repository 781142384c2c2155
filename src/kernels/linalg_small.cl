// SPDX-License-Identifier: MIT
// Small systems of equations, one for each N work-items of a group: work-item i has row i of the matrix, and
// of the right side, in registers. The rows are not exchanged: each remembers at which step it was the pivot.
//
// VALUE, PART        see linalg_numbers.cl
// N                  rows of a matrix
// COLUMNS            columns of the right side; 0 for determinants
// MATRICES           matrices of a work-group
// INVERSE            1: the right side is the identity
#define WIDTH (COLUMNS > 0 ? COLUMNS : 1)

kernel __attribute__((reqd_work_group_size(N, MATRICES, 1))) void eliminate(
    const global VALUE *a, const global VALUE *b, global VALUE *out, ulong count, ulong a_step, ulong b_step,
    global long *failed) {
  local PART sizes[MATRICES][N];  // magnitudes of the candidates for the pivot
  local VALUE pivot_row[MATRICES][N + WIDTH];
  local VALUE factors[MATRICES][N];  // pivots, for determinants
  const int row = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  VALUE own[N], right[WIDTH];
  const global VALUE *const from = a + matrix * a_step + row * N;
#pragma unroll
  for (int j = 0; j < N; ++j) own[j] = from[j];
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) {
#if INVERSE
    right[j] = NUMBER(j == row ? 1 : 0);
#else
    right[j] = b[matrix * b_step + row * COLUMNS + j];
#endif
  }
  int step = N;  // at which this row was the pivot
  bool is_singular = false;
  bool is_negative = false;  // the sign of the permutation
#pragma unroll
  for (int k = 0; k < N; ++k) {
    sizes[slot][row] = step == N ? size_of(own[k]) : (PART)-1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int best = 0;
    PART largest = sizes[slot][0];
    int open_before = 0;  // rows above the pivot that were no pivots yet: their number's parity is the sign
    for (int i = 1; i < N; ++i) {
      const PART size = sizes[slot][i];
      if (size > largest || (largest < 0 && !(size < 0))) {
        largest = size;
        best = i;
      }
    }
    for (int i = 0; i < best; ++i) open_before += sizes[slot][i] < 0 ? 0 : 1;
    if (open_before & 1) is_negative = !is_negative;
    if (row == best) {
      step = k;
#pragma unroll
      for (int j = k; j < N; ++j) pivot_row[slot][j] = own[j];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) pivot_row[slot][N + j] = right[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const VALUE pivot = pivot_row[slot][k];
    const bool is_zero = size_of(pivot) == 0;
    if (row == 0) factors[slot][k] = pivot;
    if (is_zero) is_singular = true;
    if (step == N) {
      const VALUE factor = is_zero ? NUMBER(0) : quotient(own[k], pivot);
#pragma unroll
      for (int j = k + 1; j < N; ++j) own[j] -= times(factor, pivot_row[slot][j]);
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) right[j] -= times(factor, pivot_row[slot][N + j]);
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
        right[j] = quotient(right[j], own[k]);
        pivot_row[slot][N + j] = right[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step < k) {
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) right[j] -= times(own[k], pivot_row[slot][N + j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  if (is_singular) {
    if (row == 0) failed[0] = (long)matrix + 1;
    return;
  }
  global VALUE *const to = out + matrix * N * COLUMNS + step * COLUMNS;
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) to[j] = right[j];
#else
  if (number >= count || row != 0) return;
  VALUE product = NUMBER(is_negative ? -1 : 1);
  int exponent = 0;
  for (int k = 0; k < N; ++k) multiply(&product, &exponent, factors[slot][k]);
  out[matrix] = scaled(product, exponent);
#endif
}

// The lower factor L of L L^H, in the lower triangle; reads only that triangle. Work-item i has row i.
kernel __attribute__((reqd_work_group_size(N, MATRICES, 1))) void factor_definite(
    const global VALUE *a, global VALUE *out, ulong count, ulong a_step, int upper, global long *failed) {
  local VALUE column[MATRICES][N];
  const int row = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  VALUE own[N];
  const global VALUE *const from = a + matrix * a_step;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    own[j] = NUMBER(0);
    if (j <= row) own[j] = upper ? conjugate(from[j * N + row]) : from[row * N + j];
  }
  bool is_definite = true;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (row == k) column[slot][k] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const PART pivot = real_part(column[slot][k]);
    if (!(pivot > 0)) is_definite = false;
    const PART root = sqrt(pivot);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row == k) own[k] = NUMBER(root);
    if (row > k) own[k] /= root;
    column[slot][row] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int j = k + 1; j < N; ++j) {
      if (j <= row) own[j] -= times(own[k], conjugate(column[slot][j]));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  if (!is_definite && row == 0) failed[0] = (long)matrix + 1;
  global VALUE *const to = out + matrix * N * N;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (upper)
      to[j * N + row] = j > row ? NUMBER(0) : conjugate(own[j]);
    else
      to[row * N + j] = own[j];
  }
}
