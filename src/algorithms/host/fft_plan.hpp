// SPDX-License-Identifier: MIT
// The steps and tables of transforms on the host, and the functions that run them on this processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/fft.hpp"
#include "algorithms/host/fft_pass.hpp"

namespace quern::algorithms::fft_host {

// The most points of a pass, and of one whose points stay in the first caches.
inline constexpr std::int64_t kMostPoints = 4096, kFewPoints = 256;

// Bytes of scratch memory for a pass: two times the points and one row more; the twiddle factors of a pass
// lie in the half that is not used.
constexpr std::size_t scratch_for(std::int64_t points) {
  constexpr std::size_t kMostBytes = 64;  // of a SIMD register
  return static_cast<std::size_t>(2 * (points + 1)) * 2 * kMostBytes;
}

// The functions for the widest registers of this processor; for float and double.
template <class T>
const Blocks<T>& best_blocks();

// The number of groups of lines of a pass, each of which fills the lanes of a register.
inline std::int64_t groups_of(const FftPass& pass, std::int64_t lanes) {
  const std::int64_t first = pass.loops[0].length;
  return pass.lines() / first * ((first + lanes - 1) / lanes);
}

// Whether a pass needs the twiddle factors of a real line's spectrum.
inline bool has_spectrum(const FftPass& pass) {
  return pass.load == FftLoad::half_spectrum || pass.store == FftStore::spectrum;
}

// A pass with its steps, without twiddle factors between passes; and the numbers of its table.
Call call_of_pass(const FftPass& pass);
std::vector<double> step_numbers(const Call& call);

// Both passes over each line; and the numbers of the table of twiddle factors between them.
LineCall call_of_lines(const FftPass& first, const FftPass& second,
                       const std::array<FftLoop, kFftBatchLoops>& batch, std::int64_t lanes);
std::vector<double> twiddle_numbers(const LineCall& call);

}  // namespace quern::algorithms::fft_host
