// SPDX-License-Identifier: MIT
// What becomes of the results of a factorisation by a library: the first failure of a stack, permutations of
// pivots, and the addresses of matrices.
#define ITEMS 256

// One work-group. `failed` becomes the number of the first failed matrix, from 1.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void first_failure(const global int *info,
                                                                             ulong count,
                                                                             global long *failed) {
  local ulong firsts[ITEMS];
  const int item = get_local_id(0);
  ulong first = count;
  for (ulong i = item; i < count && first == count; i += ITEMS) {
    if (info[i] != 0) first = i;
  }
  firsts[item] = first;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  for (int i = 1; i < ITEMS; ++i) first = min(first, firsts[i]);
  if (first < count) failed[0] = (long)first + 1;
}

// One work-group for each matrix of m rows: row i of the factors is row rows[i] of the matrix after the
// exchanges of row i with row pivots[i] - 1, and places[rows[i]] = i.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void permute(const global long *pivots,
                                                                       ulong exchanges, ulong m,
                                                                       global long *rows,
                                                                       global long *places) {
  const ulong matrix = get_group_id(0);
  const int item = get_local_id(0);
  pivots += matrix * exchanges;
  rows += matrix * m;
  places += matrix * m;
  for (ulong i = item; i < m; i += ITEMS) rows[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    for (ulong i = 0; i < exchanges; ++i) {
      const ulong other = pivots[i] - 1;
      const long row = rows[i];
      rows[i] = rows[other];
      rows[other] = row;
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (ulong i = item; i < m; i += ITEMS) places[rows[i]] = i;
}

// The addresses of matrices that are `step` bytes apart.
kernel void list_addresses(global char *first, ulong step, ulong count, global ulong *addresses) {
  const ulong i = get_global_id(0);
  if (i < count) addresses[i] = (ulong)(first + i * step);
}
