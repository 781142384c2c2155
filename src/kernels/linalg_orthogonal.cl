// SPDX-License-Identifier: MIT
// Q and R of small matrices by Householder's reflections, as LAPACK chooses them: work-item j has column j. The
// parameters are those of linalg_jacobi.cl.
#define PITCH (MOST + 1)

kernel __attribute__((reqd_work_group_size(MOST, MATRICES, 1))) void orthogonalise(
    const global VALUE *a, global VALUE *q, global VALUE *r, ulong count, ulong a_step, int m, int n, int width) {
  local VALUE columns[MATRICES][MOST][PITCH];  // by columns: R, and below its diagonal the vectors of reflections
  local VALUE factors[MATRICES][MOST];
  local PART sizes[MATRICES][MOST];
  const int item = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  const global VALUE *const from = a + matrix * a_step;
  PART largest = 0;
  for (int e = item; e < m * n; e += MOST) {
    columns[slot][e % n][e / n] = from[e];
    largest = fmax(largest, largest_part(from[e]));
  }
  sizes[slot][item] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  // A power of two keeps squares from overflowing.
  for (int i = 0; i < MOST; ++i) largest = fmax(largest, sizes[slot][i]);
  int power = 0;
  if (isfinite(largest) && largest > 0) frexp(largest, &power);
  if (item < n)
    for (int i = 0; i < m; ++i) columns[slot][item][i] = scaled(columns[slot][item][i], -power);
  const int steps = min(m, n);
  for (int k = 0; k < steps; ++k) {
    local VALUE *const vector = columns[slot][k];
    if (item == k) {
      PART rest = 0;
      for (int i = k + 1; i < m; ++i) {
        const PART size = largest_part(vector[i]);
        rest = has_nan(vector[i]) ? NAN : size > rest ? size : rest;
      }
      VALUE factor = NUMBER(0);
      if (rest != 0 || has_imaginary_part(vector[k])) {
        // Columns that depend on others are rounding errors, whose squares may vanish: they are scaled too.
        int scale = 0;
        frexp(fmax(largest_part(vector[k]), rest), &scale);
        PART square = 0;
        for (int i = k; i < m; ++i) {
          vector[i] = scaled(vector[i], -scale);
          square = plus_square(square, vector[i]);
        }
        const VALUE first = vector[k];
        const PART target = real_part(first) >= 0 ? -sqrt(square) : sqrt(square);
        factor = (NUMBER(target) - first) / target;
        for (int i = k + 1; i < m; ++i) vector[i] = quotient(vector[i], first - NUMBER(target));
        vector[k] = NUMBER(ldexp(target, scale));
      }
      factors[slot][k] = factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > k && item < n) {
      local VALUE *const own = columns[slot][item];
      VALUE product = own[k];
      for (int i = k + 1; i < m; ++i) product = plus_inner(product, vector[i], own[i]);
      product = times(product, conjugate(factors[slot][k]));
      own[k] -= product;
      for (int i = k + 1; i < m; ++i) own[i] = plus_product(own[i], -product, vector[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  for (int e = item; e < width * n; e += MOST) {
    const int i = e / n, j = e % n;
    r[matrix * width * n + e] = i <= j ? scaled(columns[slot][j][i], power) : NUMBER(0);
  }
  if (item >= width) return;
  // Column `item` of Q: the reflections of a unit vector, from the last to the first.
  VALUE own[MOST];
  for (int i = 0; i < m; ++i) own[i] = NUMBER(i == item ? 1 : 0);
  for (int k = steps - 1; k >= 0; --k) {
    const local VALUE *const vector = columns[slot][k];
    VALUE product = own[k];
    for (int i = k + 1; i < m; ++i) product = plus_inner(product, vector[i], own[i]);
    product = times(product, factors[slot][k]);
    own[k] -= product;
    for (int i = k + 1; i < m; ++i) own[i] = plus_product(own[i], -product, vector[i]);
  }
  for (int i = 0; i < m; ++i) q[(matrix * m + i) * width + item] = own[i];
}
