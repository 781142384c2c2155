// SPDX-License-Identifier: MIT
// Arithmetic of the entries of sparse matrices, for the kernels of sparse_*.cl that compute with them.
//
// VALUE    type of the entries; unsigned for integers, whose overflow is then defined
// COMPLEX  1: VALUE is a vector of two, the real and the imaginary part, of type PART
// FLOATING 1: VALUE is not an integer
// BOOLEAN  1: sums are "or", products are "and"
// GROUPS   1: kernels run in work-groups of THREADS work-items
#pragma OPENCL FP_CONTRACT ON

#if COMPLEX
inline VALUE multiply_add(VALUE c, VALUE a, VALUE b) {
  c.x += a.x * b.x;
  c.y += a.x * b.y;
  c.x -= a.y * b.y;
  c.y += a.y * b.x;
  return c;
}
inline VALUE conjugate(VALUE a) {
  a.y = -a.y;
  return a;
}
// Divided by the larger part first, which avoids overflow.
inline VALUE quotient(VALUE a, VALUE b) {
  VALUE c;
  if (fabs(b.x) >= fabs(b.y)) {
    const PART ratio = b.y / b.x, scale = b.x + b.y * ratio;
    c.x = (a.x + a.y * ratio) / scale;
    c.y = (a.y - a.x * ratio) / scale;
  } else {
    const PART ratio = b.x / b.y, scale = b.x * ratio + b.y;
    c.x = (a.x * ratio + a.y) / scale;
    c.y = (a.y * ratio - a.x) / scale;
  }
  return c;
}
#elif BOOLEAN
inline VALUE multiply_add(VALUE c, VALUE a, VALUE b) { return c | (a & b); }
inline VALUE conjugate(VALUE a) { return a; }
#else
#if FLOATING
inline VALUE multiply_add(VALUE c, VALUE a, VALUE b) { return c + a * b; }
#else
// Short operands become int, whose product may overflow; with 1u they become uint.
inline VALUE multiply_add(VALUE c, VALUE a, VALUE b) { return (VALUE)(c + 1u * a * b); }
#endif
inline VALUE conjugate(VALUE a) { return a; }
inline VALUE quotient(VALUE a, VALUE b) { return (VALUE)(a / b); }
#endif

#if BOOLEAN
inline VALUE plus(VALUE a, VALUE b) { return a | b; }
#else
inline VALUE plus(VALUE a, VALUE b) { return (VALUE)(a + b); }
#endif

// What a product stores for a row: factor * sum + addend_factor * addend[row]. Only products of real floating types have
// it. `epilogue` is 0: the sum as it is; 1: without the addend; 2: with it.
#if FLOATING && !COMPLEX
#define EPILOGUE , VALUE factor, const global VALUE *addend, VALUE addend_factor, int epilogue
#define FINISHED(sum, row) finished(sum, row, factor, addend, addend_factor, epilogue)
inline VALUE finished(VALUE sum, long row EPILOGUE) {
  if (epilogue == 0) return sum;
  return epilogue == 1 ? factor * sum : factor * sum + addend_factor * addend[row];
}
#else
#define EPILOGUE
#define FINISHED(sum, row) (sum)
#endif

#if GROUPS
// Returns the sum of the values of all work-items of a group of THREADS, to each.
inline VALUE group_sum(local VALUE *scratch, VALUE value) {
  const uint item = get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = THREADS / 2; step > 0; step /= 2) {
    if (item < step) scratch[item] = plus(scratch[item], scratch[item + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const VALUE sum = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
#endif

#if FLOATING && defined(INDEX)
// Solves for row `row` of a triangular system if the rows that it needs are solved. The diagonal of row i is the entry
// diagonals[i], or 1 where that is negative.
inline void solve_row(const global VALUE *data, const global INDEX *indices, const global INDEX *indptr,
                      const global long *diagonals, global VALUE *x, long row, int is_lower) {
  VALUE sum = x[row];
  for (long i = (long)indptr[row]; i < (long)indptr[row + 1]; ++i) {
    const long column = (long)indices[i];
    if (is_lower ? column < row : column > row) sum = multiply_add(sum, -data[i], x[column]);
  }
  x[row] = diagonals[row] < 0 ? sum : quotient(sum, data[diagonals[row]]);
}
#endif
