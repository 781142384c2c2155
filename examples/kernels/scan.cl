// SPDX-License-Identifier: MIT
// The inclusive sums of an array in three launches: every work-group scans its part and leaves its total; one work-group
// scans the totals; every part adds the total of the parts before it. The local size is any.
kernel void scan_parts(global const int *in, global int *out, global int *totals, int n, local int *scratch) {
  const int id = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
  local int *from = scratch, *to = scratch + size;
  from[id] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < size; distance *= 2) {
    to[id] = id >= distance ? from[id] + from[id - distance] : from[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *swap = from;
    from = to;
    to = swap;
  }
  if (i < n) out[i] = from[id];
  if (id == size - 1) totals[get_group_id(0)] = from[id];
}

kernel void add_totals(global int *out, global const int *totals, int n) {
  const int i = get_global_id(0), group = get_group_id(0);
  if (group > 0 && i < n) out[i] += totals[group - 1];
}
