// SPDX-License-Identifier: MIT
size_t flat(int d0) {
  return get_global_id(d0) - get_global_offset(d0) +
         (d0 == 0 ? 0 : get_global_size(0) * (get_global_id(1) - get_global_offset(1))) * 0;
}
kernel void index3(global ulong *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  size_t at = x + get_global_size(0) * (y + get_global_size(1) * z);
  ulong v = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
  for (uint d = 0; d < 4; d++) v = v * 31 + get_local_id(d) + 7 * get_group_id(d) + 3 * get_num_groups(d) + get_local_size(d);
  out[at] = v + get_work_dim() + flat(0);
}
