// SPDX-License-Identifier: MIT
// Products on the host in which one operand is zero on one side of a diagonal: most of that side is skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "algorithms/host/matmul_call.hpp"
#include "algorithms/triangle_steps.hpp"

namespace quern::algorithms {

// The lines of a block on a triangle's diagonal are copied with zeros to memory of this many bytes.
inline constexpr std::size_t kTriangleBytes = std::size_t{512} << 10;
// The most lines of a triangular operand in a block.
inline std::int64_t triangle_lines(std::size_t itemsize) {
  return itemsize <= 8 ? 256 : 176;
}

// Copies steps of an operand, with zeros where it is not kept. The result's steps are contiguous.
template <class Type>
Part copy_triangle(const Part& from, const KeptPart& kept, std::int64_t line, TriangleSteps::Range steps,
                   std::byte* scratch) {
  auto* const to = reinterpret_cast<Type*>(scratch);
  for (std::int64_t i = 0; i < from.lines; ++i) {
    for (std::int64_t k = steps.begin; k < steps.end; ++k) {
      const std::int64_t past = k - (line + i + kept.diagonal);
      const bool is_kept = kept.side == KeptPart::Side::from_diagonal ? past >= 0 : past <= 0;
      to[i * steps.size() + k - steps.begin] =
          is_kept ? load<Type>(from.at + i * from.line_step + k * from.depth_step) : Type{};
    }
  }
  constexpr std::int64_t kItem{sizeof(Type)};
  return {scratch, steps.size() * kItem, kItem, from.lines, steps.size()};
}

template <class Type>
Type zero_times(Type value) {
  return value * Type{0};
}
template <class T>
Complex<T> zero_times(Complex<T> value) {
  const T both = value.x * T{0} + value.y * T{0};
  return {both, both};
}

// Calls spoil(line) for each line of the other operand that has an infinity or NaN among the skipped steps:
// zero times that is NaN, as in a product without a shortcut.
template <class Type, class Spoil>
void find_spoilt_lines(const Part& other, TriangleSteps::Range skipped, const Spoil& spoil) {
  constexpr std::int64_t kSome = 64;
  for (std::int64_t first = 0; first < other.lines; first += kSome) {
    const std::int64_t count = std::min(kSome, other.lines - first);
    Type sums[kSome] = {};
    const std::byte* const at = other.at + first * other.line_step;
    const auto add = [&](std::int64_t i, std::int64_t k) {
      sums[i] = added(sums[i], zero_times(load<Type>(at + i * other.line_step + k * other.depth_step)));
    };
    if (other.line_step == std::int64_t{sizeof(Type)}) {
      for (std::int64_t k = skipped.begin; k < skipped.end; ++k)
        for (std::int64_t i = 0; i < count; ++i) add(i, k);
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = skipped.begin; k < skipped.end; ++k) add(i, k);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      bool is_spoilt = false;
      if constexpr (is_complex_item<Type>)
        is_spoilt = std::isnan(sums[i].x);
      else
        is_spoilt = std::isnan(sums[i]);
      if (is_spoilt) spoil(first + i);
    }
  }
}

}  // namespace quern::algorithms
