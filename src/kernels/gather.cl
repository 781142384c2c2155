// SPDX-License-Identifier: MIT
// Elements picked by their positions.
//
// ELEMENT            the type that is moved
// INDEX              the positions' type
kernel void gather(const global ELEMENT *from, const global INDEX *positions, global ELEMENT *out, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[i] = from[positions[i]];
}
