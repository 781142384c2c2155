// SPDX-License-Identifier: MIT
// Arithmetic, conversions and vectors of half.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

half twice(half x) { return x * 2.0h; }

kernel void half_arithmetic(global const half *a, global const half *b, global half *out) {
  size_t i = get_global_id(0);
  half x = a[i], y = b[i];
  out[8 * i] = x + y;
  out[8 * i + 1] = x - y;
  out[8 * i + 2] = x * y;
  out[8 * i + 3] = x / y;
  out[8 * i + 4] = -x;
  out[8 * i + 5] = sqrt(fabs(x));
  out[8 * i + 6] = fma(x, y, x);
  out[8 * i + 7] = twice(x);
}

kernel void half_tests(global const half *a, global const half *b, global int *out) {
  size_t i = get_global_id(0);
  half x = a[i], y = b[i];
  int r = 0;
  if (x) r |= 1;
  if (!x) r |= 2;
  if (x < y) r |= 4;
  if (x == y) r |= 8;
  if (x >= y) r |= 16;
  if (x && y) r |= 32;
  r |= (x > 1.0h ? 64 : 0) | (isnan(x) ? 128 : 0);
  half z = x;
  z += y;
  z -= 0.5h;
  z *= 2;
  z++;
  --z;
  half4 v = (half4)(x, y, 1.0h, z);
  v.xy += v.zw;
  v = -v * 2.0h;
  half w = z++;
  half m = max(x, y), c = clamp(x, -1.0h, 1.0h);
  short4 lt = v < (half4)(0.0h);
  r |= (as_short(z) & 0xff) << 8;
  out[4 * i] = r;
  out[4 * i + 1] = (int)as_ushort(v.x) << 16 | as_ushort(v.y);
  out[4 * i + 2] = (int)as_ushort(w) << 16 | as_ushort(m);
  out[4 * i + 3] = (lt.x & 1) | (lt.y & 2) | (lt.z & 4) | (int)as_ushort(c) << 16;
}

kernel void half_literals(global half *out, global float *sums) {
  constant static half table[3] = {1.0h, -0.1h, 65504.0h};
  size_t i = get_global_id(0);
  out[i] = i < 3 ? table[i] : i == 3 ? HALF_MAX : i == 4 ? HALF_EPSILON : i == 5 ? (half)0.1f : i == 6 ? (half)3 : M_PI_H;
  half8 v = (half8)(1, 2, 3, 4, 5, 6, 7, 8);
  sums[i] = dot(v.lo, v.hi) + length((half2)(3.0h, 4.0h)) + convert_float(v.s7) + vload4(1, out).x * 0;
}
