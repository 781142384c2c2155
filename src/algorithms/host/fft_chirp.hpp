// SPDX-License-Identifier: MIT
// Bluestein's algorithm for lines of any length: a convolution with a chirp, by two transforms of a longer
// length. A line stays in the cache from its load to its store.
#pragma once

#include <algorithm>

#include "algorithms/host/fft_pass.hpp"

namespace quern::algorithms::fft_host {

struct ChirpCall {
  LineCall line;  // a transform of m points of contiguous memory; its batch is that of the lines
  std::int64_t n, m;
  FftSide in, out;
  bool is_real, is_inverse;
  double scale;
};

// Numbers of real and imaginary parts in turn: exp(-pi i k^2 / n), and the transform of the filter, divided
// by m.
template <class T>
struct Chirp {
  const T *twiddles, *response;
};

// `line` and `between` hold the m points of a line.
template <class T>
void run_chirp(const ChirpCall& call, const Memory<T>& memory, const Blocks<T>& blocks, const T* second_table,
               const Chirp<T>& chirp, T* line, T* between, std::int64_t first, std::int64_t last) {
  Memory<T> load = memory, store = memory;
  load.from = line;
  load.to = between;
  store.from = between;
  store.to = line;
  store.table = second_table;
  const auto transform_line = [&] {
    blocks.all(call.line.first, load);
    blocks.all(call.line.second, store);
  };
  const std::int64_t given = std::min(call.n, call.in.count);
  const T sign = static_cast<T>(call.is_inverse ? -1 : 1), scale = static_cast<T>(call.scale);
  for (std::int64_t number = first; number < last; ++number) {
    std::int64_t in = call.in.start, out = call.out.start, rest = number;
    for (const FftLoop& loop : call.line.batch) {
      in += rest % loop.length * loop.in_step;
      out += rest % loop.length * loop.out_step;
      rest /= loop.length;
    }
    const T* const w = chirp.twiddles;
    if (call.is_real) {
      const T* const from = memory.from + in;
      for (std::int64_t k = 0; k < given; ++k) {
        line[2 * k] = from[k * call.in.step] * w[2 * k];
        line[2 * k + 1] = from[k * call.in.step] * w[2 * k + 1];
      }
    } else {
      // An inverse transform is the conjugate of a transform of conjugates.
      const T* const from = memory.from + 2 * in;
      for (std::int64_t k = 0; k < given; ++k) {
        const T x = from[2 * k * call.in.step], y = sign * from[2 * k * call.in.step + 1];
        line[2 * k] = x * w[2 * k] - y * w[2 * k + 1];
        line[2 * k + 1] = x * w[2 * k + 1] + y * w[2 * k];
      }
    }
    std::fill(line + 2 * given, line + 2 * call.m, T{0});
    transform_line();
    // Exchanging real and imaginary parts before and after makes the second transform an inverse one.
    const T* const h = chirp.response;
    for (std::int64_t k = 0; k < call.m; ++k) {
      const T x = line[2 * k], y = line[2 * k + 1];
      line[2 * k] = x * h[2 * k + 1] + y * h[2 * k];
      line[2 * k + 1] = x * h[2 * k] - y * h[2 * k + 1];
    }
    transform_line();
    T* const to = memory.to + 2 * out;
    const std::int64_t count = std::min(call.n, call.out.count);
    for (std::int64_t k = 0; k < count; ++k) {
      const T x = line[2 * k + 1], y = line[2 * k];
      to[2 * k * call.out.step] = scale * (x * w[2 * k] - y * w[2 * k + 1]);
      to[2 * k * call.out.step + 1] = sign * scale * (x * w[2 * k + 1] + y * w[2 * k]);
    }
  }
}

}  // namespace quern::algorithms::fft_host
