// SPDX-License-Identifier: MIT
// Choices: numbers that are looked up in sums of probabilities, and rows taken by their indices.

#ifdef LOOK_UP
// The number of sums that are not above each number, which is the index chosen: sums[i] is the probability of the
// indices up to i.
kernel void look_up(global const double *numbers, global const double *sums, global long *out, ulong count, ulong n) {
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

#ifdef TAKE_ROWS
// ELEMENT: a type of the elements' size.
kernel void take_rows(global const ELEMENT *from, global const long *rows, global ELEMENT *to, ulong count,
                      ulong width) {
  const ulong i = get_global_id(0);
  if (i < count) to[i] = from[(ulong)rows[i / width] * width + i % width];
}
#endif
