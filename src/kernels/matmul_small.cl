// SPDX-License-Identifier: MIT
// Products of stacks of small matrices. A work-item computes one element of one product: its operands are
// few, so the caches hold them.
//
// TYPE, ITEM, OUT          element types in memory, of the sums and of the result
// LOAD, STORE              convert an element to an ITEM, and a sum to the result; from the definitions, as
// multiply_add(c, a, b)    c + a * b
// FINISH, FINISH_PARAMETERS  what is stored of a sum, and the parameters that it reads; see matmul_finish.hpp
kernel void matmul(const global TYPE *a, const global TYPE *b, global OUT *c, long a_start, long a_outer,
                   long a_middle, long a_inner, long a_row, long a_depth, long b_start, long b_outer,
                   long b_middle, long b_inner, long b_column, long b_depth, ulong middle, ulong inner,
                   ulong matrices, uint m, uint n, uint depth FINISH_PARAMETERS) {
  const ulong index = get_global_id(0);
  const uint size = m * n;
  const ulong matrix = index / size;
  if (matrix >= matrices) return;
  const uint inside = (uint)(index - matrix * size), row = inside / n, column = inside % n;
  const long outer_at = (long)(matrix / inner / middle), middle_at = (long)(matrix / inner % middle),
             inner_at = (long)(matrix % inner);
  a += a_start + outer_at * a_outer + middle_at * a_middle + inner_at * a_inner + (long)row * a_row;
  b += b_start + outer_at * b_outer + middle_at * b_middle + inner_at * b_inner + (long)column * b_column;
  ITEM sum = (ITEM)0;
  for (uint k = 0; k < depth; ++k) sum = multiply_add(sum, LOAD(a[k * a_depth]), LOAD(b[k * b_depth]));
  c[index] = FINISH(sum);
}
