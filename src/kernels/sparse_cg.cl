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
#define ROOM local VALUE room[THREADS];
#define TOTAL(parts, count) group_sum(room, part_of(parts, count))
#define BEGIN (long)get_global_id(0)
#define END size
#define STEP (long)get_global_size(0)
#else
inline VALUE sum_of(const global VALUE *parts, long count) {
  VALUE sum = (VALUE)0;
  for (long i = 0; i < count; ++i) sum = plus(sum, parts[i]);
  return sum;
}
#define SHAPE
#define ROOM
#define TOTAL(parts, count) sum_of(parts, count)
#define BEGIN (long)get_global_id(0) * chunk
#define END min(((long)get_global_id(0) + 1) * chunk, size)
#define STEP 1
#endif

// x += alpha p, r -= alpha q, with alpha = rr / pq; rr_new has the parts of conj(r) . r.
kernel SHAPE void cg_step(const global VALUE *restrict p, const global VALUE *restrict q, global VALUE *restrict x,
                          global VALUE *restrict r, const global VALUE *pq, const global VALUE *rr,
                          global VALUE *rr_new, long size, long chunk, long pq_count, long rr_count) {
  ROOM
  const VALUE top = TOTAL(rr, rr_count);
  const VALUE bottom = TOTAL(pq, pq_count);
  const VALUE alpha = ratio(top, bottom);
  VALUE sum = (VALUE)0;
  const long end = END;
  for (long i = BEGIN; i < end; i += STEP) {
    x[i] = multiply_add(x[i], alpha, p[i]);
    const VALUE value = multiply_add(r[i], -alpha, q[i]);
    r[i] = value;
    sum = multiply_add(sum, conjugate(value), value);
  }
#if GROUPS
  sum = group_sum(room, sum);
  if (get_local_id(0) == 0) rr_new[get_group_id(0)] = sum;
#else
  rr_new[get_global_id(0)] = sum;
#endif
}

// p = r + beta p, with beta = rr_new / rr.
kernel SHAPE void cg_direction(const global VALUE *restrict r, global VALUE *restrict p, const global VALUE *rr_new,
                               const global VALUE *rr, long size, long chunk, long rr_count) {
  ROOM
  const VALUE top = TOTAL(rr_new, rr_count);
  const VALUE bottom = TOTAL(rr, rr_count);
  const VALUE beta = ratio(top, bottom);
  const long end = END;
  for (long i = BEGIN; i < end; i += STEP) p[i] = multiply_add(r[i], beta, p[i]);
}
