// SPDX-License-Identifier: MIT
// What the work-items of a group or a sub-group do together.
kernel void work_groups(global int *a, global float *f, global ulong *u, global double *d) {
  const size_t i = get_global_id(0);
  a[i] = work_group_reduce_add(a[i]) + work_group_scan_inclusive_max(a[i]) + work_group_scan_exclusive_add(a[i]);
  f[i] = work_group_scan_exclusive_min(f[i]) + work_group_broadcast(f[i], 3);
  u[i] = work_group_reduce_max(u[i]) + work_group_broadcast(u[i], 1, 0) + work_group_broadcast(u[i], 1, 0, 0);
  d[i] = work_group_scan_inclusive_add(d[i]);
  if (work_group_all(a[i] > 0) && !work_group_any(a[i] == 7)) a[i] += (int)(get_local_linear_id() + get_global_linear_id());
}

kernel void sub_groups(global int *a, global double *d, global uint4 *ballots) {
  const size_t i = get_global_id(0);
  const uint lane = get_sub_group_local_id(), n = get_sub_group_size();
  int x = sub_group_reduce_add(a[i]) + sub_group_scan_inclusive_min(a[i]) + sub_group_broadcast(a[i], 0);
  d[i] = sub_group_scan_exclusive_max(d[i]) + sub_group_shuffle(d[i], n - 1 - lane) + sub_group_shuffle_xor(d[i], 0);
  x += sub_group_shuffle_up(x, 1) + sub_group_shuffle_down(x, 1);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE, 1);
  ballots[i] = sub_group_ballot(a[i] & 1);
  if (sub_group_all(x > 0) || sub_group_any(x == 3)) x += 1;
  a[i] = x + (int)(get_sub_group_id() + get_num_sub_groups() + get_max_sub_group_size() + get_enqueued_num_sub_groups());
}

kernel void copies(global const float4 *from, global float4 *to, local float4 *tile, local float *strided, int n) {
  event_t e = async_work_group_copy(tile, from + get_group_id(0) * n, (size_t)n, 0);
  e = async_work_group_strided_copy(strided, (global const float *)from, n, 4, e);
  prefetch(from, 4);
  wait_group_events(1, &e);
  tile[get_local_id(0)].x += strided[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t done = async_work_group_copy(to + get_group_id(0) * n, tile, n, 0);
  wait_group_events(1, &done);
}

kernel void intrinsics(global int *flag, global float *data, global float4 *wide, global ulong *masks, global uchar *bytes) {
  const size_t i = get_global_id(0);
  float x = quern_load_streaming(&data[i]);
  x += quern_shuffle(x, 0) + quern_shuffle_xor(x, 1) + quern_shuffle_up(x, 1) + quern_shuffle_down(x, 1);
  masks[i] = quern_ballot(x > 0) + quern_match_any((int)x) + quern_match_any(x);
  quern_store_streaming(&data[i], x);
  quern_store_streaming(&wide[i], quern_load_streaming(&wide[i]) + 1.0f);
  quern_store_streaming(&bytes[i], (uchar)(quern_load_streaming(&bytes[i]) + 1));
  quern_store_release(flag, quern_load_acquire(flag, QUERN_SCOPE_DEVICE) + 1, QUERN_SCOPE_SYSTEM);
  quern_store_release(masks, quern_load_acquire(masks, QUERN_SCOPE_GROUP), QUERN_SCOPE_GROUP);
  quern_store_release(data, quern_load_acquire(data, QUERN_SCOPE_GROUP), QUERN_SCOPE_GROUP);
}
