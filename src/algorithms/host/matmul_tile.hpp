// SPDX-License-Identifier: MIT
// The innermost part of a matrix product on the host: the product of a panel of rows and a panel of columns,
// summed in registers. There is a version for each instruction set; the processor decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/instruction_sets.hpp"

namespace quern::algorithms {

template <class T>
struct Complex {
  T x = 0, y = 0;
};
template <class Item>
inline constexpr bool is_complex_item = false;
template <class T>
inline constexpr bool is_complex_item<Complex<T>> = true;

// An element of a bool array: products are `and`, sums `or`.
enum class Truth : std::uint8_t { no, yes };

// The product of a panel of `rows` rows and one of `columns` columns. For each step along the summed axis a
// panel holds its elements one after the other. `sum` writes the tile row by row.
template <class Item, class Sum = Item>
struct TileProduct {
  std::int64_t rows, columns;
  std::int64_t depth;  // steps for which a panel of columns stays in the first cache
  void (*sum)(const Item* a, const Item* b, std::int64_t depth, Sum* tile);
};

namespace tile {

using quern::has_avx2;
using quern::has_avx512;

// A vector of this many bytes, which compilers keep in a register if the processor has such registers.
template <class T, std::size_t kBytes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kBytes)));
  static constexpr std::int64_t kLength = kBytes / sizeof(T);
  // Panels and tiles are aligned to their elements only.
  static inline __attribute__((always_inline)) void load(Vector& vector, const T* from) {
    std::memcpy(&vector, from, kBytes);
  }
  static inline __attribute__((always_inline)) void store(T* to, const Vector& vector) {
    std::memcpy(to, &vector, kBytes);
  }
};

// Rows of a tile. With two vectors of columns, sums and operands fill the registers: 16, or 32 of AVX-512.
template <class Item, std::size_t kBytes>
constexpr std::int64_t rows_of() {
  const std::int64_t rows = kBytes == 64 ? 12 : kBytes == 32 ? 6 : 4;
  return is_complex_item<Item> ? rows / 2 : rows;
}
template <class Item, std::size_t kBytes>
constexpr std::int64_t columns_of() {
  return 2 * static_cast<std::int64_t>(kBytes / sizeof(Item));
}

// These functions are inlined, so that they are compiled for the instruction set of their caller.
template <std::size_t kBytes, class Item>
inline __attribute__((always_inline)) void sum_products(const Item* a, const Item* b, std::int64_t depth,
                                                        Item* tile) {
  constexpr std::int64_t kRows = rows_of<Item, kBytes>();
  using T = std::conditional_t<std::is_same_v<Item, Truth>, std::uint8_t, Item>;
  using L = Lanes<T, kBytes>;
  typename L::Vector sums[kRows][2] = {};
  const auto* left = reinterpret_cast<const T*>(a);
  const auto* right = reinterpret_cast<const T*>(b);
  for (std::int64_t k = 0; k < depth; ++k, left += kRows, right += 2 * L::kLength) {
    typename L::Vector first, second;
    L::load(first, right);
    L::load(second, right + L::kLength);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kRows; ++i) {
      if constexpr (std::is_same_v<Item, Truth>) {
        sums[i][0] |= left[i] & first;
        sums[i][1] |= left[i] & second;
      } else {
        sums[i][0] += left[i] * first;
        sums[i][1] += left[i] * second;
      }
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t v = 0; v < 2; ++v)
      L::store(reinterpret_cast<T*>(tile) + (2 * i + v) * L::kLength, sums[i][v]);
}

// For complex numbers: multiplies the real parts and the imaginary parts of the left operand separately with
// the right operand, and combines both sums at the end.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void sum_products(const Complex<T>* a, const Complex<T>* b,
                                                        std::int64_t depth, Complex<T>* tile) {
  constexpr std::int64_t kRows = rows_of<Complex<T>, kBytes>();
  using L = Lanes<T, kBytes>;
  typename L::Vector real[kRows][2] = {}, imaginary[kRows][2] = {};
  const T* left = &a->x;
  const T* right = &b->x;
  for (std::int64_t k = 0; k < depth; ++k, left += 2 * kRows, right += 2 * L::kLength) {
    typename L::Vector first, second;
    L::load(first, right);
    L::load(second, right + L::kLength);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kRows; ++i) {
      real[i][0] += left[2 * i] * first;
      real[i][1] += left[2 * i] * second;
      imaginary[i][0] += left[2 * i + 1] * first;
      imaginary[i][1] += left[2 * i + 1] * second;
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t v = 0; v < 2; ++v) {
      for (std::int64_t e = 0; e < L::kLength; e += 2)
        tile[i * L::kLength + (v * L::kLength + e) / 2] = {real[i][v][e] - imaginary[i][v][e + 1],
                                                           real[i][v][e + 1] + imaginary[i][v][e]};
    }
  }
}

template <class Item>
void sum_plain(const Item* a, const Item* b, std::int64_t depth, Item* tile) {
  sum_products<16>(a, b, depth, tile);
}
#if defined(__x86_64__)
template <class Item>
__attribute__((target("avx2,fma"))) void sum_avx2(const Item* a, const Item* b, std::int64_t depth,
                                                  Item* tile) {
  sum_products<32>(a, b, depth, tile);
}
template <class Item>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) void sum_avx512(const Item* a,
                                                                                  const Item* b,
                                                                                  std::int64_t depth,
                                                                                  Item* tile) {
  sum_products<64>(a, b, depth, tile);
}
#endif

template <class Item, std::size_t kBytes>
constexpr TileProduct<Item> product_of(void (*sum)(const Item*, const Item*, std::int64_t, Item*)) {
  return {rows_of<Item, kBytes>(), columns_of<Item, kBytes>(), kBytes == 64 ? 192 : 256, sum};
}

}  // namespace tile

// The size of the largest tile.
inline constexpr std::size_t kMostTileBytes = 12 * 2 * 64;

template <class Item, class Sum = Item>
const TileProduct<Item, Sum>& best_tile() {
  using namespace tile;
  static const TileProduct<Item> best = [] {
#if defined(__x86_64__)
    if (has_avx512()) return product_of<Item, 64>(&sum_avx512<Item>);
    if (has_avx2()) return product_of<Item, 32>(&sum_avx2<Item>);
#endif
    return product_of<Item, 16>(&sum_plain<Item>);
  }();
  return best;
}

}  // namespace quern::algorithms
