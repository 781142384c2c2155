// SPDX-License-Identifier: MIT
// Initialisers with effects, of variables that look like indices.
int bump(global int *a) {
  a[get_global_id(0)] += 1;
  return 2;
}
kernel void effects_atomic(global int *count, global int *out) {
  int k = atomic_add(count, 1) + 1;
  out[get_global_id(0)] = k > 0;
}
kernel void effects_increment(global int *out) {
  int i = get_global_id(0);
  int j = i;
  int k = j++ + 1;
  out[i] = k * 100 + j;
}
kernel void effects_assign(global int *out) {
  int i = get_global_id(0);
  int x = 1;
  int k = (x += i) - 1;
  out[i] = x * 10 + k;
}
kernel void effects_call(global int *out) {
  int i = get_global_id(0);
  const int k = bump(out) * 3;
  out[i] += k;
}
kernel void effects_loop(global int *out, global const int *in, int n) {
  int i = get_global_id(0);
  int j = 0;
  while (j < n) {
    int k = j++ * 2;
    out[i] += in[k & 7];
  }
}
kernel void effects_jump(global int *out, global const int *in) {
  int i = get_global_id(0);
  int j = 0;
again:;
  int k = j++ + i;
  out[i] += in[k & 7];
  if (j < 3) goto again;
}
// A size_t sum kept in an int wraps.
kernel void shifted_by_uint(global int *out, global const int *in, uint offset) {
  int j = get_global_id(0) + offset;
  out[j + 1] = in[j + 1];
}
kernel void shifted_by_long(global int *out, global const int *in, long offset) {
  int j = offset + get_global_id(0) - 2;
  out[j + 3] = in[j + 3];
}
kernel void scaled_by_uint(global int *out, global const int *in, uint factor) {
  int j = get_global_id(0) * factor;
  out[99 + j] = in[99 + j];
}
