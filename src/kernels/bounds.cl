// SPDX-License-Identifier: MIT
// Positions at which values keep a sorted array sorted (NumPy's searchsorted). Needs radix_keys.cl, whose
// order it compares keys in.
//
// UPPER              1: the position after equal keys; 0: the position before them
kernel void bounds(const global KEY *keys, const global KEY *values, global long *out, ulong n, ulong count,
                   KEY flip) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const KEY value = order_of(key_in(values[i], flip));
  ulong first = 0, size = n;
  while (size > 0) {
    const ulong half_size = size / 2;
    const KEY middle = order_of(key_in(keys[first + half_size], flip));
    const bool is_below = UPPER ? middle <= value : middle < value;
    first = is_below ? first + half_size + 1 : first;
    size = is_below ? size - half_size - 1 : half_size;
  }
  out[i] = (long)first;
}
