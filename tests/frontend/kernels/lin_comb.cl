// SPDX-License-Identifier: MIT
kernel void lin_comb(float a, global const float *x, float b, global const float *y, global float *z) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
kernel void lin_comb_int(float a, global const float *x, float b, global const float *y, global float *z, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  z[i] = a * x[i] + b * y[i];
}
kernel void lin_comb_uint(float a, global const float *x, float b, global const float *y, global float *z, uint n) {
  uint i = get_global_id(0);
  if (i < n) z[i] = a * x[i] + b * y[i];
}
kernel void lin_comb_size(float a, global const float *x, float b, global const float *y, global float *z, ulong n) {
  size_t i = get_global_id(0);
  if (i <= n - 1) {
    z[i] = a * x[i] + b * y[i];
  }
}
kernel void lin_comb4(float a, global const float4 *x, float b, global const float4 *y, global float4 *z) {
  int i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
