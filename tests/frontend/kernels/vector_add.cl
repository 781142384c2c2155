// SPDX-License-Identifier: MIT
kernel void vector_add(global const float *a, global const float *b, global float *c) {
  const int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }
kernel void vector_multiply(__global const float *a, __global const float *b, __global float *c, const unsigned int n) {
  unsigned int i = get_global_id(0);
  if (i < n) c[i] = a[i] * b[i];
}
