// SPDX-License-Identifier: MIT
// Products of 8-bit and 16-bit integers: two steps along the summed axis are one element of a panel, which
// the processor multiplies and adds by one instruction. Sums wrap in 32 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "algorithms/host/matmul_tile.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quern::algorithms {

// Two neighbours along the summed axis.
struct Pair {
  std::int16_t first = 0, second = 0;
};

// Whether panels of these elements consist of pairs. The sums of uint16 do not fit: its products need 17 bits
// with their sign.
template <class Type>
inline constexpr bool has_pairs =
#if defined(__x86_64__)
    std::is_same_v<Type, std::int8_t> || std::is_same_v<Type, std::uint8_t> ||
    std::is_same_v<Type, std::int16_t>;
#else
    false;
#endif

// The steps along the summed axis that one element of a panel holds, and the type of its products.
template <class Item>
inline constexpr std::int64_t steps_in = std::is_same_v<Item, Pair> ? 2 : 1;
template <class Item>
using SumOf = std::conditional_t<std::is_same_v<Item, Pair>, std::uint32_t, Item>;

// The elements of panels: pairs if the processor multiplies them.
template <class Type, class Item>
using PanelItem = std::conditional_t<has_pairs<Type>, Pair, Item>;

#if defined(__x86_64__)
namespace tile {

inline int word_of(const Pair& pair) {
  int word = 0;
  std::memcpy(&word, &pair, sizeof word);
  return word;
}

// As sum_products() of matmul_tile.hpp. Each is compiled for its own instructions, so they share no text.
inline void sum_pairs_sse2(const Pair* a, const Pair* b, std::int64_t depth, std::uint32_t* tile) {
  constexpr std::int64_t kRows = 4;
  __m128i sums[kRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += 8) {
    const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
    const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 4));
    for (std::int64_t i = 0; i < kRows; ++i) {
      const __m128i left = _mm_set1_epi32(word_of(a[i]));
      sums[i][0] = _mm_add_epi32(sums[i][0], _mm_madd_epi16(left, first));
      sums[i][1] = _mm_add_epi32(sums[i][1], _mm_madd_epi16(left, second));
    }
  }
  for (std::int64_t i = 0; i < 2 * kRows; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tile + 4 * i), sums[i / 2][i % 2]);
}

__attribute__((target("avx2"))) inline void sum_pairs_avx2(const Pair* a, const Pair* b, std::int64_t depth,
                                                           std::uint32_t* tile) {
  constexpr std::int64_t kRows = 6;
  __m256i sums[kRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += 16) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + 8));
#pragma GCC unroll 6
    for (std::int64_t i = 0; i < kRows; ++i) {
      const __m256i left = _mm256_set1_epi32(word_of(a[i]));
      sums[i][0] = _mm256_add_epi32(sums[i][0], _mm256_madd_epi16(left, first));
      sums[i][1] = _mm256_add_epi32(sums[i][1], _mm256_madd_epi16(left, second));
    }
  }
  for (std::int64_t i = 0; i < 2 * kRows; ++i)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile + 8 * i), sums[i / 2][i % 2]);
}

__attribute__((target("avx512f,avx512bw"))) inline void sum_pairs_avx512(const Pair* a, const Pair* b,
                                                                         std::int64_t depth,
                                                                         std::uint32_t* tile) {
  constexpr std::int64_t kRows = 12;
  __m512i sums[kRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += 32) {
    const __m512i first = _mm512_loadu_si512(b), second = _mm512_loadu_si512(b + 16);
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < kRows; ++i) {
      const __m512i left = _mm512_set1_epi32(word_of(a[i]));
      sums[i][0] = _mm512_add_epi32(sums[i][0], _mm512_madd_epi16(left, first));
      sums[i][1] = _mm512_add_epi32(sums[i][1], _mm512_madd_epi16(left, second));
    }
  }
  for (std::int64_t i = 0; i < 2 * kRows; ++i) _mm512_storeu_si512(tile + 16 * i, sums[i / 2][i % 2]);
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) inline void sum_pairs_vnni(const Pair* a,
                                                                                  const Pair* b,
                                                                                  std::int64_t depth,
                                                                                  std::uint32_t* tile) {
  constexpr std::int64_t kRows = 12;
  __m512i sums[kRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += 32) {
    const __m512i first = _mm512_loadu_si512(b), second = _mm512_loadu_si512(b + 16);
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < kRows; ++i) {
      const __m512i left = _mm512_set1_epi32(word_of(a[i]));
      sums[i][0] = _mm512_dpwssd_epi32(sums[i][0], left, first);
      sums[i][1] = _mm512_dpwssd_epi32(sums[i][1], left, second);
    }
  }
  for (std::int64_t i = 0; i < 2 * kRows; ++i) _mm512_storeu_si512(tile + 16 * i, sums[i / 2][i % 2]);
}

}  // namespace tile

template <>
inline const TileProduct<Pair, std::uint32_t>& best_tile<Pair, std::uint32_t>() {
  using namespace tile;
  static const TileProduct<Pair, std::uint32_t> best = [] {
    if (has_avx512())
      return TileProduct<Pair, std::uint32_t>{
          12, 32, 384, __builtin_cpu_supports("avx512vnni") != 0 ? &sum_pairs_vnni : &sum_pairs_avx512};
    if (has_avx2()) return TileProduct<Pair, std::uint32_t>{6, 16, 512, &sum_pairs_avx2};
    return TileProduct<Pair, std::uint32_t>{4, 8, 512, &sum_pairs_sse2};
  }();
  return best;
}
#endif

}  // namespace quern::algorithms
