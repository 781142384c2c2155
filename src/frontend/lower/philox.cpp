// SPDX-License-Identifier: MIT
// quern_philox_words: computes 16 blocks of Philox4x32-10 at once. It is written with vector types, because
// gcc does not recognise that a product of 32-bit numbers in 64-bit lanes is one instruction, and takes three
// times as long for the plain loop.
#include "frontend/lower/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::string_view kPhiloxWords =
    R"c((quern_uint4 start, quern_uint2 key, unsigned *words) {
  const unsigned long long first = (unsigned long long)start.s1 << 32 | start.s0;
#if defined(__AVX2__)
  typedef unsigned long long wide __attribute__((vector_size(32)));
  typedef int narrow __attribute__((vector_size(32)));
  typedef unsigned long long stored __attribute__((vector_size(32), aligned(4), may_alias));
  const wide m = (wide){} + 0xd2511f53ull, n = (wide){} + 0xcd9e8d57ull;
  /* The lower half of each lane counts; what the upper one holds, no product sees. */
  for (int i = 0; i < 16; i += 8) {
    wide x[2], y[2], z[2], w[2];
    unsigned k = key.s0, l = key.s1;
    for (int v = 0; v < 2; ++v) {
      const wide c = (wide){0, 2, 1, 3} + (first + (unsigned long long)(i + 4 * v));
      x[v] = c; y[v] = c >> 32; z[v] = (wide){} + start.s2; w[v] = (wide){} + start.s3;
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const wide kk = (wide){} + k, ll = (wide){} + l;
      for (int v = 0; v < 2; ++v) {
#ifdef __clang__
        const wide p = (x[v] & 0xffffffffull) * m, q = (z[v] & 0xffffffffull) * n;
#else
        const wide p = (wide)__builtin_ia32_pmuludq256((narrow)x[v], (narrow)m);
        const wide q = (wide)__builtin_ia32_pmuludq256((narrow)z[v], (narrow)n);
#endif
        x[v] = (q >> 32) ^ y[v] ^ kk; z[v] = (p >> 32) ^ w[v] ^ ll; y[v] = q; w[v] = p;
      }
      k += 0x9e3779b9u; l += 0xbb67ae85u;
    }
    for (int v = 0; v < 2; ++v) {
      const wide a = (x[v] & 0xffffffffull) | y[v] << 32, b = (z[v] & 0xffffffffull) | w[v] << 32;
      stored *const to = (stored *)(words + 4 * (i + 4 * v));
#ifdef __clang__
      to[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6); to[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
      to[0] = __builtin_shuffle(a, b, (wide){0, 4, 2, 6}); to[1] = __builtin_shuffle(a, b, (wide){1, 5, 3, 7});
#endif
    }
  }
#else
  for (int i = 0; i < 16; ++i) {
    const unsigned long long c = first + (unsigned long long)i;
    unsigned x = (unsigned)c, y = (unsigned)(c >> 32), z = start.s2, w = start.s3, k = key.s0, l = key.s1;
    for (int round = 0; round < 10; ++round) {
      const unsigned long long p = x * 0xd2511f53ull, q = z * 0xcd9e8d57ull;
      x = (unsigned)(q >> 32) ^ y ^ k; z = (unsigned)(p >> 32) ^ w ^ l; y = (unsigned)q; w = (unsigned)p;
      k += 0x9e3779b9u; l += 0xbb67ae85u;
    }
    words[4 * i] = x; words[4 * i + 1] = y; words[4 * i + 2] = z; words[4 * i + 3] = w;
  }
#endif
})c";

}  // namespace

std::string DeviceFunctions::philox_words(const std::vector<std::string>& arguments) {
  out_.helper("quern_philox_words", "void quern_philox_words" + std::string(kPhiloxWords));
  return "quern_philox_words(" + arguments[0] + ", " + arguments[1] + ", " + arguments[2] + ")";
}

}  // namespace quern::frontend::lower
