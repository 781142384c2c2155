// SPDX-License-Identifier: MIT
// Computes the lengths of runs from their starts. A run ends where the next one starts, the last one at `n`.
// `starts` holds one start more than `capacity`, the number of lengths that are stored, or all of them.

kernel void run_lengths(global const long *starts, global const ulong *count, global long *lengths, const long n,
                        const ulong capacity) {
  const ulong runs = count[0], stored = min(runs, capacity);
  const ulong share = (stored + get_global_size(0) - 1) / get_global_size(0);
#ifdef QUERN_HOST
  // Each work-item computes a contiguous share, in a loop that the compiler vectorises.
  const ulong begin = min(get_global_id(0) * share, stored), end = min(begin + share, stored);
  for (ulong k = begin; k < end; ++k) lengths[k] = (k + 1 < runs ? starts[k + 1] : n) - starts[k];
#else
  for (ulong k = get_global_id(0); k < stored; k += get_global_size(0))
    lengths[k] = (k + 1 < runs ? starts[k + 1] : n) - starts[k];
#endif
}
