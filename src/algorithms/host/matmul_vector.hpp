// SPDX-License-Identifier: MIT
// Products of a matrix and a vector on the host, which read the matrix once: sums along its lines if their
// elements follow each other, otherwise sums of its lines.
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
namespace tile {

// The steps of the summed axis whose elements of the vector stay in the first cache.
inline constexpr std::int64_t kVectorSteps = 2048;
// The bytes from which on a line of a matrix in the caches is read alone, in the order of its memory. Shorter
// lines are read in pairs, because adding the elements of a vector takes as long as reading several.
inline constexpr std::int64_t kLongLine = 3072;
// The bytes of a matrix that is likely to be in the second cache.
inline constexpr std::int64_t kSecondCache = std::int64_t{512} << 10;

// The sum of a vector's elements, by halves.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) T total(const typename Lanes<T, kBytes>::Vector& vector) {
  if constexpr (kBytes == sizeof(T)) {
    return vector[0];
  } else {
    typename Lanes<T, kBytes / 2>::Vector halves[2];
    std::memcpy(halves, &vector, kBytes);
    return total<kBytes / 2, T>(halves[0] + halves[1]);
  }
}

// The last elements of a line that fill no vector: the lanes of the line's last vector that `is_rest` marks.
template <std::size_t kBytes, class T>
struct Rest {
  using L = Lanes<T, kBytes>;
  std::int64_t count = 0;  // 0 if there is no rest, or if a line is shorter than a vector
  decltype(typename L::Vector{} < typename L::Vector{}) is_rest = {};
  typename L::Vector x = {};

  inline __attribute__((always_inline)) Rest(std::int64_t depth, const T* all) {
    if (depth < L::kLength) return;
    count = depth % L::kLength;
    for (std::int64_t lane = L::kLength - count; lane < L::kLength; ++lane) {
      is_rest[lane] = -1;
      x[lane] = all[depth - L::kLength + lane];
    }
  }
  inline __attribute__((always_inline)) void add(const T* line, std::int64_t depth,
                                                 typename L::Vector& sum) const {
    typename L::Vector last;
    L::load(last, line + depth - L::kLength);
    sum += (is_rest ? last : typename L::Vector{}) * x;
  }
};

// How sum_matrix() computes: it adds to what is there, and the whole matrix is likely to be in the caches.
struct SumOptions {
  bool adds = false, is_cached = true;
};

// Writes to[i] = sum of matrix(i, k) * x[k], or adds it. The elements of a line follow each other.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void sum_along_lines(const Part& matrix, const T* x, T* to,
                                                           SumOptions options) {
  using L = Lanes<T, kBytes>;
  const std::int64_t depth = matrix.depth;
  const Rest<kBytes, T> rest(depth, x);
  const auto lines = [&](std::int64_t i, auto number) __attribute__((always_inline)) {
    // Sums and operands fit the registers: 16, or 32 of AVX-512.
    constexpr std::int64_t kLines = decltype(number)::value, kVectors = kLines < 4 || kBytes == 64 ? 4 : 2;
    const T* line[kLines];
    for (std::int64_t r = 0; r < kLines; ++r)
      line[r] = reinterpret_cast<const T*>(matrix.at + (i + r) * matrix.line_step);
    typename L::Vector sums[kLines][kVectors] = {};
    const auto add_vectors = [&](std::int64_t k, auto vectors) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < decltype(vectors)::value; ++v) {
        typename L::Vector right;
        L::load(right, x + k + v * L::kLength);
#pragma GCC unroll 4
        for (std::int64_t r = 0; r < kLines; ++r) {
          typename L::Vector left;
          L::load(left, line[r] + k + v * L::kLength);
          sums[r][v] += left * right;
        }
      }
    };
    std::int64_t k = 0;
    for (; k + kVectors * L::kLength <= depth; k += kVectors * L::kLength)
      add_vectors(k, std::integral_constant<std::int64_t, kVectors>{});
    for (; k + L::kLength <= depth; k += L::kLength)
      add_vectors(k, std::integral_constant<std::int64_t, 1>{});
    if (rest.count > 0) {
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kLines; ++r) rest.add(line[r], depth, sums[r][1]);
    }
    T sum[kLines];
#pragma GCC unroll 4
    for (std::int64_t r = 0; r < kLines; ++r) {
#pragma GCC unroll 4
      for (std::int64_t v = 1; v < kVectors; ++v) sums[r][0] += sums[r][v];
      sum[r] = total<kBytes, T>(sums[r][0]);
    }
    for (std::int64_t single = k + rest.count; single < depth; ++single)
      for (std::int64_t r = 0; r < kLines; ++r)
        sum[r] += load<T>(reinterpret_cast<const std::byte*>(line[r] + single)) * x[single];
    for (std::int64_t r = 0; r < kLines; ++r) to[i + r] = options.adds ? to[i + r] + sum[r] : sum[r];
  };
  std::int64_t i = 0;
  // Memory is read faster at several places at once.
  if (!options.is_cached)
    for (; i + 4 <= matrix.lines; i += 4) lines(i, std::integral_constant<std::int64_t, 4>{});
  if (depth * std::int64_t{sizeof(T)} < kLongLine)
    for (; i + 2 <= matrix.lines; i += 2) lines(i, std::integral_constant<std::int64_t, 2>{});
  for (; i < matrix.lines; ++i) lines(i, std::integral_constant<std::int64_t, 1>{});
}

// The same. The elements of neighbouring lines follow each other; the sums of some lines stay in registers.
// Returns the lines that it has done.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) std::int64_t sum_lines_in_registers(const Part& matrix, const T* x,
                                                                          T* to, bool adds) {
  using L = Lanes<T, kBytes>;
  constexpr std::int64_t kVectors = kBytes == 64 ? 16 : 8;
  std::int64_t i = 0;
  for (; i + kVectors * L::kLength <= matrix.lines; i += kVectors * L::kLength) {
    typename L::Vector sums[kVectors] = {};
    if (adds)
      for (std::int64_t v = 0; v < kVectors; ++v) L::load(sums[v], to + i + v * L::kLength);
    const std::byte* from = matrix.at + i * matrix.line_step;
    for (std::int64_t k = 0; k < matrix.depth; ++k, from += matrix.depth_step) {
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) {
        typename L::Vector element;
        L::load(element, reinterpret_cast<const T*>(from) + v * L::kLength);
        sums[v] += x[k] * element;
      }
    }
    for (std::int64_t v = 0; v < kVectors; ++v) L::store(to + i + v * L::kLength, sums[v]);
  }
  return i;
}

// The same. The elements of neighbouring lines follow each other.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void sum_lines(const Part& matrix, const T* x, T* to, bool adds) {
  if (!adds) std::fill_n(to, matrix.lines, T{});
  const auto steps = [&](std::int64_t k, auto number) __attribute__((always_inline)) {
    constexpr std::int64_t kSteps = decltype(number)::value;
    const T* from[kSteps];
    for (std::int64_t s = 0; s < kSteps; ++s)
      from[s] = reinterpret_cast<const T*>(matrix.at + (k + s) * matrix.depth_step);
    std::int64_t i = 0;
    const auto add_vectors = [&](auto lanes, auto vectors) __attribute__((always_inline)) {
      using L = decltype(lanes);
      constexpr std::int64_t kVectors = decltype(vectors)::value;
      for (; i + kVectors * L::kLength <= matrix.lines; i += kVectors * L::kLength) {
        typename L::Vector sums[kVectors];
        for (std::int64_t v = 0; v < kVectors; ++v) L::load(sums[v], to + i + v * L::kLength);
#pragma GCC unroll 8
        for (std::int64_t s = 0; s < kSteps; ++s) {
#pragma GCC unroll 2
          for (std::int64_t v = 0; v < kVectors; ++v) {
            typename L::Vector element;
            L::load(element, from[s] + i + v * L::kLength);
            sums[v] += x[k + s] * element;
          }
        }
        for (std::int64_t v = 0; v < kVectors; ++v) L::store(to + i + v * L::kLength, sums[v]);
      }
    };
    add_vectors(Lanes<T, kBytes>{}, std::integral_constant<std::int64_t, 2>{});
    add_vectors(Lanes<T, kBytes>{}, std::integral_constant<std::int64_t, 1>{});
    if constexpr (kBytes > 16) add_vectors(Lanes<T, kBytes / 2>{}, std::integral_constant<std::int64_t, 1>{});
    for (; i < matrix.lines; ++i)
      for (std::int64_t s = 0; s < kSteps; ++s)
        to[i] += x[k + s] * load<T>(reinterpret_cast<const std::byte*>(from[s] + i));
  };
  std::int64_t k = 0;
  for (; k + 8 <= matrix.depth; k += 8) steps(k, std::integral_constant<std::int64_t, 8>{});
  for (; k < matrix.depth; ++k) steps(k, std::integral_constant<std::int64_t, 1>{});
}

template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void sum_matrix(const Part& matrix, const T* x, T* to,
                                                      SumOptions options) {
  constexpr std::int64_t kSize{sizeof(T)};
  if (matrix.depth_step == kSize) return sum_along_lines<kBytes>(matrix, x, to, options);
  // From the second cache, short pieces are read as fast as long ones.
  const std::int64_t done = matrix.lines * matrix.depth * kSize <= kSecondCache
                                ? sum_lines_in_registers<kBytes>(matrix, x, to, options.adds)
                                : 0;
  if (done == matrix.lines) return;
  const Part rest = {matrix.at + done * kSize, matrix.line_step, matrix.depth_step, matrix.lines - done,
                     matrix.depth};
  sum_lines<kBytes>(rest, x, to + done, options.adds);
}

template <class T>
void sum_matrix_plain(const Part& matrix, const T* x, T* to, SumOptions options) {
  sum_matrix<16>(matrix, x, to, options);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) void sum_matrix_avx2(const Part& matrix, const T* x, T* to,
                                                         SumOptions options) {
  sum_matrix<32>(matrix, x, to, options);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) void sum_matrix_avx512(const Part& matrix,
                                                                                         const T* x, T* to,
                                                                                         SumOptions options) {
  sum_matrix<64>(matrix, x, to, options);
}
#endif

template <class T>
auto best_sum_matrix() {
  static const auto best = [] {
#if defined(__x86_64__)
    if (has_avx512()) return &sum_matrix_avx512<T>;
    if (has_avx2()) return &sum_matrix_avx2<T>;
#endif
    return &sum_matrix_plain<T>;
  }();
  return best;
}

}  // namespace tile

// The product of some lines of a matrix and a vector, which is one line. `to` receives an element for each
// line of the matrix, one after the other. The whole matrix is likely to be in the caches if `is_cached`.
template <class Type, class Item, class Sum>
void multiply_vector(const Part& matrix, const Part& vector, Sum* to, bool is_cached) {
  constexpr std::int64_t kSize{sizeof(Type)};
  std::array<Item, tile::kVectorSteps> steps;
  for (std::int64_t k = 0; k < matrix.depth; k += tile::kVectorSteps) {
    const std::int64_t depth = std::min(tile::kVectorSteps, matrix.depth - k);
    const std::byte* const first = vector.at + k * vector.depth_step;
    const Item* x = steps.data();
    if constexpr (std::is_same_v<Type, Item>)
      if (vector.depth_step == kSize && reinterpret_cast<std::uintptr_t>(first) % alignof(Item) == 0)
        x = reinterpret_cast<const Item*>(first);
    if (x == steps.data())
      for (std::int64_t s = 0; s < depth; ++s)
        steps[static_cast<std::size_t>(s)] = converted<Item>(load<Type>(first + s * vector.depth_step));
    const Part part = {matrix.at + k * matrix.depth_step, matrix.line_step, matrix.depth_step, matrix.lines,
                       depth};
    if constexpr (std::is_same_v<Type, Sum> && std::is_floating_point_v<Type>) {
      if (part.depth_step == kSize || part.line_step == kSize) {
        tile::best_sum_matrix<Type>()(part, x, to, {k > 0, is_cached});
        continue;
      }
    }
    for (std::int64_t i = 0; i < part.lines; ++i) {
      auto sum = k > 0 ? converted<Item>(to[i]) : Item{};
      const std::byte* const line = part.at + i * part.line_step;
      for (std::int64_t s = 0; s < depth; ++s)
        sum = added(sum, multiplied(converted<Item>(load<Type>(line + s * part.depth_step)), x[s]));
      to[i] = converted<Sum>(sum);
    }
  }
}

}  // namespace quern::algorithms
