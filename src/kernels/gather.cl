// SPDX-License-Identifier: MIT
// Gathers and scatters elements by their positions.
//
// ELEMENT            the type that is moved or combined
// INDEX, INDEX_SIGNED  the positions' type; 1 when it can be negative
// CLIP, WRAP         1: a position out of bounds becomes the nearest one, or is taken modulo n; neither: a scatter
//                    omits it, and a gather returns zero
// COMBINE            scatter: a function (pointer, value); without it values are stored
// EXCHANGE           1: the old values are stored in `previous`

// The index among n elements, or n if the element is omitted.
inline ulong place_of(INDEX index, ulong n) {
#if CLIP
#if INDEX_SIGNED
  if (index < 0) return 0;
#endif
  return min((ulong)index, n - 1);
#elif WRAP
#if INDEX_SIGNED
  const long rest = (long)index % (long)n;
  return (ulong)(rest < 0 ? rest + (long)n : rest);
#else
  return (ulong)index % n;
#endif
#else
  return min((ulong)index, n);  // negative positions become large
#endif
}

#if SCATTER
kernel void scatter(global ELEMENT *to, const global INDEX *positions, const global ELEMENT *values,
#if EXCHANGE
                    global ELEMENT *previous,
#endif
                    ulong n, ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const ulong at = place_of(positions[i], n);
  if (at >= n) return;
#if EXCHANGE
  previous[i] = COMBINE(&to[at], values[i]);
#elif defined(COMBINE)
  COMBINE(&to[at], values[i]);
#else
  to[at] = values[i];
#endif
}
#else
kernel void gather(const global ELEMENT *from, const global INDEX *positions, global ELEMENT *out, ulong n,
                   ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const ulong at = place_of(positions[i], n);
#if CLIP || WRAP
  out[i] = from[at];
#else
  // An element is read in any case, because C has no literal for a structure of zeros.
  ELEMENT x = from[at < n ? at : 0];
  if (at >= n) {
    private uchar *const bytes = (private uchar *)&x;
    for (uint b = 0; b < sizeof(ELEMENT); ++b) bytes[b] = 0;
  }
  out[i] = x;
#endif
}
#endif
