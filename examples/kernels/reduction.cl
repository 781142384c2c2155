// SPDX-License-Identifier: MIT
// The sum of an array: each work-item adds up a stride, each work-group folds its sums in local memory. The local size
// is a power of two; the sums of the groups are summed by a second launch with one group.
kernel void reduce_sum(global const float *in, global float *sums, int n, local float *scratch) {
  const int id = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  scratch[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (id < half_size) scratch[id] += scratch[id + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) sums[get_group_id(0)] = scratch[0];
}
