// SPDX-License-Identifier: MIT
// Gathers rows of an array by their numbers, for random choices.

// ELEMENT is an integer type of the elements' size.
kernel void take_rows(global const ELEMENT *from, global const long *rows, global ELEMENT *to, ulong count,
                      ulong width) {
  const ulong i = get_global_id(0);
  if (i < count) to[i] = from[width == 1 ? (ulong)rows[i] : (ulong)rows[i / width] * width + i % width];
}
