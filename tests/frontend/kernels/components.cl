// SPDX-License-Identifier: MIT
kernel void shuffles(global const float4 *a, global const uint4 *m, global float *out) {
  size_t i = get_global_id(0);
  float4 x = a[i], y = a[i] * 10.0f;
  float4 r = shuffle(x, m[i]), s = shuffle2(x, y, m[i]);
  float2 t = shuffle(x, (uint2)(3, 1));
  float8 u = shuffle2(x, y, (uint8)(7, 6, 5, 4, 3, 2, 1, 0));
  float16 w = shuffle2(u, u + 100.0f, (uint16)(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  vstore4(r, 0, out + 34 * i);
  vstore4(s, 1, out + 34 * i);
  vstore8(u, 1, out + 34 * i);
  vstore16(w, 1, out + 34 * i);
  vstore2(t, 16, out + 34 * i);
}

kernel void narrow(global const uchar *a, global uchar *out) {
  size_t i = get_global_id(0);
  uchar16 v = vload16(i, a);
  uchar2 p = shuffle(v, (uchar2)(15, 17));
  ushort4 q = shuffle(convert_ushort8(v.lo), (ushort4)(i, 1, 2, 9));
  out[6 * i] = p.x;
  out[6 * i + 1] = p.y;
  vstore4(convert_uchar4(q), 0, out + 6 * i + 2);
}

kernel void upsamples(global long *out) {
  out[0] = upsample((char)-2, (uchar)255);
  out[1] = upsample((uchar)254, (uchar)1);
  out[2] = upsample((short)-3, (ushort)7);
  out[3] = upsample((ushort)65535, (ushort)7);
  out[4] = upsample((int)-4, (uint)9);
  out[5] = as_long(upsample((uint)0x80000000u, (uint)9));
  int4 v = upsample((short4)(1, -1, 2, -2), (ushort4)(5));
  out[6] = v.y;
  out[7] = v.w;
}
