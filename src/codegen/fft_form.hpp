// SPDX-License-Identifier: MIT
// The structure of a kernel that runs one pass of Fourier transforms, and its text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/expression.hpp"

namespace quern::codegen {

// How a pass reads its points from elements of the input.
enum class FftLoad : std::uint8_t {
  complex,
  real,
  pairs,          // a point is two neighbouring real elements
  half_spectrum,  // points of half the length, from the spectrum of a real line of even length
  odd_spectrum,   // the whole spectrum of a real line of odd length, from its first half
};
// How a pass writes its points.
enum class FftStore : std::uint8_t {
  complex,
  pairs,
  real,      // the real parts
  spectrum,  // the spectrum of a real line, whose pairs of elements were the points
};

// An expression that a pass computes for each element that it loads, or for each that it stores.
struct FftExpression {
  std::shared_ptr<const Expression> expression;      // of one output
  std::size_t point = static_cast<std::size_t>(-1);  // the argument that is the transform's element, if any

  [[nodiscard]] std::string key() const;
};

// The most loops over lines of a pass.
inline constexpr std::size_t kFftLoops = 6;

// A work-group transforms some lines of n points in local memory.
struct FftForm {
  bool is_double = false;
  std::int64_t n = 1;
  std::vector<int> radices;
  int lanes = 1;    // lines of a group
  int threads = 1;  // work-items of a line
  FftLoad load = FftLoad::complex;
  FftStore store = FftStore::complex;
  int loops = 1;
  int twiddle_loop = -1;                             // -1: points are not multiplied
  bool has_twiddle_table = false;                    // of all lines, for points of the last butterfly
  bool loads_across = false, stores_across = false;  // neighbouring work-items have neighbouring lines
  bool checks_in = false, checks_out = false;        // not all points are in memory
  bool is_in_place = false;                          // one buffer holds input and output
  bool is_unit_in = false, is_unit_out = false;      // neighbouring points are neighbours in memory
  bool has_tail = true;                              // the last group of a loop may have fewer lines
  bool is_wide = false;                              // groups or twiddle factors need 64-bit numbers
  int registers = 0;                                 // of a work-item, if the compiler may use no more
  std::optional<FftExpression> before, after;
  std::array<int, kFftLoops> batch{};  // for expressions: the axis of their operands for each loop, or -1

  [[nodiscard]] int group() const { return lanes * threads; }
  [[nodiscard]] std::size_t local_bytes() const;
  [[nodiscard]] std::string key() const;
};

// The twiddle factors of the steps: for each step those of its points 1, 2, 4, 8, ..., in each those for p =
// 0, 1, ... Calls f(k, n) for each number, which is exp(-2 pi i k / n).
template <class F>
void for_each_step_twiddle(std::int64_t n, const std::vector<int>& radices, F&& f) {
  std::int64_t s = 1;
  for (const int radix : radices) {
    const std::int64_t m = n / s / radix;
    for (std::int64_t j = 1; m > 1 && j < radix; j *= 2)
      for (std::int64_t p = 0; p < m; ++p) f(p * j, m * radix);
    s *= radix;
  }
}

// Kernel `fft`. fft_kernels.cpp of the algorithms passes its parameters.
std::string emit_fft(const FftForm& form);

}  // namespace quern::codegen
