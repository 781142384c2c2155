// SPDX-License-Identifier: MIT
// The vector updates of conjugate gradients. Dot products are kept as parts, whose sum each work-item or group
// computes again: no launch waits for a number. Needs sparse_values.cl.
//
// GROUPS   1: work-groups of THREADS work-items share the elements; otherwise each work-item takes a chunk

// 0 where the method has converged and all is zero.
inline VALUE ratio(VALUE a, VALUE b) {
#if COMPLEX
  if (b.x == 0 && b.y == 0) return (VALUE)0;
#else
  if (b == 0) return (VALUE)0;
#endif
  return quotient(a, b);
}

#if GROUPS
inline VALUE part_of(const global VALUE *parts, long count) {
  VALUE sum = (VALUE)0;
  for (long i = get_local_id(0); i < count; i += THREADS) sum = plus(sum, parts[i]);
  return sum;
}
#define SHAPE __attribute__((reqd_work_group_size(THREADS, 1, 1)))
#define SCRATCH local VALUE scratch[THREADS];
#define TOTAL(parts, count) group_sum(scratch, part_of(parts, count))
#define BEGIN (long)get_global_id(0)
#define END size
#define STEP (long)get_global_size(0)
// Several elements are loaded before the first is stored, so that enough of them are on their way.
#define BATCH 4
// The last elements of r that were written are still in the cache, and the next product begins with the first of p.
#define LAST_FIRST(i) (size - 1 - (i))
#else
inline VALUE sum_of(const global VALUE *parts, long count) {
  VALUE sum = (VALUE)0;
  for (long i = 0; i < count; ++i) sum = plus(sum, parts[i]);
  return sum;
}
#define SHAPE
#define SCRATCH
#define TOTAL(parts, count) sum_of(parts, count)
#define BEGIN (long)get_global_id(0) * chunk
#define END min(((long)get_global_id(0) + 1) * chunk, size)
#define STEP 1
#define BATCH 1
#define LAST_FIRST(i) (i)
#endif

// r -= alpha q, with alpha = rr / pq, which is stored; rr_new has the parts of conj(r) . r.
kernel SHAPE void cg_residual(const global VALUE *restrict q, global VALUE *restrict r, const global VALUE *restrict pq,
                              const global VALUE *restrict rr, global VALUE *restrict rr_new,
                              global VALUE *restrict alphas, long size, long chunk, long pq_count, long rr_count) {
  SCRATCH
  const VALUE top = TOTAL(rr, rr_count);
  const VALUE bottom = TOTAL(pq, pq_count);
  const VALUE alpha = ratio(top, bottom);
  VALUE sum = (VALUE)0;
  const long end = END;
  for (long begin = BEGIN; begin < end; begin += BATCH * STEP) {
    VALUE values[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const long i = begin + k * STEP;
      if (i < end) values[k] = multiply_add(r[i], -alpha, q[i]);
    }
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const long i = begin + k * STEP;
      if (i < end) {
        r[i] = values[k];
        sum = multiply_add(sum, conjugate(values[k]), values[k]);
      }
    }
  }
#if GROUPS
  sum = group_sum(scratch, sum);
  if (get_local_id(0) == 0) rr_new[get_group_id(0)] = sum;
#else
  rr_new[get_global_id(0)] = sum;
#endif
  if (get_global_id(0) == 0) alphas[0] = alpha;
}

// x += alpha p, p = r + beta p, with beta = rr_new / rr.
kernel SHAPE void cg_direction(const global VALUE *restrict r, global VALUE *restrict p, global VALUE *restrict x,
                               const global VALUE *restrict rr_new, const global VALUE *restrict rr,
                               const global VALUE *restrict alphas, long size, long chunk, long rr_count) {
  SCRATCH
  const VALUE top = TOTAL(rr_new, rr_count);
  const VALUE bottom = TOTAL(rr, rr_count);
  const VALUE beta = ratio(top, bottom), alpha = alphas[0];
  const long end = END;
  for (long begin = BEGIN; begin < end; begin += BATCH * STEP) {
    VALUE olds[BATCH], solutions[BATCH], residuals[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const long at = begin + k * STEP, i = LAST_FIRST(at);
      if (at < end) {
        olds[k] = p[i];
        solutions[k] = x[i];
        residuals[k] = r[i];
      }
    }
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const long at = begin + k * STEP, i = LAST_FIRST(at);
      if (at < end) {
        x[i] = multiply_add(solutions[k], alpha, olds[k]);
        p[i] = multiply_add(residuals[k], beta, olds[k]);
      }
    }
  }
}
