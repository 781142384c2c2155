// SPDX-License-Identifier: MIT
// Fourier transforms of many lines: how they are divided into passes, and the functions that run them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/fft_form.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

using codegen::FftLoad;
using codegen::FftStore;
using codegen::kFftLoops;

// A loop over lines. Steps count elements, points are added to the numbers of the points.
struct FftLoop {
  std::int64_t length = 1;
  std::int64_t in_step = 0, out_step = 0;
  std::int64_t in_point = 0, out_point = 0;
  std::int64_t batch = -1;  // its number among the loops over lines; -1 for parts of a line
  bool operator==(const FftLoop&) const = default;
};
inline constexpr std::size_t kFftBatchLoops = 3;  // the others belong to lengths of several passes
inline constexpr std::size_t kMostFftPasses = 4;

struct FftSide {
  std::int64_t start = 0, step = 1;  // elements: that of point 0, from element to element of a line
  std::int64_t count = 0;            // elements of a line in memory; those behind are zero or not written
  std::int64_t point = 1;            // numbers of points from point to point of a pass
  bool operator==(const FftSide&) const = default;
};

// Transforms of n points each. Plain data: kernels of the host get a copy.
struct FftPass {
  std::int64_t n = 1;
  FftLoad load = FftLoad::complex;
  FftStore store = FftStore::complex;
  FftSide in, out;
  std::array<FftLoop, kFftLoops> loops;  // neighbouring lanes of a SIMD register or work-group are in loop 0
  std::int64_t loop_count = 1;
  // If not 0: point k of the line with index t in loop `twiddle_loop` is multiplied by exp(-2 pi i t k /
  // twiddle_n).
  std::int64_t twiddle_n = 0, twiddle_loop = 0;
  // Exchanging real and imaginary parts before and after makes a transform an inverse one.
  bool swaps_in = false, swaps_out = false;
  double scale = 1;

  [[nodiscard]] std::int64_t lines() const {
    std::int64_t count = 1;
    for (const FftLoop& loop : loops) count *= loop.length;
    return count;
  }
};

// An expression that is computed while elements are loaded or stored, with its operands.
struct FftFused {
  codegen::FftExpression text;
  struct Operand {
    Buffer buffer;                                     // of an array
    std::int64_t start = 0, step = 0;                  // as those of FftSide
    std::array<std::int64_t, kFftBatchLoops> batch{};  // elements from line to line
    std::array<std::byte, 16> number{};                // of a number, which has this many bytes
    std::size_t nbytes = 0;
  };
  std::vector<Operand> operands;  // the arguments of the expression without the transform's element
};

// What transforms along one axis compute, whatever memory they use.
struct FftLayout {
  Scalar real = Scalar::float32;  // type of real and imaginary parts
  FftLoad load = FftLoad::complex;
  FftStore store = FftStore::complex;
  std::int64_t n =
      1;  // points of the complex transform, which is half the length for real lines of even length
  bool is_inverse = false;
  double scale = 1;
  FftSide in, out;
  std::array<FftLoop, kFftBatchLoops> batch;
  bool operator==(const FftLayout&) const = default;
};

// Transforms along one axis.
struct FftLines : FftLayout {
  Buffer from, to;                                // `from` is not used if elements are computed
  std::shared_ptr<const FftFused> before, after;  // null if elements are loaded or stored as they are
};

// Whether fft() takes a length; lengths with larger prime factors need Bluestein's algorithm.
bool has_small_factors(const Queue& queue, std::int64_t n);
// The smallest length of small factors that is at least n.
std::int64_t next_fast_length(std::int64_t n, std::int64_t most_factor = 11);
// Factors of a length, each of which is a step of a pass. `most` is the largest power of two among them.
std::vector<int> fft_radices(std::int64_t n, int most);

// The number of points that one pass transforms on the queue's device. Passes of half_spectrum and spectrum
// need a length of one pass.
std::int64_t most_points_of_pass(const Queue& queue, Scalar real);
// Whether a library transforms lines on the queue's device.
bool has_fft_library(const Queue& queue);
// Enqueues the transforms by a library, without the factor `scale`. Lengths may have any factors. Returns
// false if no library takes them. A library takes no expressions.
bool fft_by_library(const Queue& queue, const FftLines& lines);
// Enqueues the transforms by our own kernels. The memory of `from` and `to` may be the same if their layouts
// are. Only generated kernels compute expressions.
void fft(const Queue& queue, const FftLines& lines);

// Bluestein's algorithm by one function, for lines of complex or real elements of any length n: `twiddles`
// has exp(-pi i k^2 / n), `response` the transform of the filter of m points, divided by m. Returns false if
// m does not suit. For devices of which Policy::transforms_any_length_at_once says that they have the
// function.
bool fft_by_chirp(const Queue& queue, const FftLines& lines, std::int64_t m, const Buffer& twiddles,
                  const Buffer& response);

// Tables of exp(-2 pi i k / n), in device memory. They are kept for contexts that live as long as the
// process, up to a limit of entries and bytes.
Array fft_table(const Queue& queue, Scalar real, std::int64_t n, std::int64_t count);
// For all k < n by a product of two factors: 2^shift fine ones, then the coarse ones.
struct FftTwiddles {
  Array table;
  int shift;
};
FftTwiddles fft_twiddles(const Queue& queue, Scalar real, std::int64_t n);
struct FftTableUse {
  std::size_t entries, bytes;
};
FftTableUse fft_table_use();

}  // namespace quern::algorithms
