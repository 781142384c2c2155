// SPDX-License-Identifier: MIT
// What a product loses that leaves out the zeros of a triangle: zero times infinity or NaN is NaN.
//
// TYPE, OUT        element types of the operand and of the result
// KIND, OUT_KIND   0 for real numbers, 1 for complex ones, 2 for the bits of bfloat16
#if KIND == 0
#define IS_FINITE(element) isfinite(element)
#elif KIND == 1
#define IS_FINITE(element) (isfinite((element).x) && isfinite((element).y))
#else
#define IS_FINITE(element) (((element) & 0x7f80) != 0x7f80)
#endif
#if OUT_KIND == 0
#define NOT_A_NUMBER ((OUT)NAN)
#elif OUT_KIND == 1
#define NOT_A_NUMBER ((OUT)(NAN, NAN))
#else
#define NOT_A_NUMBER ((OUT)0x7fc0)
#endif
#define EACH 64  // elements of a work-item

// Of each line of the operand: the least product of `sign` and a step whose element is not finite. Such
// elements are rare, so it is the memory that takes time.
kernel void find_nearest(global const TYPE *x, long start, long line_step, long depth_step, ulong inner,
                         ulong outer, int is_along_lines, int first, int sign, global int *nearest) {
  const ulong i = get_global_id(0);
  if (i >= inner) return;
  const ulong begin = get_global_id(1) * EACH, end = min(begin + EACH, outer);
  for (ulong o = begin; o < end; ++o) {
    const ulong line = is_along_lines ? i : o, step = is_along_lines ? o : i;
    const TYPE element = x[start + (long)line * line_step + (long)step * depth_step];
    if (!IS_FINITE(element)) atomic_min(nearest + line, sign * (first + (int)step));
  }
}

// Writes NaN to `lines` results of each line of the operand that has such an element before `bound`.
kernel void spoil(global OUT *out, long start, ulong lines, long line_step, long other_step, ulong others,
                  int bound, global const int *nearest) {
  const ulong i = get_global_id(0);
  if (i >= others || nearest[i] >= bound) return;
  for (ulong line = 0; line < lines; ++line)
    out[start + (long)line * line_step + (long)i * other_step] = NOT_A_NUMBER;
}
