// SPDX-License-Identifier: MIT
// Counter-based random numbers for any kernel: #include <quern/random.cl>. The generators turn a counter and
// a key into four words, which depend on nothing else. The other functions turn words into numbers. Except
// for CUDA's float normals, they use only operations that every device rounds correctly, so that all devices
// compute the same bits.
#ifndef QUERN_RANDOM_CL
#define QUERN_RANDOM_CL
#if defined(QUERN_HAS_FP64) && defined(QUERN_OPENCL)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3; SC 2011).
uint4 philox4x32(uint4 counter, uint2 key) {
  uint x = counter.x, y = counter.y, z = counter.z, w = counter.w;
  uint k = key.x, l = key.y;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const ulong p = (ulong)x * 0xd2511f53u, q = (ulong)z * 0xcd9e8d57u;
    x = (uint)(q >> 32) ^ y ^ k;
    z = (uint)(p >> 32) ^ w ^ l;
    y = (uint)q;
    w = (uint)p;
    k += 0x9e3779b9u;
    l += 0xbb67ae85u;
  }
  return (uint4)(x, y, z, w);
}

// Threefry4x32-20 of the same paper.
uint4 threefry4x32(uint4 counter, uint4 key) {
  const uint parity = 0x1bd11bdau ^ key.x ^ key.y ^ key.z ^ key.w;
  uint x = counter.x + key.x, y = counter.y + key.y, z = counter.z + key.z, w = counter.w + key.w;
  uint a = key.x, b = key.y, c = key.z, d = key.w, e = parity;
#pragma unroll
  for (uint turn = 1; turn <= 5; ++turn) {
    const bool odd = turn & 1;
    x += y, y = rotate(y, odd ? 10u : 6u) ^ x, z += w, w = rotate(w, odd ? 26u : 20u) ^ z;
    x += w, w = rotate(w, odd ? 11u : 17u) ^ x, z += y, y = rotate(y, odd ? 21u : 11u) ^ z;
    x += y, y = rotate(y, odd ? 13u : 25u) ^ x, z += w, w = rotate(w, odd ? 27u : 10u) ^ z;
    x += w, w = rotate(w, odd ? 23u : 18u) ^ x, z += y, y = rotate(y, odd ? 5u : 20u) ^ z;
    const uint first = a;
    a = b, b = c, c = d, d = e, e = first;
    x += a, y += b, z += c, w += d + turn;
  }
  return (uint4)(x, y, z, w);
}

// Uniform in [0, 1), from the upper 24 bits of the word.
float random_uniform(uint word) {
  return (float)(int)(word >> 8) * 0x1p-24f;
}

float4 random_uniform4(uint4 words) {
  return (float4)(random_uniform(words.x), random_uniform(words.y), random_uniform(words.z),
                  random_uniform(words.w));
}

// -2 ln((1 + f) 2^n) for f from sqrt(1/2) - 1 to sqrt(2) - 1. `exponent` is n 2^23.
float quern_minus_2_log(float f, int exponent) {
  float q = -0.174007221f;
  q = fma(q, f, 0.285349559f);
  q = fma(q, f, -0.298295748f);
  q = fma(q, f, 0.331551717f);
  q = fma(q, f, -0.399261245f);
  q = fma(q, f, 0.50002674f);
  q = fma(q, f, -0.666678215f);
  q = fma(q, f, 1.0f);
  q = fma(q, f, -2.0f);
  // The constant is 2 ln 2 / 2^23. 0x1p-60 prevents a result of 0 and changes no other result.
  return fma(q, f, fma((float)exponent, -1.65259146e-07f, 0x1p-60f));
}

// Returns n 2^23 for u = m 2^n with m from sqrt(1/2) to sqrt(2).
int quern_exponent(float u) {
  return (as_int(u) - 0x3f3504f3) & (int)0xff800000;
}

// Exponential with mean 1, at most 22.2: -ln u, where u in (0, 1) is the midpoint given by the word's upper
// 31 bits. For u near 1, 1 - u is computed from the word, because u itself has too few bits.
float random_exponential(uint word) {
  const int bits = (int)(word >> 1);
  const float u = fma((float)bits, 0x1p-31f, 0x1p-32f);
  const int exponent = quern_exponent(u);
  const float m = as_float(as_int(u) - exponent);
  const float f = exponent == 0 ? -fma((float)(bits ^ 0x7fffffff), 0x1p-31f, 0x1p-32f) : m - 1.0f;
  return 0.5f * quern_minus_2_log(f, exponent);
}

float4 random_exponential4(uint4 words) {
  return (float4)(random_exponential(words.x), random_exponential(words.y), random_exponential(words.z),
                  random_exponential(words.w));
}

// Two independent normal numbers by the Box-Muller method, times `scale`, plus `offset`. The radius, at most
// 6.66, comes from the upper 31 bits of the first word. The angle is the second word's fraction of a full
// turn.
#ifdef QUERN_CUDA
// Uses the GPU's native functions. They are twice as fast as code that rounds like other devices, and
// accurate to 3e-6.
float2 quern_normal2(uint2 words, float scale, float offset) {
  const float u = fma((float)(int)(words.x >> 1), 0x1p-31f, 0x1p-32f);
  const float radius = scale * native_sqrt(fma(fabs(native_log2(u)), 1.38629436f, 0x1p-60f));
  const float angle = fma((float)(int)words.y, 1.46291808e-09f, 7.31459039e-10f);
  return (float2)(fma(radius, native_cos(angle), offset), fma(radius, native_sin(angle), offset));
}
#else
float2 quern_normal2(uint2 words, float scale, float offset) {
  const float u = fma((float)(int)(words.x >> 1), 0x1p-31f, 0x1p-32f);
  const int exponent = quern_exponent(u);
  const float m = as_float(as_int(u) - exponent);
  const float radius = scale * sqrt(quern_minus_2_log(m - 1.0f, exponent));
  // The upper two bits of `turn` are the nearest quarter turn. t is the remaining angle in units of pi / 4.
  const uint turn = words.y + 0x20000000u;
  const float t = (float)(int)(words.y * 4 + 2) * 0x1p-31f;  // of pi / 4
  const float z = t * t;
  const float s = t * fma(fma(fma(-3.59504522e-05f, z, 0.00249000102f), z, -0.0807454325f), z, 0.785398161f);
  const float c = fma(fma(fma(-0.000319020024f, z, 0.0158502007f), z, -0.308424427f), z, 1.0f);
  const float signed_radius = as_float(as_uint(radius) ^ (turn & 0x80000000u));
  const bool swapped = (turn & 0x40000000u) != 0;
  return (float2)(fma(signed_radius, swapped ? -s : c, offset), fma(signed_radius, swapped ? c : s, offset));
}
#endif

// Normal numbers with mean 0 and standard deviation 1.
float2 random_normal2(uint2 words) {
  return quern_normal2(words, 1.0f, 0.0f);
}

float4 random_normal4(uint4 words) {
  return (float4)(random_normal2(words.xy), random_normal2(words.zw));
}

#ifdef QUERN_HAS_FP64
// Uniform in [0, 1) with 53 bits.
double random_uniform_double(uint2 words) {
  return fma((double)(int)(words.y >> 5), 0x1p-27, (double)(int)(words.x >> 6) * 0x1p-53);
}

double2 random_uniform2_double(uint4 words) {
  return (double2)(random_uniform_double(words.xy), random_uniform_double(words.zw));
}

// The midpoint in (0, 1) given by 52 bits.
double quern_middle(ulong bits) {
  return as_double(bits | 0x3ff0000000000000ul) - (1.0 - 0x1p-53);
}

double quern_minus_2_log_double(uint2 words) {
  const ulong bits = (((ulong)words.y << 32) | words.x) >> 12;
  const double u = quern_middle(bits);
  const uint upper = (uint)(as_ulong(u) >> 32) - 0x3fe6a09eu;
  const int exponent = (int)upper >> 20;
  const double m = as_double(as_ulong(u) - ((ulong)(upper & 0xfff00000u) << 32));
  const double f = exponent == 0 ? -quern_middle(bits ^ 0xffffffffffffful) : m - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  double q = 1.0 / 21;  // -2 ln(1 + f) = -4 (s + s^3 / 3 + s^5 / 5 + ...)
  q = fma(q, z, 1.0 / 19);
  q = fma(q, z, 1.0 / 17);
  q = fma(q, z, 1.0 / 15);
  q = fma(q, z, 1.0 / 13);
  q = fma(q, z, 1.0 / 11);
  q = fma(q, z, 1.0 / 9);
  q = fma(q, z, 1.0 / 7);
  q = fma(q, z, 1.0 / 5);
  q = fma(q, z, 1.0 / 3);
  return fma((double)exponent, -1.3862943611198906, -4.0 * fma(s * z, q, s));
}

// Exponential with mean 1, at most 36.7.
double random_exponential_double(uint2 words) {
  return 0.5 * quern_minus_2_log_double(words);
}

// Like random_normal2, at most 8.57.
double2 random_normal2_double(uint4 words) {
  const double radius = sqrt(quern_minus_2_log_double(words.xy));
  const ulong angle = ((ulong)words.w << 32) | words.z;
  const double a = quern_middle((angle << 3) >> 12) * 0.78539816339744831;
  const double z = a * a;
  double s = -1.0 / 1307674368000;  // 1 / 15!, 1 / 13!, ...
  s = fma(s, z, 1.0 / 6227020800);
  s = fma(s, z, -1.0 / 39916800);
  s = fma(s, z, 1.0 / 362880);
  s = fma(s, z, -1.0 / 5040);
  s = fma(s, z, 1.0 / 120);
  s = fma(s, z, -1.0 / 6);
  s = fma(a * z, s, a);
  double c = 1.0 / 20922789888000;  // 1 / 16!, 1 / 14!, ...
  c = fma(c, z, -1.0 / 87178291200);
  c = fma(c, z, 1.0 / 479001600);
  c = fma(c, z, -1.0 / 3628800);
  c = fma(c, z, 1.0 / 40320);
  c = fma(c, z, -1.0 / 720);
  c = fma(c, z, 1.0 / 24);
  c = fma(c, z, -0.5);
  c = fma(c, z, 1.0);
  const bool swapped = (words.w & 0x20000000u) != 0;
  const double x = radius * (swapped ? s : c), y = radius * (swapped ? c : s);
  return (double2)(as_double(as_ulong(x) ^ ((ulong)(words.w & 0x80000000u) << 32)),
                   as_double(as_ulong(y) ^ ((ulong)((words.w << 1) & 0x80000000u) << 32)));
}
#endif
#endif
