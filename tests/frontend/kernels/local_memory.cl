// SPDX-License-Identifier: MIT
// Local memory in all its places, and barriers.
typedef struct {
  float4 sum;
  int count;
} cell;

float exchanged(local float *tile, float value, size_t i, size_t n) {
  tile[i] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float result = tile[n - 1 - i];
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return result;
}

kernel void variables(global const float *a, global float *b) {
  local float tile[16][17];
  local int counter;
  local cell cells[2];
  local float *row = tile[get_local_id(1)];
  if (get_local_id(0) == 0 && get_local_id(1) == 0) counter = 0;
  row[get_local_id(0)] = a[get_global_id(1) * get_global_size(0) + get_global_id(0)];
  cells[get_local_id(0) & 1].count = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&counter);
  barrier(CLK_LOCAL_MEM_FENCE);
  b[get_global_id(0) * get_global_size(1) + get_global_id(1)] =
      tile[get_local_id(1)][get_local_id(0)] + counter + cells[1].count;
}

kernel void parameters(global float *a, local float *first, local float4 *second, int n) {
  const size_t i = get_local_id(0);
  second[i] = (float4)(a[get_global_id(0)]);
  for (int k = 0; k < n; ++k) second[i].x = exchanged(first, second[i].x, i, get_local_size(0));
  a[get_global_id(0)] = second[i].x;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(global int *a, local int *scratch) {
  local int flag;
  if (get_local_id(0) == 5) flag = a[0];
  scratch[get_local_id(0)] = a[get_global_id(0)];
  mem_fence(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = scratch[63 - get_local_id(0)] + flag;
}
