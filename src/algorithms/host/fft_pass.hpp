// SPDX-License-Identifier: MIT
// One pass of a transform for some groups of lines: loads points, runs the steps, stores points.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "algorithms/fft.hpp"
#include "algorithms/host/fft_points.hpp"

namespace quern::algorithms::fft_host {

struct Call {
  FftPass pass;
  std::array<Step, kMostSteps> steps;
  std::int64_t step_count;
  std::int64_t spectrum;       // index in the table of the twiddle factors of a real line's spectrum
  std::int64_t shift;          // of the table of products for pass.twiddle_n
  std::int64_t twiddle_split;  // a power of two near the root of n
  std::int64_t twiddle_pitch;  // if not 0: a table has all twiddle factors, with rows of this many real and
                               // imaginary parts
  bool streams;                // the result is too large for the caches
};

// Two passes over each line, whose points stay in the cache between them.
struct LineCall {
  Call first, second;
  std::array<FftLoop, kFftBatchLoops> batch;
};

template <class T>
struct Memory {
  const T* from;
  T* to;
  const T* table;
  const double* products;
  const T* all_twiddles;
  T* scratch;
};

// Where a group of lines begins.
struct Block {
  std::int64_t lanes;
  std::int64_t in, out;              // elements
  std::int64_t in_point, out_point;  // numbers of point 0 of lane 0
  std::int64_t twiddle,
      twiddle_step;  // index in the loop of twiddle factors, of lane 0 and from lane to lane

  Block(const FftPass& pass, std::int64_t number, std::int64_t most_lanes) {
    const FftLoop& first = pass.loops[0];
    const std::int64_t chunks = (first.length + most_lanes - 1) / most_lanes;
    std::int64_t index = number % chunks * most_lanes;
    number /= chunks;
    lanes = std::min(most_lanes, first.length - index);
    in = pass.in.start;
    out = pass.out.start;
    in_point = out_point = twiddle = 0;
    twiddle_step = pass.twiddle_loop == 0 ? 1 : 0;
    for (std::int64_t d = 0; d < pass.loop_count; ++d) {
      const FftLoop& loop = pass.loops[static_cast<std::size_t>(d)];
      if (d > 0) {
        index = number % loop.length;
        number /= loop.length;
      }
      in += index * loop.in_step;
      out += index * loop.out_step;
      in_point += index * loop.in_point;
      out_point += index * loop.out_point;
      if (d == pass.twiddle_loop) twiddle = index;
    }
  }
};

// Rows of one number in `per` of each point: number i of a line is element number * point + offset.
QUERN_FFT_INLINE Rows rows_of(const FftSide& side, const FftLoop& loop, std::int64_t lanes,
                              std::int64_t first, std::int64_t rows, std::int64_t per, std::int64_t width) {
  // `per` elements of the line make a point; an element is `width` numbers.
  Rows result;
  result.row_step = side.step * side.point * per * width;
  result.lane_step = (loop.in_step + loop.in_point * side.step * per) * width;
  result.lanes = lanes;
  result.lane_point = loop.in_point;
  result.point = side.point;
  result.first = first;
  result.count = side.count;
  const std::int64_t last = first + (lanes - 1) * loop.in_point;
  const auto within = [&](std::int64_t number) {
    return number >= side.count ? 0 : std::min(rows, (side.count - number + side.point - 1) / side.point);
  };
  result.whole = within(last);
  result.any = within(first);
  return result;
}
QUERN_FFT_INLINE FftLoop out_loop(const FftLoop& loop) {
  return {loop.length, loop.out_step, loop.in_step, loop.out_point, loop.in_point};
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void clear_rows(T* to, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kRow = 2 * Lanes<T, kBytes>::kCount;
  if (first < last)
    std::memset(to + kRow * first, 0, static_cast<std::size_t>((last - first) * kRow) * sizeof(T));
}

// Points of half the length from the spectrum of a real line, whose n + 1 rows are in `from`.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void combine_spectrum(const T* from_numbers, T* to_numbers, std::int64_t n,
                                       const T* twiddles, bool swap) {
  using V = typename Lanes<T, kBytes>::V;
  const V* const from = reinterpret_cast<const V*>(from_numbers);
  V* const to = reinterpret_cast<V*>(to_numbers);
  for (std::int64_t k = 0; k < n; ++k) {
    const V zero = {};
    const V ax = from[2 * k], ay = k == 0 ? zero : from[2 * k + 1];
    const V bx = from[2 * (n - k)], by = k == 0 ? zero : from[2 * (n - k) + 1];
    // e = a + conj(b), o = (a - conj(b)) * conj(twiddle), point = e + i o
    const T c = twiddles[2 * k], s = -twiddles[2 * k + 1];
    const V ex = ax + bx, ey = ay - by, dx = ax - bx, dy = ay + by;
    const V ox = dx * c - dy * s, oy = dx * s + dy * c;
    const V x = ex - oy, y = ey + ox;
    to[2 * k + (swap ? 1 : 0)] = x;
    to[2 * k + (swap ? 0 : 1)] = y;
  }
}

// The spectrum of a real line, n + 1 rows, from the points of its pairs.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void split_spectrum(const T* from_numbers, T* to_numbers, std::int64_t n,
                                     const T* twiddles) {
  using V = typename Lanes<T, kBytes>::V;
  const V* const from = reinterpret_cast<const V*>(from_numbers);
  V* const to = reinterpret_cast<V*>(to_numbers);
  for (std::int64_t k = 0; k <= n; ++k) {
    const std::int64_t i = k == n ? 0 : k, j = k == 0 ? 0 : n - k;
    const V ax = from[2 * i], ay = from[2 * i + 1], bx = from[2 * j], by = from[2 * j + 1];
    const T c = twiddles[2 * k], s = twiddles[2 * k + 1], half = static_cast<T>(0.5);
    const V ex = ax + bx, ey = ay - by, dx = ax - bx, dy = ay + by;
    // e / 2 - i / 2 * twiddle * d
    const V ox = dx * c - dy * s, oy = dx * s + dy * c;
    to[2 * k] = (ex + oy) * half;
    to[2 * k + 1] = (ey - ox) * half;
  }
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void load_points(const Call& call, const Memory<T>& memory, const Block& block, T* a, T* b) {
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  const FftPass& pass = call.pass;
  const std::int64_t n = pass.n;
  const bool swap = pass.swaps_in;
  const FftLoop& loop = pass.loops[0];
  const std::int64_t x = swap ? kCount : 0, y = kCount - x;
  if (block.lanes < kCount) {
    clear_rows<T, kBytes>(a, 0, n + 1);
    clear_rows<T, kBytes>(b, 0, n + 1);
  }
  switch (pass.load) {
    case FftLoad::complex: {
      const Rows rows = rows_of(pass.in, loop, block.lanes, block.in_point, n, 1, 2);
      load_complex<T, kBytes>(memory.from + 2 * (block.in + block.in_point * pass.in.step), rows, swap, a);
      clear_rows<T, kBytes>(a, rows.any, n);
      return;
    }
    case FftLoad::real: {
      const Rows rows = rows_of(pass.in, loop, block.lanes, block.in_point, n, 1, 1);
      clear_rows<T, kBytes>(a, 0, n);
      load_plane<T, kBytes>(memory.from + block.in + block.in_point * pass.in.step, rows, a + x);
      return;
    }
    case FftLoad::pairs: {
      const T* const from = memory.from + block.in + 2 * block.in_point * pass.in.step;
      FftSide side = pass.in;
      side.count = (pass.in.count + 1) / 2;
      const Rows first = rows_of(side, loop, block.lanes, block.in_point, n, 2, 1);
      side.count = pass.in.count / 2;
      const Rows second = rows_of(side, loop, block.lanes, block.in_point, n, 2, 1);
      if (pass.in.step == 1 && pass.in.count % 2 == 0) {
        load_complex<T, kBytes>(from, first, swap, a);
      } else {
        load_plane<T, kBytes>(from, first, a + x);
        load_plane<T, kBytes>(from + pass.in.step, second, a + y);
        for (std::int64_t j = second.any; j < first.any; ++j) std::memset(a + 2 * kCount * j + y, 0, kBytes);
      }
      clear_rows<T, kBytes>(a, first.any, n);
      return;
    }
    case FftLoad::half_spectrum: {
      const Rows rows = rows_of(pass.in, loop, block.lanes, block.in_point, n + 1, 1, 2);
      load_complex<T, kBytes>(memory.from + 2 * (block.in + block.in_point * pass.in.step), rows, false, b);
      clear_rows<T, kBytes>(b, rows.any, n + 1);
      combine_spectrum<T, kBytes>(b, a, n, memory.table + call.spectrum, swap);
      return;
    }
    case FftLoad::odd_spectrum: {
      const std::int64_t half = (n + 1) / 2;
      const Rows rows = rows_of(pass.in, loop, block.lanes, block.in_point, half, 1, 2);
      load_complex<T, kBytes>(memory.from + 2 * (block.in + block.in_point * pass.in.step), rows, swap, a);
      clear_rows<T, kBytes>(a, rows.any, half);
      std::memset(a + y, 0, kBytes);
      for (std::int64_t k = 1; k < half; ++k) {
        for (std::int64_t lane = 0; lane < kCount; ++lane) {
          a[2 * kCount * (n - k) + x + lane] = a[2 * kCount * k + x + lane];
          a[2 * kCount * (n - k) + y + lane] = -a[2 * kCount * k + y + lane];
        }
      }
    }
  }
}

// Multiplies point k of each lane by exp(-2 pi i t k / twiddle_n). The twiddle factors of k are products of
// those of its low and its high bits, which are looked up for each lane.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void multiply_by_twiddles(const Call& call, const Memory<T>& memory, const Block& block,
                                           T* points_numbers, T* scratch) {
  using V = typename Lanes<T, kBytes>::V;
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  const FftPass& pass = call.pass;
  const std::int64_t split = call.twiddle_split, mask = (std::int64_t{1} << call.shift) - 1;
  const std::int64_t high = (pass.n + split - 1) / split;
  for (std::int64_t i = 0; i < split + high; ++i) {
    const std::int64_t k = i < split ? i : (i - split) * split;
    for (std::int64_t lane = 0; lane < kCount; ++lane) {
      const std::int64_t e = (block.twiddle + lane * block.twiddle_step) * k % pass.twiddle_n;
      const double* const fine = memory.products + 2 * (e & mask);
      const double* const coarse = memory.products + 2 * ((e >> call.shift) + mask + 1);
      scratch[2 * kCount * i + lane] = static_cast<T>(fine[0] * coarse[0] - fine[1] * coarse[1]);
      scratch[2 * kCount * i + kCount + lane] = static_cast<T>(fine[0] * coarse[1] + fine[1] * coarse[0]);
    }
  }
  const V* const low = reinterpret_cast<const V*>(scratch);
  V* points = reinterpret_cast<V*>(points_numbers);
  for (std::int64_t a = 0, k = 0; a < high; ++a) {
    const V hx = low[2 * (split + a)], hy = low[2 * (split + a) + 1];
    for (std::int64_t b = 0; b < split && k < pass.n; ++b, ++k, points += 2) {
      const V lx = low[2 * b], ly = low[2 * b + 1];
      const V wx = hx * lx - hy * ly, wy = hx * ly + hy * lx;
      const V x = points[0], y = points[1];
      points[0] = x * wx - y * wy;
      points[1] = x * wy + y * wx;
    }
  }
}

// The same with a table of all twiddle factors.
template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void multiply_by_table(const Call& call, const T* table, const Block& block,
                                        T* points_numbers) {
  using V = typename Lanes<T, kBytes>::V;
  V* const points = reinterpret_cast<V*>(points_numbers);
  for (std::int64_t k = 1; k < call.pass.n; ++k) {
    V wx, wy;
    std::memcpy(&wx, table + 2 * k * call.twiddle_pitch + block.twiddle, kBytes);
    std::memcpy(&wy, table + (2 * k + 1) * call.twiddle_pitch + block.twiddle, kBytes);
    const V x = points[2 * k], y = points[2 * k + 1];
    points[2 * k] = x * wx - y * wy;
    points[2 * k + 1] = x * wy + y * wx;
  }
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void scale_points(T* points_numbers, std::int64_t rows, double scale) {
  using V = typename Lanes<T, kBytes>::V;
  if (scale == 1) return;
  V* const points = reinterpret_cast<V*>(points_numbers);
  const T factor = static_cast<T>(scale);
  for (std::int64_t i = 0; i < 2 * rows; ++i) points[i] *= factor;
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void store_points(const Call& call, const Memory<T>& memory, const Block& block, T* points,
                                   T* other) {
  const FftPass& pass = call.pass;
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  const bool swap = pass.swaps_out;
  const FftLoop loop = out_loop(pass.loops[0]);
  const std::int64_t x = swap ? kCount : 0;
  std::int64_t n = pass.n;
  if (pass.store == FftStore::spectrum) {
    split_spectrum<T, kBytes>(points, other, n, memory.table + call.spectrum);
    std::swap(points, other);
    ++n;
  }
  scale_points<T, kBytes>(points, n, pass.scale);
  switch (pass.store) {
    case FftStore::complex:
    case FftStore::spectrum: {
      const Rows rows = rows_of(pass.out, loop, block.lanes, block.out_point, n, 1, 2);
      return store_complex<T, kBytes>(points, rows, swap, call.streams,
                                      memory.to + 2 * (block.out + block.out_point * pass.out.step));
    }
    case FftStore::real: {
      const Rows rows = rows_of(pass.out, loop, block.lanes, block.out_point, n, 1, 1);
      return store_plane<T, kBytes>(points + x, rows,
                                    memory.to + block.out + block.out_point * pass.out.step);
    }
    case FftStore::pairs: {
      T* const to = memory.to + block.out + 2 * block.out_point * pass.out.step;
      FftSide side = pass.out;
      side.count /= 2;
      const Rows rows = rows_of(side, loop, block.lanes, block.out_point, n, 2, 1);
      if (pass.out.step == 1) return store_complex<T, kBytes>(points, rows, swap, call.streams, to);
      store_plane<T, kBytes>(points + x, rows, to);
      store_plane<T, kBytes>(points + kCount - x, rows, to + pass.out.step);
    }
  }
}

// Requests the cache lines of a group's lines, if the lines follow each other in memory. The processor does
// not foresee them: the transform reads and writes a few points of each line in turn.
template <bool kWrites, class T>
QUERN_FFT_INLINE void fetch_lines(const T* memory, const FftSide& side, std::int64_t line_step,
                                  std::int64_t n, std::int64_t lanes) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  if (side.step != 1 || line_step != n) return;
  for (std::int64_t i = 0; i < 2 * n * lanes; i += kLine) __builtin_prefetch(memory + i, kWrites ? 1 : 0, 2);
}

template <class T, std::size_t kBytes>
QUERN_FFT_INLINE void run_blocks(const Call& call, const Memory<T>& memory, std::int64_t first,
                                 std::int64_t last) {
  constexpr std::int64_t kCount = Lanes<T, kBytes>::kCount;
  const FftPass& pass = call.pass;
  T* const a = memory.scratch;
  T* const b = a + (pass.n + 1) * 2 * kCount;
  for (std::int64_t number = first; number < last; ++number) {
    const Block block(pass, number, kCount);
    if (pass.store == FftStore::complex && !call.streams)
      fetch_lines<true>(memory.to + 2 * block.out, pass.out, pass.loops[0].out_step, pass.n, block.lanes);
    load_points<T, kBytes>(call, memory, block, a, b);
    if (pass.load == FftLoad::complex && number + 1 < last) {
      const Block next(pass, number + 1, kCount);
      fetch_lines<false>(memory.from + 2 * next.in, pass.in, pass.loops[0].in_step, pass.n, next.lanes);
    }
    T* const points = run_steps<T, kBytes>(call.steps.data(), call.step_count, memory.table, a, b);
    T* const other = points == a ? b : a;
    if (call.twiddle_pitch != 0) {
      multiply_by_table<T, kBytes>(call, memory.all_twiddles, block, points);
    } else if (pass.twiddle_n != 0) {
      multiply_by_twiddles<T, kBytes>(call, memory, block, points, other);
    }
    store_points<T, kBytes>(call, memory, block, points, other);
  }
  if (call.streams) end_streams();
}

// Runs groups of lines of a pass, as run_blocks() of an instruction set, whose registers have `lanes` lanes.
template <class T>
struct Blocks {
  void (*run)(const Call&, const Memory<T>&, std::int64_t, std::int64_t);
  std::int64_t lanes;

  void all(const Call& call, const Memory<T>& memory) const {
    run(call, memory, 0, (call.pass.loops[0].length + lanes - 1) / lanes);
  }
};

// Transforms whole lines. `second_table` belongs to the second pass, `between` holds the points of a line.
template <class T>
void run_lines(const LineCall& call, const Memory<T>& memory, const Blocks<T>& blocks, const T* second_table,
               T* between, std::int64_t first, std::int64_t last) {
  Call a = call.first, b = call.second;
  Memory<T> load = memory, store = memory;
  load.to = between;
  store.from = between;
  store.table = second_table;
  for (std::int64_t number = first; number < last; ++number) {
    std::int64_t rest = number;
    a.pass.in.start = call.first.pass.in.start;
    b.pass.out.start = call.second.pass.out.start;
    for (const FftLoop& loop : call.batch) {
      a.pass.in.start += rest % loop.length * loop.in_step;
      b.pass.out.start += rest % loop.length * loop.out_step;
      rest /= loop.length;
    }
    blocks.all(a, load);
    blocks.all(b, store);
  }
}

}  // namespace quern::algorithms::fft_host
