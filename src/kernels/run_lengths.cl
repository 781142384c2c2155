// SPDX-License-Identifier: MIT
// How long runs are, from where they start: each ends where the next begins, the last at `n`.

kernel void run_lengths(global const long *starts, global const ulong *count, global long *lengths, const long n) {
  const ulong runs = count[0];
  const ulong share = (runs + get_global_size(0) - 1) / get_global_size(0);
#ifdef QUERN_HOST
  // A piece for each, which the compiler turns into a loop over vectors.
  const ulong begin = min(get_global_id(0) * share, runs), end = min(begin + share, runs);
  for (ulong k = begin; k < end; ++k) lengths[k] = (k + 1 < runs ? starts[k + 1] : n) - starts[k];
#else
  for (ulong k = get_global_id(0); k < runs; k += get_global_size(0))
    lengths[k] = (k + 1 < runs ? starts[k + 1] : n) - starts[k];
#endif
}
