// SPDX-License-Identifier: MIT
// Places of values in a sorted array. radix_keys.cl comes first: keys are compared in its order.
//
// UPPER              1: behind equal keys; 0: in front of them
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
