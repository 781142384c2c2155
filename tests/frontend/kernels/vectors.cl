// SPDX-License-Identifier: MIT
constant float4 offsets[2] = {(float4)(1, 2, 3, 4), (float4)(0.5f)};
constant int table[] = {1, 1, 2, 3, 5, 8};
__constant int rows = sizeof(table) / sizeof(table[0]);

float4 rotated(float4 v) { return v.yzwx; }

kernel void vectors(global const float4 *a, global const float4 *b, global float4 *out, global int4 *ints, global float *flat) {
  int i = get_global_id(0);
  float4 u = a[i], v = b[i];
  float4 r = u * 2.0f + v / (float4)(1, 2, 4, 8) - rotated(u);
  r.xy = v.zw;
  r.s3 += 1;
  r.lo *= 2.0f;
  r += offsets[i & 1];
  int4 less = u < v;
  r = less ? r : -r;
  float2 pair = (float2)(dot(u, v), length(u.xy));
  float8 wide = (float8)(u, v);
  r.w += wide.s5 + wide.hi.x + pair.y;
  r = clamp(r, -100.0f, 100.0f);
  float3 c = cross(u.xyz, v.xyz);
  vstore3(c, i, flat);
  out[i] = fmax(r, vload4(i, (global const float *)a)) + mix(u, v, 0.5f);
  int4 k = convert_int4(u) << 2 | (int4)(table[i % rows], 1, 2, 3);
  k++;
  k = select(k, (int4)(-1), isgreater(u, v)) % 7;
  ints[i] = k + (any(less) ? 10 : 20) + as_int4(u) / 1000;
}
kernel void nested_components(global int *out) {
  int i = get_global_id(0);
  int4 v = (int4)(i, i + 1, i + 2, i + 3), q = v;
  v.hi++;
  int2 before = v.yx--;
  int2 after = ++v.odd;
  q.lo.x = 9;
  q.hi.yx = (int2)(20, 30);
  q.wzyx.lo.y += 5;
  q.even.hi++;
  out[i] = v.x + 3 * v.y + 5 * v.z + 7 * v.w + 11 * (before.x + 2 * before.y) + 13 * (after.x + 2 * after.y);
  out[i] += 100 * (q.x + 3 * q.y + 5 * q.z + 7 * q.w) + q.xyz.zy.x;
}
