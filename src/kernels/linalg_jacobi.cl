// SPDX-License-Identifier: MIT
// Eigenvalues of Hermitian matrices and singular values by Jacobi's method: ITEMS work-items rotate pairs of rows and
// columns of a matrix in local memory until all pairs are orthogonal. All pairs of a round are disjoint.
//
// VALUE, PART, COMPLEX   as in linalg_numbers.cl, which precedes this file
// PART2              a vector of two PARTs
// MOST               the largest number of rows and columns: 4, 8, 16 or 32
// ITEMS              work-items of a matrix, at least MOST
// MATRICES           matrices of a work-group
// EPSILON            the distance from 1 to the next number
#define SWEEPS 30  // about six are needed
#define NO_LENGTH ((PART)EPSILON / 16)  // columns of this length are rounding errors, without a direction
#define PITCH (MOST + 1)
#define PAIRS (MOST / 2)
#define PARTS (ITEMS / PAIRS)  // of a column whose products are summed

// Pair number `pair` of a round in which each of `players` meets another one, the smaller first.
inline int2 pair_of(int pair, int round, int players) {
  const int circle = players - 1, next = round + pair, last = round + circle - pair;
  const int a = pair == 0 ? circle : next < circle ? next : next - circle;
  const int b = last < circle ? last : last - circle;
  return (int2)(min(a, b), max(a, b));
}

// The cosine and sine that make a real element vanish, from it and the difference of the two on the diagonal.
inline PART2 rotation_of(PART element, PART difference) {
  const PART ratio = difference / (2 * element);
  const PART tangent = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
  const PART cosine = 1 / sqrt(1 + tangent * tangent);
  return (PART2)(cosine, cosine * tangent);
}

// A complex element is made real before: the second of a pair is multiplied by the conjugate of its phase.
#if COMPLEX
#define PHASES local VALUE phases[MATRICES][PAIRS];
#define SET_PHASE(pair, element, size) phases[slot][pair] = (element) / (size)
#define PHASE(pair) phases[slot][pair]
#define IN_PHASE(phase, x) times(conjugate(phase), x)
#define AGAINST_PHASE(phase, x) times(phase, x)
#define REAL_ELEMENT(element, size) (size)
// Products of short columns are so small that their squares would vanish.
inline PART length_of(VALUE a) {
  const PART larger = fmax(fabs(a.x), fabs(a.y)), ratio = fmin(fabs(a.x), fabs(a.y)) / larger;
  return larger > 0 ? larger * sqrt(1 + ratio * ratio) : 0;
}
#else
#define PHASES
#define SET_PHASE(pair, element, size)
#define PHASE(pair) 1
#define IN_PHASE(phase, x) (x)
#define AGAINST_PHASE(phase, x) (x)
#define REAL_ELEMENT(element, size) (element)
inline PART length_of(VALUE a) { return fabs(a); }
#endif

// The power of two that makes the largest magnitude at most 1, and whether all are finite. `sizes` has the largest
// magnitude of each work-item's elements, infinity for those that are not finite.
inline int power_of(const local PART *sizes, bool *is_finite) {
  PART largest = 0;
  for (int i = 0; i < ITEMS; ++i) largest = fmax(largest, sizes[i]);
  *is_finite = isfinite(largest);
  int power = 0;
  if (*is_finite && largest > 0) frexp(largest, &power);
  return power;
}

kernel __attribute__((reqd_work_group_size(ITEMS, MATRICES, 1))) void diagonalise(
    const global VALUE *a, global PART *values, global VALUE *vectors, ulong count, ulong a_step, int n, int upper,
    int has_vectors, global long *failed) {
  local VALUE rows[MATRICES][MOST][PITCH], basis[MATRICES][MOST][PITCH];
  local PART2 rotations[MATRICES][PAIRS];
  PHASES
  local int2 pairs[MATRICES][PAIRS];  // of the round
  local PART sizes[MATRICES][ITEMS];
  local int ranks[MATRICES][MOST];
  local int has_rotated;
  const int item = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  const global VALUE *const from = a + matrix * a_step;
  PART largest = 0;
  for (int e = item; e < n * n; e += ITEMS) {
    const int i = e / n, j = e % n, low = max(i, j), high = min(i, j);
    VALUE element = upper ? from[high * n + low] : from[low * n + high];
    if (i == j) element = NUMBER(real_part(element));
    rows[slot][i][j] = (i < j) == (upper != 0) ? element : conjugate(element);
    basis[slot][i][j] = NUMBER(i == j ? 1 : 0);
    largest = is_number(element) ? fmax(largest, largest_part(element)) : INFINITY;
  }
  sizes[slot][item] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool is_finite = true;
  const int power = power_of(sizes[slot], &is_finite);
  for (int e = item; e < n * n; e += ITEMS)
    rows[slot][e / n][e % n] = is_finite ? scaled(rows[slot][e / n][e % n], -power) : NUMBER(0);
  const PART least = (PART)EPSILON / 8;  // the largest magnitude is about 1
  const int players = (n + 1) / 2 * 2;
  bool is_open = n > 1;
  for (int sweep = 0; sweep < SWEEPS && is_open; ++sweep) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && slot == 0) has_rotated = 0;
    for (int round = 0; round < players - 1; ++round) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < players / 2) {
        const int2 pair = pair_of(item, round, players);
        PART2 rotation = (PART2)(1, 0);
        if (pair.y < n) {
          const VALUE element = rows[slot][pair.x][pair.y];
          const PART size = length_of(element);
          if (size > least) {
            rotation = rotation_of(REAL_ELEMENT(element, size),
                           real_part(rows[slot][pair.y][pair.y]) - real_part(rows[slot][pair.x][pair.x]));
            SET_PHASE(item, element, size);
            has_rotated = 1;
          }
        }
        rotations[slot][item] = rotation;
        pairs[slot][item] = pair;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      // Work-items count as if there were MOST columns, so that no division is needed.
      for (int e = item; e < players / 2 * MOST; e += ITEMS) {
        const int2 pair = pairs[slot][e / MOST];
        const PART2 rotation = rotations[slot][e / MOST];
        const int j = e % MOST;
        if (rotation.y == 0 || j >= n) continue;
        const VALUE x = rows[slot][pair.x][j], y = AGAINST_PHASE(PHASE(e / MOST), rows[slot][pair.y][j]);
        rows[slot][pair.x][j] = rotation.x * x - rotation.y * y;
        rows[slot][pair.y][j] = rotation.y * x + rotation.x * y;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int e = item; e < players / 2 * MOST; e += ITEMS) {
        const int2 pair = pairs[slot][e / MOST];
        const PART2 rotation = rotations[slot][e / MOST];
        const int i = e % MOST;
        if (rotation.y == 0 || i >= n) continue;
        const VALUE x = rows[slot][i][pair.x], y = IN_PHASE(PHASE(e / MOST), rows[slot][i][pair.y]);
        rows[slot][i][pair.x] = i == pair.y ? NUMBER(0) : rotation.x * x - rotation.y * y;
        rows[slot][i][pair.y] = i == pair.x ? NUMBER(0) : rotation.y * x + rotation.x * y;
        const VALUE v = basis[slot][i][pair.x], w = IN_PHASE(PHASE(e / MOST), basis[slot][i][pair.y]);
        basis[slot][i][pair.x] = rotation.x * v - rotation.y * w;
        basis[slot][i][pair.y] = rotation.y * v + rotation.x * w;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    is_open = has_rotated != 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < n) {
    const PART own = real_part(rows[slot][item][item]);
    int rank = 0;
    for (int i = 0; i < n; ++i) {
      const PART other = real_part(rows[slot][i][i]);
      rank += other < own || (other == own && i < item) ? 1 : 0;
    }
    ranks[slot][item] = rank;
    if (number < count) values[matrix * n + rank] = ldexp(own, power);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (number >= count) return;
  if ((is_open || !is_finite) && item == 0) failed[0] = (long)matrix + 1;
  if (!has_vectors) return;
  for (int e = item; e < n * n; e += ITEMS)
    vectors[matrix * n * n + e / n * n + ranks[slot][e % n]] = basis[slot][e / n][e % n];
}

// The singular values of a matrix with at least as many rows as columns, or of the adjoint one if `is_wide`: its
// columns are rotated until they are orthogonal. Their lengths are the singular values. u gets `width` columns.
kernel __attribute__((reqd_work_group_size(ITEMS, MATRICES, 1))) void decompose(
    const global VALUE *a, global VALUE *u, global PART *values, global VALUE *vh, ulong count, ulong a_step, int m,
    int n, int width, int is_wide, int has_vectors, global long *failed) {
  local VALUE columns[MATRICES][MOST][PITCH], basis[MATRICES][MOST][PITCH];  // by columns
  local VALUE sums[MATRICES][ITEMS][3];
  local PART2 rotations[MATRICES][PAIRS];
  PHASES
  local int2 pairs[MATRICES][PAIRS];  // of the round
  local PART sizes[MATRICES][ITEMS];
  local int ranks[MATRICES][MOST], is_missing[MATRICES][MOST];
  local int has_rotated;
  const int item = get_local_id(0), slot = get_local_id(1);
  const ulong number = get_group_id(0) * MATRICES + slot;
  const ulong matrix = min(number, count - 1);
  const global VALUE *const from = a + matrix * a_step;
  PART largest = 0;
  for (int e = item; e < m * n; e += ITEMS) {
    const int i = e / n, j = e % n;
    const VALUE element = is_wide ? conjugate(from[j * m + i]) : from[e];
    columns[slot][j][i] = element;
    largest = is_number(element) ? fmax(largest, largest_part(element)) : INFINITY;
  }
  for (int e = item; e < n * n; e += ITEMS) basis[slot][e / n][e % n] = NUMBER(e / n == e % n ? 1 : 0);
  sizes[slot][item] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool is_finite = true;
  const int power = power_of(sizes[slot], &is_finite);
  for (int e = item; e < m * n; e += ITEMS)
    columns[slot][e % n][e / n] = is_finite ? scaled(columns[slot][e % n][e / n], -power) : NUMBER(0);
  const int players = (n + 1) / 2 * 2;
  bool is_open = n > 1;
  for (int sweep = 0; sweep < SWEEPS && is_open; ++sweep) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && slot == 0) has_rotated = 0;
    for (int round = 0; round < players - 1; ++round) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < players / 2 * PARTS) {
        const int2 pair = pair_of(item / PARTS, round, players);
        PART first = 0, second = 0;
        VALUE both = NUMBER(0);
        if (pair.y < n) {
          for (int i = item % PARTS; i < m; i += PARTS) {
            const VALUE x = columns[slot][pair.x][i], y = columns[slot][pair.y][i];
            first = plus_square(first, x);
            second = plus_square(second, y);
            both = plus_inner(both, x, y);
          }
        }
        sums[slot][item][0] = NUMBER(first);
        sums[slot][item][1] = NUMBER(second);
        sums[slot][item][2] = both;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < players / 2) {
        PART first = 0, second = 0;
        VALUE both = NUMBER(0);
        for (int part = 0; part < PARTS; ++part) {
          first += real_part(sums[slot][item * PARTS + part][0]);
          second += real_part(sums[slot][item * PARTS + part][1]);
          both += sums[slot][item * PARTS + part][2];
        }
        const PART size = length_of(both);
        const bool is_rotated = fmin(first, second) > NO_LENGTH * NO_LENGTH &&
                               size > 4 * (PART)EPSILON * sqrt(first) * sqrt(second);
        rotations[slot][item] = is_rotated ? rotation_of(REAL_ELEMENT(both, size), second - first) : (PART2)(1, 0);
        if (is_rotated) {
          SET_PHASE(item, both, size);
          has_rotated = 1;
        }
        pairs[slot][item] = pair_of(item, round, players);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int e = item; e < players * MOST; e += ITEMS) {
        const int i = e % MOST;
        const bool is_column = e / MOST % 2 == 0;  // of the matrix; otherwise of the vectors
        const int2 pair = pairs[slot][e / (2 * MOST)];
        const PART2 rotation = rotations[slot][e / (2 * MOST)];
        if (rotation.y == 0 || i >= (is_column ? m : n)) continue;
        local VALUE *const p = is_column ? &columns[slot][pair.x][i] : &basis[slot][pair.x][i];
        local VALUE *const q = is_column ? &columns[slot][pair.y][i] : &basis[slot][pair.y][i];
        const VALUE x = *p, y = IN_PHASE(PHASE(e / (2 * MOST)), *q);
        *p = rotation.x * x - rotation.y * y;
        *q = rotation.y * x + rotation.x * y;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    is_open = has_rotated != 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  PART length = 0;
  if (item < n) {
    for (int i = 0; i < m; ++i) length = plus_square(length, columns[slot][item][i]);
    length = sqrt(length);
    sizes[slot][item] = length;
  }
  if (item == 0 && slot == 0) has_rotated = 0;  // from here on: whether a column of u is missing
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < n) {
    int rank = 0;
    for (int i = 0; i < n; ++i) {
      const PART other = sizes[slot][i];
      rank += other > length || (other == length && i < item) ? 1 : 0;
    }
    ranks[slot][item] = rank;
    if (number < count) values[matrix * n + rank] = ldexp(length, power);
    for (int i = 0; i < m; ++i)
      columns[slot][item][i] = length > NO_LENGTH ? columns[slot][item][i] / length : NUMBER(0);
  } else if (item < width) {
    ranks[slot][item] = item;
    for (int i = 0; i < m; ++i) columns[slot][item][i] = NUMBER(0);
  }
  if (item < width) {
    is_missing[slot][item] = item >= n || !(length > NO_LENGTH);
    if (is_missing[slot][item]) has_rotated = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (number < count && (is_open || !is_finite) && item == 0) failed[0] = (long)matrix + 1;
  // A missing column is what the others leave of the unit vector of which they hold least, orthogonalised twice.
  const int filled = has_vectors && has_rotated ? width : 0;
  for (int j = 0; j < filled; ++j) {
    if (item < m) {
      PART held = 0;
      for (int c = 0; c < width; ++c) held = plus_square(held, columns[slot][c][item]);
      sizes[slot][item] = held;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < m) {
      int unit = 0;
      for (int i = 1; i < m; ++i) unit = sizes[slot][i] < sizes[slot][unit] ? i : unit;
      sums[slot][item][0] = NUMBER(item == unit ? 1 : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int pass = 0; pass < 2; ++pass) {
      if (item < width) {
        VALUE product = NUMBER(0);
        for (int i = 0; i < m; ++i) product = plus_inner(product, columns[slot][item][i], sums[slot][i][0]);
        sums[slot][item][1] = product;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < m) {
        VALUE element = sums[slot][item][0];
        for (int c = 0; c < width; ++c) element = plus_product(element, -sums[slot][c][1], columns[slot][c][item]);
        sums[slot][item][0] = element;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item < m && is_missing[slot][j]) {
      PART square = 0;
      for (int i = 0; i < m; ++i) square = plus_square(square, sums[slot][i][0]);
      columns[slot][j][item] = sums[slot][item][0] / sqrt(square);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count || !has_vectors) return;
  for (int e = item; e < m * width; e += ITEMS) {
    const int j = e % width, i = e / width, rank = ranks[slot][j];
    if (is_wide)
      vh[(matrix * width + rank) * m + i] = conjugate(columns[slot][j][i]);
    else
      u[(matrix * m + i) * width + rank] = columns[slot][j][i];
  }
  for (int e = item; e < n * n; e += ITEMS) {
    const int j = e % n, i = e / n, rank = ranks[slot][j];
    if (is_wide)
      u[(matrix * n + i) * n + rank] = basis[slot][j][i];
    else
      vh[(matrix * n + rank) * n + i] = conjugate(basis[slot][j][i]);
  }
}
