// SPDX-License-Identifier: MIT
// Turns random words into numbers of a distribution. Both kernels that fill memory and lazy expressions call
// these functions. Needs random.cl. `a` and `b` are computed from the distribution's parameters.

// Returns four words, which depend only on the counter and the key.
uint4 quern_block(uint4 counter, uint4 key, bool is_threefry) {
  return is_threefry ? threefry4x32(counter, key) : philox4x32(counter, key.xy);
}

float quern_uniform_float(uint word, float a, float b) {
  return fma((float)(int)(word >> 8), a, b);  // random_uniform(word) with the factor 2^-24 included in a
}

float2 quern_normal_float(uint2 words, float a, float b) {
  return quern_normal2(words, a, b);
}

float2 quern_lognormal_float(uint2 words, float a, float b) {
  const float2 normal = quern_normal2(words, a, b);
  return (float2)(exp(normal.x), exp(normal.y));
}

float quern_exponential_float(uint word, float a, float b) {
  return random_exponential(word) * a;
}

#ifdef QUERN_HAS_FP64
double quern_uniform_double(uint2 words, double a, double b) {
  return fma(random_uniform_double(words), a, b);
}

double2 quern_normal_double(uint4 words, double a, double b) {
  const double2 normal = random_normal2_double(words);
  return (double2)(fma(normal.x, a, b), fma(normal.y, a, b));
}

double2 quern_lognormal_double(uint4 words, double a, double b) {
  const double2 normal = quern_normal_double(words, a, b);
  return (double2)(exp(normal.x), exp(normal.y));
}

double quern_exponential_double(uint2 words, double a, double b) {
  return random_exponential_double(words) * a;
}
#endif

// Lemire's method for an integer below a: the upper half of word * a. If the lower half is below b, the word
// is rejected, because its result would be too frequent. a = 0 means all integers of the type.
uint quern_integer_uint(uint word, uint a) {
  return a == 0 ? word : (uint)((ulong)word * a >> 32);
}

bool quern_refuses_uint(uint word, uint a, uint b) {
  return word * a < b;
}

ulong quern_whole(uint2 words) {
  return (ulong)words.y << 32 | words.x;
}

ulong quern_integer_ulong(uint2 words, ulong a) {
  const ulong word = quern_whole(words);
  return a == 0 ? word : mul_hi(word, a);
}

bool quern_refuses_ulong(uint2 words, ulong a, ulong b) {
  return quern_whole(words) * a < b;
}

// Replaces rejected words. The counter contains the element's position in the stream and the number of the
// attempt, which is 0 for ordinary blocks.
uint quern_other_uint(ulong place, uint stream, uint4 key, bool is_threefry, uint a, uint b) {
  for (uint attempt = 1;; ++attempt) {
    const uint4 block = quern_block((uint4)((uint)place, (uint)(place >> 32), stream, attempt), key, is_threefry);
    const uint words[4] = {block.x, block.y, block.z, block.w};
    for (int k = 0; k < 4; ++k)
      if (!quern_refuses_uint(words[k], a, b)) return quern_integer_uint(words[k], a);
  }
}

ulong quern_other_ulong(ulong place, uint stream, uint4 key, bool is_threefry, ulong a, ulong b) {
  for (uint attempt = 1;; ++attempt) {
    const uint4 block = quern_block((uint4)((uint)place, (uint)(place >> 32), stream, attempt), key, is_threefry);
    if (!quern_refuses_ulong(block.xy, a, b)) return quern_integer_ulong(block.xy, a);
    if (!quern_refuses_ulong(block.zw, a, b)) return quern_integer_ulong(block.zw, a);
  }
}
