// SPDX-License-Identifier: MIT
// quern_philox_words: 24 blocks of Philox4x32-10 at once. gcc does not see that a product of 32-bit numbers
// in 64-bit lanes is one instruction, and takes three times as long for the plain loop.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::string_view kText =
    R"c((quern_uint4 start, quern_uint2 key, unsigned *words) {
#if defined(__AVX2__)
  if (start.s0 <= 0xffffffe8u) {
    typedef unsigned long long wide __attribute__((vector_size(32)));
    typedef int narrow __attribute__((vector_size(32)));
    typedef unsigned long long stored __attribute__((vector_size(32), aligned(4), may_alias));
    const wide none = {}, m = none + 0xd2511f53ull, n = none + 0xcd9e8d57ull;
#ifdef __clang__
#define quern_product(a, b) (((a) & 0xffffffffull) * (b))
#else
#define quern_product(a, b) ((wide)__builtin_ia32_pmuludq256((narrow)(a), (narrow)(b)))
#endif
    /* All counters differ in their first word alone, so half of the first two rounds is the same for all. */
    const unsigned long long q = start.s2 * 0xcd9e8d57ull;
    const unsigned long long p = ((unsigned)(q >> 32) ^ start.s1 ^ key.s0) * 0xd2511f53ull;
    unsigned k = key.s0 + 0x9e3779b9u, l = key.s1 + 0xbb67ae85u;
    const wide first = none + (start.s3 ^ key.s1), second = none + ((unsigned)q ^ k);
    const wide third = none + ((unsigned)(p >> 32) ^ l), fourth = none + (unsigned)p;
    const unsigned second_key = k, second_other = l;
    /* The lower half of each lane counts; what the upper one holds, no product sees. Three vectors side by side, since
       one round's product waits for the last one's; of four, some would leave the registers. */
#pragma GCC unroll 1
    for (unsigned i = 0; i < 24; i += 12) {
    wide x[3], y[3], z[3], w[3];
    k = second_key; l = second_other;
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v) {
      const wide counter = (wide){0, 2, 1, 3} + (unsigned long long)(start.s0 + i + 4 * (unsigned)v);
      const wide a = quern_product(counter, m), b = quern_product((a >> 32) ^ first, n);
      x[v] = (b >> 32) ^ second; z[v] = a ^ third; y[v] = b; w[v] = fourth;
    }
#pragma GCC unroll 8
    for (int round = 2; round < 10; ++round) {
      k += 0x9e3779b9u; l += 0xbb67ae85u;
      const wide kk = none + k, ll = none + l;
#pragma GCC unroll 3
      for (int v = 0; v < 3; ++v) {
        const wide a = quern_product(x[v], m), b = quern_product(z[v], n);
        x[v] = (b >> 32) ^ (y[v] ^ kk); z[v] = (a >> 32) ^ (w[v] ^ ll); y[v] = b; w[v] = a;
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v) {
      const wide a = (x[v] & 0xffffffffull) | y[v] << 32, b = (z[v] & 0xffffffffull) | w[v] << 32;
      stored *const to = (stored *)(words + 4 * i + 16 * v);
#ifdef __clang__
      to[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6); to[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
      to[0] = __builtin_shuffle(a, b, (wide){0, 4, 2, 6}); to[1] = __builtin_shuffle(a, b, (wide){1, 5, 3, 7});
#endif
    }
    }
#undef quern_product
    return;
  }
#endif
  const unsigned long long first = (unsigned long long)start.s1 << 32 | start.s0;
  for (int i = 0; i < 24; ++i) {
    const unsigned long long c = first + (unsigned long long)i;
    unsigned x = (unsigned)c, y = (unsigned)(c >> 32), z = start.s2, w = start.s3, k = key.s0, l = key.s1;
    for (int round = 0; round < 10; ++round) {
      const unsigned long long p = x * 0xd2511f53ull, q = z * 0xcd9e8d57ull;
      x = (unsigned)(q >> 32) ^ y ^ k; z = (unsigned)(p >> 32) ^ w ^ l; y = (unsigned)q; w = (unsigned)p;
      k += 0x9e3779b9u; l += 0xbb67ae85u;
    }
    words[4 * i] = x; words[4 * i + 1] = y; words[4 * i + 2] = z; words[4 * i + 3] = w;
  }
})c";

}  // namespace

std::string Emitter::philox_words(const std::vector<std::string>& arguments) {
  helper("quern_philox_words", qualifiers() + "void quern_philox_words" + std::string(kText));
  return "quern_philox_words(" + arguments[0] + ", " + arguments[1] + ", " + arguments[2] + ")";
}

}  // namespace quern::frontend::lower
