// SPDX-License-Identifier: MIT
// What choices need besides sorting. Parameters: LOOK_UP, WEIGH or TAKE_ROWS, which says what is built.

#ifdef LOOK_UP
// The first index whose sum of probabilities, of all up to it, is above each number.
kernel void look_up(global const double *numbers, global const double *sums, ulong n, global long *out,
                    ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const double number = numbers[i];
  ulong low = 0, high = n - 1;
  while (low < high) {
    const ulong middle = (low + high) / 2;
    if (sums[middle] <= number)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = (long)low;
}
#endif

#ifdef WEIGH
// Waiting times: what is p times as likely comes p times as soon. What cannot happen comes last.
kernel void weigh(global double *times, global const double *p, ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) times[i] = p[i] > 0 ? times[i] / p[i] : INFINITY;
}
#endif

#ifdef TAKE_ROWS
// ELEMENT is a type of the elements' size.
kernel void take_rows(global const ELEMENT *from, global const long *rows, global ELEMENT *to, ulong count,
                      ulong width) {
  const ulong i = get_global_id(0);
  if (i < count) to[i] = from[width == 1 ? (ulong)rows[i] : (ulong)rows[i / width] * width + i % width];
}
#endif
