// SPDX-License-Identifier: MIT
// The structure of a kernel that runs one pass of Fourier transforms, and its text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  int turn_loop = -1;                                // -1: points are not turned
  bool loads_across = false, stores_across = false;  // neighbouring work-items have neighbouring lines
  bool checks_in = false, checks_out = false;        // not all points are in memory
  bool is_in_place = false;                          // one buffer holds input and output
  bool is_unit_in = false, is_unit_out = false;      // neighbouring points are neighbours in memory
  bool is_wide = false;                              // groups or turns need 64-bit numbers

  [[nodiscard]] int group() const { return lanes * threads; }
  [[nodiscard]] std::string key() const;
};

// Kernel `fft`. Its parameters: from and to (only `to` in place), turns of n, turns of the spectrum, products
// of turns, numbers of both sides, numbers of each loop; fft_kernels.cpp of the algorithms passes them.
std::string emit_fft(const FftForm& form);

}  // namespace quern::codegen
