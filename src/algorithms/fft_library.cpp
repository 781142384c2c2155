// SPDX-License-Identifier: MIT
// Fourier transforms by a library: which lines it takes, and the calls.
#include <algorithm>
#include <array>

#include "algorithms/fft.hpp"
#include "libraries/cufft.hpp"
#include "runtime/allocation.hpp"

namespace quern::algorithms {
namespace {

// More calls than that cost more than our own kernels.
constexpr std::int64_t kMostCalls = 16;

struct Described {
  bool is_taken = false;
  libraries::CufftLines lines;
  std::int64_t out_unit = 1;  // elements of the output that the library counts as one
};

Described described(const FftLines& lines) {
  using libraries::CufftKind;
  Described result;
  const bool is_double = lines.real == Scalar::float64;
  const bool is_half = lines.load == FftLoad::half_spectrum || lines.load == FftLoad::odd_spectrum;
  const std::int64_t reals = lines.load == FftLoad::half_spectrum ? 2 * lines.n : lines.n;
  const bool is_whole_in = lines.in.count == (lines.load == FftLoad::pairs ? 2 * lines.n
                                              : is_half                    ? reals / 2 + 1
                                                                           : lines.n);
  result.lines = {CufftKind::complex,
                  is_double,
                  lines.is_inverse,
                  lines.n,
                  1,
                  &lines.from,
                  &lines.to,
                  lines.in.start,
                  lines.in.step,
                  0,
                  lines.out.start,
                  lines.out.step,
                  0};
  if (!is_whole_in || lines.in.step < 1 || lines.out.step < 1) return result;
  if (lines.load == FftLoad::complex && lines.store == FftStore::complex) {
    result.is_taken = lines.out.count == lines.n;
  } else if (lines.load == FftLoad::complex && lines.store == FftStore::pairs) {
    // Pairs of neighbouring real elements are complex ones.
    const bool is_aligned = std::all_of(lines.batch.begin(), lines.batch.end(), [](const FftLoop& loop) {
      return loop.length == 1 || loop.out_step % 2 == 0;
    });
    result.is_taken =
        lines.out.step == 1 && lines.out.start % 2 == 0 && is_aligned && lines.out.count == 2 * lines.n;
    result.out_unit = 2;
    result.lines.out_start /= 2;
  } else if (lines.load == FftLoad::pairs && lines.store == FftStore::spectrum) {
    result.lines.kind = CufftKind::real_to_complex;
    result.lines.n = 2 * lines.n;
    result.is_taken = lines.in.start % 2 == 0 && lines.out.count == lines.n + 1;
  } else if (lines.load == FftLoad::real && lines.store == FftStore::complex) {
    result.lines.kind = CufftKind::real_to_complex;
    result.is_taken = lines.in.start % 2 == 0 && lines.out.count == lines.n / 2 + 1 && lines.n > 1;
  } else if (is_half && (lines.store == FftStore::pairs || lines.store == FftStore::real)) {
    result.lines.kind = CufftKind::complex_to_real;
    result.lines.n = reals;
    result.is_taken = lines.out.start % 2 == 0 && lines.out.count == reals && lines.n > 1;
  }
  return result;
}

}  // namespace

bool has_fft_library(const Queue& queue) {
  return libraries::cufft_takes(queue);
}

bool fft_by_library(const Queue& queue, const FftLines& lines) {
  if (!has_fft_library(queue)) return false;
  Described one = described(lines);
  if (!one.is_taken) return false;
  // A call takes one loop over lines: the longest.
  std::array<FftLoop, kFftBatchLoops> loops = lines.batch;
  std::sort(loops.begin(), loops.end(),
            [](const FftLoop& a, const FftLoop& b) { return a.length > b.length; });
  const std::int64_t calls = loops[1].length * loops[2].length;
  if (calls > kMostCalls) return false;
  // If a call after the first one fails, our kernels start again from the input.
  if (calls > 1 && lines.from.allocation() == lines.to.allocation()) return false;
  one.lines.count = loops[0].length;
  one.lines.in_line = loops[0].length > 1 ? loops[0].in_step : std::max<std::int64_t>(lines.n, 1);
  one.lines.out_line = loops[0].length > 1 ? loops[0].out_step / one.out_unit : lines.n;
  if (one.lines.in_line < 1 || one.lines.out_line < 1) return false;
  const libraries::CufftLines first = one.lines;
  for (std::int64_t i = 0; i < loops[1].length; ++i) {
    for (std::int64_t j = 0; j < loops[2].length; ++j) {
      one.lines.in_start = first.in_start + i * loops[1].in_step + j * loops[2].in_step;
      one.lines.out_start = first.out_start + (i * loops[1].out_step + j * loops[2].out_step) / one.out_unit;
      if (!libraries::cufft_transform(queue, one.lines)) return false;
    }
  }
  return true;
}

}  // namespace quern::algorithms
