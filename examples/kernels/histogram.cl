// SPDX-License-Identifier: MIT
// Counts bytes: every work-group counts into local memory and adds its counts to the global ones once.
#define BINS 256

kernel void histogram(global const uchar *in, global uint *counts, int n) {
  local uint mine[BINS];
  for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0)) mine[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
    if (mine[bin] > 0) atomic_add(&counts[bin], mine[bin]);
}
