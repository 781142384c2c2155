// SPDX-License-Identifier: MIT
// Guards whose bound is of another type than the id.
kernel void uint_below_long(global int *out, long n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = 1;
}
kernel void uint_return_long(global int *out, long n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  out[i] = 1;
}
kernel void int_up_to_long(global int *out, long n) {
  int i = get_global_id(0);
  if (i <= n) out[i] = 1;
}
kernel void size_below_long(global int *out, long n) {
  size_t i = get_global_id(0);
  if ((long)i < n) out[i] = 1;
}
