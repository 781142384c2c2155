// SPDX-License-Identifier: MIT
// Products of small float32 and float64 matrices on the host: the left operand is read where it is, the right
// one is copied only if its rows are not whole vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/matmul_call.hpp"
#include "algorithms/host/matmul_tile.hpp"

namespace quern::algorithms {

// The right operand: the elements of a step along the summed axis follow each other, and `pitch` elements,
// which are whole vectors, may be read.
template <class T>
struct SmallPanel {
  const std::byte* at;
  std::int64_t step;  // bytes from one step along the summed axis to the next
};

namespace tile {

// Four rows and up to two vectors of columns at once.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void multiply_panel(const Part& a, const SmallPanel<T>& b,
                                                          std::int64_t columns, const Target<T>& to,
                                                          bool adds) {
  using L = Lanes<T, kBytes>;
  constexpr std::int64_t kRows = 4;
  const auto strip = [&](std::int64_t j, auto vectors) __attribute__((always_inline)) {
    constexpr std::int64_t kVectors = decltype(vectors)::value;
    const std::int64_t count = std::min(columns - j, kVectors * L::kLength);
    for (std::int64_t i = 0; i < a.lines; i += kRows) {
      const std::byte* rows[kRows];  // a row that does not exist repeats the last one
      for (std::int64_t r = 0; r < kRows; ++r) rows[r] = a.at + std::min(i + r, a.lines - 1) * a.line_step;
      typename L::Vector sums[kRows][kVectors] = {};
      const std::byte* right = b.at + j * std::int64_t{sizeof(T)};
      for (std::int64_t k = 0; k < a.depth; ++k, right += b.step) {
        typename L::Vector vector[kVectors];
        for (std::int64_t v = 0; v < kVectors; ++v)
          L::load(vector[v], reinterpret_cast<const T*>(right) + v * L::kLength);
#pragma GCC unroll 4
        for (std::int64_t r = 0; r < kRows; ++r) {
          const T left = load<T>(rows[r] + k * a.depth_step);
#pragma GCC unroll 2
          for (std::int64_t v = 0; v < kVectors; ++v) sums[r][v] += left * vector[v];
        }
      }
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kRows; ++r) {
        if (i + r >= a.lines) break;
        T* const row = to.at + (i + r) * to.pitch + j;
        if (count == kVectors * L::kLength && !adds) {
          for (std::int64_t v = 0; v < kVectors; ++v) L::store(row + v * L::kLength, sums[r][v]);
          continue;
        }
        T parts[kVectors * L::kLength];
        for (std::int64_t v = 0; v < kVectors; ++v) L::store(parts + v * L::kLength, sums[r][v]);
        for (std::int64_t c = 0; c < count; ++c) row[c] = adds ? row[c] + parts[c] : parts[c];
      }
    }
  };
  for (std::int64_t j = 0; j < columns; j += 2 * L::kLength) {
    if (columns - j > L::kLength)
      strip(j, std::integral_constant<std::int64_t, 2>{});
    else
      strip(j, std::integral_constant<std::int64_t, 1>{});
  }
}

template <class T>
void multiply_panel_plain(const Part& a, const SmallPanel<T>& b, std::int64_t columns, const Target<T>& to,
                          bool adds) {
  multiply_panel<16>(a, b, columns, to, adds);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) void multiply_panel_avx2(const Part& a, const SmallPanel<T>& b,
                                                             std::int64_t columns, const Target<T>& to,
                                                             bool adds) {
  multiply_panel<32>(a, b, columns, to, adds);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) void multiply_panel_avx512(
    const Part& a, const SmallPanel<T>& b, std::int64_t columns, const Target<T>& to, bool adds) {
  multiply_panel<64>(a, b, columns, to, adds);
}
#endif

template <class T>
struct PanelProduct {
  std::int64_t length;  // of a vector
  void (*multiply)(const Part& a, const SmallPanel<T>& b, std::int64_t columns, const Target<T>& to,
                   bool adds);
};

// With the shortest vectors that hold so many columns, or the longest that the processor has.
template <class T>
PanelProduct<T> panel_product(std::int64_t columns) {
  constexpr std::int64_t kSize{sizeof(T)};
#if defined(__x86_64__)
  static const bool has_256 = has_avx2(), has_512 = has_avx512();
  if (has_512 && columns * kSize > 32) return {64 / kSize, &multiply_panel_avx512<T>};
  if (has_256 && columns * kSize > 16) return {32 / kSize, &multiply_panel_avx2<T>};
#endif
  return {16 / kSize, &multiply_panel_plain<T>};
}

}  // namespace tile

// Whether multiply_small_panel() takes a right operand of this size. It fits in the first cache.
inline constexpr std::int64_t kMostPanel = 4096;
inline bool is_small_panel(std::int64_t columns, std::int64_t depth) {
  return columns * depth <= kMostPanel && (columns + 15) / 16 * 16 * depth <= kMostPanel;
}

// The product of some rows and a small right operand, written to `to`, or added to what is there if `adds`.
template <class T>
void multiply_small_panel(const Part& a, const Part& b, const Target<T>& to, bool adds) {
  const tile::PanelProduct<T> product = tile::panel_product<T>(b.lines);
  if (b.line_step == std::int64_t{sizeof(T)} && b.lines % product.length == 0)
    return product.multiply(a, {b.at, b.depth_step}, b.lines, to, adds);
  const std::int64_t width = (b.lines + product.length - 1) / product.length * product.length;
  std::array<T, kMostPanel> panel;
  for (std::int64_t k = 0; k < b.depth; ++k) {
    T* const row = panel.data() + k * width;
    const std::byte* const from = b.at + k * b.depth_step;
    if (b.line_step == std::int64_t{sizeof(T)})
      std::memcpy(row, from, static_cast<std::size_t>(b.lines) * sizeof(T));
    else
      for (std::int64_t j = 0; j < b.lines; ++j) row[j] = load<T>(from + j * b.line_step);
    std::fill(row + b.lines, row + width, T{});
  }
  product.multiply(a, {reinterpret_cast<const std::byte*>(panel.data()), width * std::int64_t{sizeof(T)}},
                   b.lines, to, adds);
}

}  // namespace quern::algorithms
