// SPDX-License-Identifier: MIT
// Fourier transforms on the host: one group is as many lines as a SIMD register has lanes. There is a version
// for each instruction set; the processor decides.
#include "algorithms/host/fft_loops.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/fft_tables.hpp"
#include "algorithms/host/fft_chirp.hpp"
#include "algorithms/host/fft_pass.hpp"
#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_tile.hpp"

namespace quern::algorithms {
namespace {

using fft_host::Call;
using fft_host::Step;

constexpr std::int64_t kMostPoints = 4096, kFewPoints = 256;
// Lengths of lines that stay in the cache between two passes.
constexpr std::int64_t kLeastLine = 64, kMostLine = 16384, kMostChirpLine = 65536;
constexpr std::size_t kMostBytes = 64;  // of a SIMD register
// Two times the points and one row more; the turns of a pass lie in the half that is not used.
constexpr std::size_t scratch_for(std::int64_t points) {
  return static_cast<std::size_t>(2 * (points + 1)) * 2 * kMostBytes;
}

using fft_host::Chirp;
using fft_host::ChirpCall;
using fft_host::LineCall;
using fft_host::Memory;

using fft_host::Blocks;

template <class T>
void blocks_plain(const Call& call, const Memory<T>& memory, std::int64_t first, std::int64_t last) {
  fft_host::run_blocks<T, 16>(call, memory, first, last);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) void blocks_avx2(const Call& call, const Memory<T>& memory,
                                                     std::int64_t first, std::int64_t last) {
  fft_host::run_blocks<T, 32>(call, memory, first, last);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) void blocks_avx512(const Call& call,
                                                                                     const Memory<T>& memory,
                                                                                     std::int64_t first,
                                                                                     std::int64_t last) {
  fft_host::run_blocks<T, 64>(call, memory, first, last);
}
#endif

template <class T>
const Blocks<T>& best() {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  static const Blocks<T> found = [] {
#if defined(__x86_64__)
    if (tile::has_avx512()) return Blocks<T>{&blocks_avx512<T>, 64 / size};
    if (tile::has_avx2()) return Blocks<T>{&blocks_avx2<T>, 32 / size};
#endif
    return Blocks<T>{&blocks_plain<T>, 16 / size};
  }();
  return found;
}

template <class T>
Memory<T> memory_for(const quern_launch* launch) {
  return {memory_of<const T>(launch, 0), memory_of<T>(launch, 1),
          memory_of<const T>(launch, 2), memory_of<const double>(launch, 3),
          memory_of<const T>(launch, 3), static_cast<T*>(launch->local_memory)};
}

template <class T>
void run_pass(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  best<T>().run(call_of<Call>(launch), memory_for<T>(launch), static_cast<std::int64_t>(first),
                static_cast<std::int64_t>(last));
}

template <class T>
void run_whole_lines(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  auto* const between =
      reinterpret_cast<T*>(static_cast<std::byte*>(launch->local_memory) + scratch_for(kFewPoints));
  fft_host::run_lines<T>(call_of<LineCall>(launch), memory_for<T>(launch), best<T>(),
                         memory_of<const T>(launch, 4), between, static_cast<std::int64_t>(first),
                         static_cast<std::int64_t>(last));
}

template <class T>
void run_chirp_lines(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const ChirpCall& call = call_of<ChirpCall>(launch);
  auto* const line =
      reinterpret_cast<T*>(static_cast<std::byte*>(launch->local_memory) + scratch_for(kFewPoints));
  fft_host::run_chirp<T>(call, memory_for<T>(launch), best<T>(), memory_of<const T>(launch, 4),
                         {memory_of<const T>(launch, 5), memory_of<const T>(launch, 6)}, line,
                         line + 2 * call.m, static_cast<std::int64_t>(first),
                         static_cast<std::int64_t>(last));
}

// The names differ because each has a scratch memory of its own.
template <class T>
constexpr HandWrittenKernel kShort = {"fft", &run_pass<T>, scratch_for(kFewPoints)};
template <class T>
constexpr HandWrittenKernel kLong = {"fft_long", &run_pass<T>, scratch_for(kMostPoints)};

template <class T>
constexpr HandWrittenKernel kLines = {
    "fft_lines", &run_whole_lines<T>,
    scratch_for(kFewPoints) + static_cast<std::size_t>(2 * kMostLine) * sizeof(T)};

template <class T>
constexpr HandWrittenKernel kChirp = {
    "fft_chirp", &run_chirp_lines<T>,
    scratch_for(kFewPoints) + static_cast<std::size_t>(4 * kMostChirpLine) * sizeof(T)};

// The steps, and where their turns begin in the table. Returns the length of the table.
std::int64_t add_steps(std::int64_t n, Call& call) {
  std::int64_t s = 1, at = 0;
  call.step_count = 0;
  for (const int radix : fft_radices(n, 8)) {
    const std::int64_t m = n / s / radix;
    call.steps[static_cast<std::size_t>(call.step_count++)] = {
        radix, static_cast<std::int32_t>(m), static_cast<std::int32_t>(s), static_cast<std::int32_t>(at)};
    at += 2 * radix + m * 2 * (radix - 1);
    s *= radix;
  }
  return at;
}

Array table_of(const Queue& queue, Scalar real, const Call& call, bool has_spectrum) {
  const std::int64_t n = call.pass.n;
  return kept_table(queue, real, (has_spectrum ? "spectrum/" : "steps/") + std::to_string(n), [&] {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < call.step_count; ++i) {
      const Step& step = call.steps[static_cast<std::size_t>(i)];
      for (std::int64_t k = 0; k < step.radix; ++k) {
        add_turn(numbers, k, step.radix);
        numbers.back() = -numbers.back();
      }
      for (std::int64_t p = 0; p < step.m; ++p)
        for (std::int64_t j = 1; j < step.radix; ++j)
          add_turn(numbers, p * j, std::int64_t{step.radix} * step.m);
    }
    if (has_spectrum)
      for (std::int64_t k = 0; k <= n; ++k) add_turn(numbers, k, 2 * n);
    if (numbers.empty()) numbers.push_back(0);  // of one point, which needs no step
    return numbers;
  });
}

}  // namespace

std::int64_t fft_lanes(Scalar real) {
  return real == Scalar::float64 ? best<double>().lanes : best<float>().lanes;
}

std::int64_t most_points_on_host(const Queue& /*queue*/, Scalar /*real*/) {
  return kMostPoints;
}
std::int64_t most_radix_on_host(const Queue& /*queue*/) {
  return fft_host::kMostRadix;
}

void fft_by_function(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from,
                     const Buffer& to) {
  Call call = {};
  call.pass = pass;
  call.spectrum = add_steps(pass.n, call);
  const bool has_spectrum = pass.load == FftLoad::half_spectrum || pass.store == FftStore::spectrum;
  const Array table = table_of(queue, real, call, has_spectrum);
  const Buffer turns = table.elements();
  Buffer products = turns;
  if (pass.turn != 0) {
    const FftTurns found = fft_turns(queue, Scalar::float64, pass.turn);
    products = found.table.elements();
    call.shift = found.shift;
    call.turn_split = 1;
    while (call.turn_split * call.turn_split < pass.n) call.turn_split *= 2;
  }
  const std::int64_t lanes = fft_lanes(real), first = pass.loops[0].length;
  const std::int64_t groups = pass.lines() / first * ((first + lanes - 1) / lanes);
  const auto run = [&](const HandWrittenKernel& kernel) {
    kernel.launch(queue, static_cast<std::size_t>(groups), 1, call,
                  {HandWrittenKernel::reads(from), HandWrittenKernel::writes(to),
                   HandWrittenKernel::reads(turns), HandWrittenKernel::reads(products)});
  };
  const bool is_short = pass.n <= kFewPoints;
  if (real == Scalar::float64) {
    run(is_short ? kShort<double> : kLong<double>);
  } else {
    run(is_short ? kShort<float> : kLong<float>);
  }
}

std::int64_t line_factor_on_host(Scalar real, std::int64_t n, LineUse use) {
  if (n < kLeastLine || n > (use == LineUse::chirp ? kMostChirpLine : kMostLine)) return 0;
  // Lanes that have no line are wasted.
  const auto lanes = static_cast<double>(fft_lanes(real));
  const auto waste = [&](std::int64_t count) {
    return std::ceil(static_cast<double>(count) / lanes) * lanes / static_cast<double>(count);
  };
  std::int64_t best_factor = 0;
  double least =
      use == LineUse::batch ? 2.6 : lanes;  // of both passes; a lone line would waste all lanes but one
  for (std::int64_t d = 2; d <= kFewPoints && d < n; ++d) {
    if (n % d != 0 || n / d > kFewPoints) continue;
    const double both = waste(d) + waste(n / d);
    const bool is_better = both < least || (both == least && best_factor != 0 &&
                                            std::abs(d - n / d) < std::abs(best_factor - n / best_factor));
    if (is_better) {
      least = both;
      best_factor = d;
    }
  }
  return best_factor;
}

namespace {

// A call of both passes over each line, and the tables that they read.
struct LineTables {
  Buffer first, turns, second;
};
LineTables describe_lines(const Queue& queue, Scalar real, const FftPass& first, const FftPass& second,
                          const std::array<FftLoop, kFftBatchLoops>& batch, LineCall& call) {
  call.batch = batch;
  call.first.pass = first;
  call.second.pass = second;
  static_cast<void>(add_steps(first.n, call.first));
  static_cast<void>(add_steps(second.n, call.second));
  const std::int64_t lanes = fft_lanes(real), inner = first.loops[0].length;
  const std::int64_t pitch = (inner + lanes - 1) / lanes * lanes;
  call.first.turn_pitch = pitch;
  const Array turns =
      kept_table(queue, real, "line/" + std::to_string(first.n) + "/" + std::to_string(inner), [&] {
        std::vector<double> numbers, turn;
        for (std::int64_t k = 0; k < first.n; ++k) {
          for (std::int64_t part = 0; part < 2; ++part) {
            for (std::int64_t t = 0; t < pitch; ++t) {
              turn.clear();
              add_turn(turn, t < inner ? t * k : 0, first.turn);
              numbers.push_back(turn[static_cast<std::size_t>(part)]);
            }
          }
        }
        return numbers;
      });
  return {table_of(queue, real, call.first, false).elements(), turns.elements(),
          table_of(queue, real, call.second, false).elements()};
}

std::size_t count_of(const std::array<FftLoop, kFftBatchLoops>& batch) {
  std::int64_t lines = 1;
  for (const FftLoop& loop : batch) lines *= loop.length;
  return static_cast<std::size_t>(lines);
}

}  // namespace

void fft_lines_by_function(const Queue& queue, Scalar real, const FftPass& first, const FftPass& second,
                           const std::array<FftLoop, kFftBatchLoops>& batch, const Buffer& from,
                           const Buffer& to) {
  LineCall call = {};
  const LineTables tables = describe_lines(queue, real, first, second, batch, call);
  (real == Scalar::float64 ? kLines<double> : kLines<float>)
      .launch(queue, count_of(batch), 1, call,
              {HandWrittenKernel::reads(from), HandWrittenKernel::writes(to),
               HandWrittenKernel::reads(tables.first), HandWrittenKernel::reads(tables.turns),
               HandWrittenKernel::reads(tables.second)});
}

void fft_chirp_by_function(const Queue& queue, const FftLines& lines, const FftPass& first,
                           const FftPass& second, const Buffer& turns, const Buffer& response) {
  ChirpCall call = {};
  const LineTables tables = describe_lines(queue, lines.real, first, second, lines.batch, call.line);
  call.n = lines.n;
  call.m = first.n * second.n;
  call.in = lines.in;
  call.out = lines.out;
  call.is_real = lines.load == FftLoad::real;
  call.is_inverse = lines.is_inverse;
  call.scale = lines.scale;
  (lines.real == Scalar::float64 ? kChirp<double> : kChirp<float>)
      .launch(queue, count_of(lines.batch), 1, call,
              {HandWrittenKernel::reads(lines.from), HandWrittenKernel::writes(lines.to),
               HandWrittenKernel::reads(tables.first), HandWrittenKernel::reads(tables.turns),
               HandWrittenKernel::reads(tables.second), HandWrittenKernel::reads(turns),
               HandWrittenKernel::reads(response)});
}

}  // namespace quern::algorithms
