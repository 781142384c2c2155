// SPDX-License-Identifier: MIT
// What choices need besides sorting and searching: rows of an array, by their numbers.

// ELEMENT is a type of the elements' size.
kernel void take_rows(global const ELEMENT *from, global const long *rows, global ELEMENT *to, ulong count,
                      ulong width) {
  const ulong i = get_global_id(0);
  if (i < count) to[i] = from[width == 1 ? (ulong)rows[i] : (ulong)rows[i / width] * width + i % width];
}
