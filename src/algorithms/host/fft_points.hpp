// SPDX-License-Identifier: MIT
// Moves points between lines in memory and the vectors of a transform (fft_lanes.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "algorithms/host/fft_lanes.hpp"

namespace quern::algorithms::fft_host {

// Rows of points of some lines in memory. Steps count real numbers.
struct Rows {
  std::int64_t row_step, lane_step;
  std::int64_t lanes;
  std::int64_t whole;                            // the first rows, which all lanes have
  std::int64_t any;                              // those that lane 0 has; others are zero or not written
  std::int64_t lane_point, point, count, first;  // to find the lanes of rows between
  // Lanes of a row that exist.
  [[nodiscard]] std::int64_t lanes_of(std::int64_t row) const {
    if (row < whole) return lanes;
    std::int64_t found = 0;
    while (found < lanes && first + row * point + found * lane_point < count) ++found;
    return found;
  }
};

template <class V, std::size_t... I>
QUERN_FFT_INLINE void take_evens(const V& a, const V& b, V& to, std::index_sequence<I...>) {
  to = __builtin_shufflevector(a, b, static_cast<int>(2 * I)...);
}
template <class V, std::size_t... I>
QUERN_FFT_INLINE void take_odds(const V& a, const V& b, V& to, std::index_sequence<I...>) {
  to = __builtin_shufflevector(a, b, static_cast<int>(2 * I + 1)...);
}
// Numbers of a and b in turn, from the first or the second half of each.
template <std::size_t kHalf, class V, std::size_t... I>
QUERN_FFT_INLINE void interleave(const V& a, const V& b, V& to, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  to = __builtin_shufflevector(a, b, static_cast<int>(I % 2 * n + I / 2 + kHalf * n / 2)...);
}
// The same for pairs of numbers.
template <std::size_t kHalf, class V, std::size_t... I>
QUERN_FFT_INLINE void interleave_pairs(const V& a, const V& b, V& to, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  to = __builtin_shufflevector(a, b,
                               static_cast<int>(I / 2 % 2 * n + 2 * (I / 4) + kHalf * (n / 2) + I % 2)...);
}

// Transposes a square of complex numbers, one row in each vector.
template <class V, std::size_t kNumbers>
QUERN_FFT_INLINE void transpose_square(V* rows) {
  constexpr std::size_t kSide = kNumbers / 2;
  using All = std::make_index_sequence<kNumbers>;
#pragma GCC unroll 8
  for (std::size_t round = 1; round < kSide; round *= 2) {
    V next[kSide];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      interleave_pairs<0>(rows[i], rows[i + kSide / 2], next[2 * i], All{});
      interleave_pairs<1>(rows[i], rows[i + kSide / 2], next[2 * i + 1], All{});
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide; ++i) rows[i] = next[i];
  }
}

// Copies one number of each point. `to` has a row of 2 * kCount numbers for each point.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void load_plane(const T* from, const Rows& rows, T* to) {
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  if (rows.lane_step == 1 && rows.lanes == kCount) {
    for (std::int64_t j = 0; j < rows.whole; ++j)
      std::memcpy(to + 2 * kCount * j, from + rows.row_step * j, kBytes);
  } else if (std::abs(rows.lane_step) < std::abs(rows.row_step)) {
    for (std::int64_t j = 0; j < rows.whole; ++j)
      for (std::int64_t lane = 0; lane < rows.lanes; ++lane)
        to[2 * kCount * j + lane] = from[rows.row_step * j + rows.lane_step * lane];
  } else {
    for (std::int64_t lane = 0; lane < rows.lanes; ++lane)
      for (std::int64_t j = 0; j < rows.whole; ++j)
        to[2 * kCount * j + lane] = from[rows.row_step * j + rows.lane_step * lane];
  }
  for (std::int64_t j = rows.whole; j < rows.any; ++j) {
    const std::int64_t lanes = rows.lanes_of(j);
    for (std::int64_t lane = 0; lane < kCount; ++lane)
      to[2 * kCount * j + lane] = lane < lanes ? from[rows.row_step * j + rows.lane_step * lane] : T{0};
  }
}
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void store_plane(const T* from, const Rows& rows, T* to) {
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  if (rows.lane_step == 1 && rows.lanes == kCount) {
    for (std::int64_t j = 0; j < rows.whole; ++j)
      std::memcpy(to + rows.row_step * j, from + 2 * kCount * j, kBytes);
  } else if (std::abs(rows.lane_step) < std::abs(rows.row_step)) {
    for (std::int64_t j = 0; j < rows.whole; ++j)
      for (std::int64_t lane = 0; lane < rows.lanes; ++lane)
        to[rows.row_step * j + rows.lane_step * lane] = from[2 * kCount * j + lane];
  } else {
    for (std::int64_t lane = 0; lane < rows.lanes; ++lane)
      for (std::int64_t j = 0; j < rows.whole; ++j)
        to[rows.row_step * j + rows.lane_step * lane] = from[2 * kCount * j + lane];
  }
  for (std::int64_t j = rows.whole; j < rows.any; ++j) {
    const std::int64_t lanes = rows.lanes_of(j);
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      to[rows.row_step * j + rows.lane_step * lane] = from[2 * kCount * j + lane];
  }
}

// Complex numbers: `swap` exchanges real and imaginary parts.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void load_complex(const T* from, const Rows& rows, bool swap, T* to) {
  using V = typename Lanes<T, kBytes>::V;
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount, kSide = kCount / 2;
  using All = std::make_index_sequence<kCount>;
  const std::int64_t x = swap ? kCount : 0, y = kCount - x;
  std::int64_t done = 0;
  if (rows.lane_step == 2 && rows.lanes == kCount) {
    for (; done < rows.whole; ++done) {
      V a, b, re, im;
      std::memcpy(&a, from + rows.row_step * done, kBytes);
      std::memcpy(&b, from + rows.row_step * done + kCount, kBytes);
      take_evens(a, b, re, All{});
      take_odds(a, b, im, All{});
      std::memcpy(to + 2 * kCount * done + x, &re, kBytes);
      std::memcpy(to + 2 * kCount * done + y, &im, kBytes);
    }
  } else if (rows.row_step == 2 && rows.lanes == kCount) {
    for (; done + kSide <= rows.whole; done += kSide) {
      V a[kSide], b[kSide];
#pragma GCC unroll 8
      for (std::int64_t lane = 0; lane < kSide; ++lane) {
        std::memcpy(&a[lane], from + 2 * done + rows.lane_step * lane, kBytes);
        std::memcpy(&b[lane], from + 2 * done + rows.lane_step * (lane + kSide), kBytes);
      }
      transpose_square<V, kCount>(a);
      transpose_square<V, kCount>(b);
#pragma GCC unroll 8
      for (std::int64_t i = 0; i < kSide; ++i) {
        V re, im;
        take_evens(a[i], b[i], re, All{});
        take_odds(a[i], b[i], im, All{});
        std::memcpy(to + 2 * kCount * (done + i) + x, &re, kBytes);
        std::memcpy(to + 2 * kCount * (done + i) + y, &im, kBytes);
      }
    }
  }
  Rows rest = rows;
  rest.first += done * rows.point;
  rest.whole -= done;
  rest.any -= done;
  load_plane<T, kBytes>(from + rows.row_step * done, rest, to + 2 * kCount * done + x);
  load_plane<T, kBytes>(from + rows.row_step * done + 1, rest, to + 2 * kCount * done + y);
}

// Stores a vector. With kStreams it goes around the caches, which saves reading the memory that it replaces;
// `to` is then a multiple of the vector's size, which is that of a cache line.
template <bool kStreams, class V, class T>
QUERN_FFT_INLINE void store_vector(T* to, const V& vector) {
#if defined(__x86_64__)
  if constexpr (kStreams && sizeof(V) == 64) {
#if defined(__clang__)
    __builtin_nontemporal_store(vector, reinterpret_cast<V*>(to));
#else
    asm volatile("vmovntps %1, %0" : "=m"(*reinterpret_cast<V*>(to)) : "v"(vector));
#endif
    return;
  }
#endif
  std::memcpy(to, &vector, sizeof vector);
}
// Orders streamed vectors before what the thread stores next.
QUERN_FFT_INLINE void end_streams() {
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#endif
}

// The rows that store_complex() stores by vectors; returns their number.
template <class T, std::size_t kBytes, bool kStreams>
QUERN_FFT_INLINE std::int64_t store_vectors(const T* from, const Rows& rows, bool swap, T* to) {
  using V = typename Lanes<T, kBytes>::V;
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount, kSide = kCount / 2;
  using All = std::make_index_sequence<kCount>;
  const std::int64_t x = swap ? kCount : 0, y = kCount - x;
  std::int64_t done = 0;
  if (rows.lane_step == 2) {
    for (; done < rows.whole; ++done) {
      V a, b, re, im;
      std::memcpy(&re, from + 2 * kCount * done + x, kBytes);
      std::memcpy(&im, from + 2 * kCount * done + y, kBytes);
      interleave<0>(re, im, a, All{});
      interleave<1>(re, im, b, All{});
      store_vector<kStreams>(to + rows.row_step * done, a);
      store_vector<kStreams>(to + rows.row_step * done + kCount, b);
    }
    return done;
  }
  for (; done + kSide <= rows.whole; done += kSide) {
    V a[kSide], b[kSide];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kSide; ++i) {
      V re, im;
      std::memcpy(&re, from + 2 * kCount * (done + i) + x, kBytes);
      std::memcpy(&im, from + 2 * kCount * (done + i) + y, kBytes);
      interleave<0>(re, im, a[i], All{});
      interleave<1>(re, im, b[i], All{});
    }
    transpose_square<V, kCount>(a);
    transpose_square<V, kCount>(b);
#pragma GCC unroll 8
    for (std::int64_t lane = 0; lane < kSide; ++lane) {
      store_vector<kStreams>(to + 2 * done + rows.lane_step * lane, a[lane]);
      store_vector<kStreams>(to + 2 * done + rows.lane_step * (lane + kSide), b[lane]);
    }
  }
  return done;
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void store_complex(const T* from, const Rows& rows, bool swap, bool streams, T* to) {
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  const std::int64_t x = swap ? kCount : 0, y = kCount - x;
  std::int64_t done = 0;
  if (rows.lanes == kCount && (rows.lane_step == 2 || rows.row_step == 2)) {
    const auto step = static_cast<std::uintptr_t>(rows.lane_step == 2 ? rows.row_step : rows.lane_step);
    const bool is_aligned = (reinterpret_cast<std::uintptr_t>(to) | step * sizeof(T)) % kBytes == 0;
    done = streams && is_aligned ? store_vectors<T, kBytes, true>(from, rows, swap, to)
                                 : store_vectors<T, kBytes, false>(from, rows, swap, to);
  }
  Rows rest = rows;
  rest.first += done * rows.point;
  rest.whole -= done;
  rest.any -= done;
  store_plane<T, kBytes>(from + 2 * kCount * done + x, rest, to + rows.row_step * done);
  store_plane<T, kBytes>(from + 2 * kCount * done + y, rest, to + rows.row_step * done + 1);
}

}  // namespace quern::algorithms::fft_host
