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
#include "algorithms/host/fft_plan.hpp"
#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_tile.hpp"

namespace quern::algorithms {
namespace {

using fft_host::Blocks;
using fft_host::Call;
using fft_host::Chirp;
using fft_host::ChirpCall;
using fft_host::kFewPoints;
using fft_host::kMostPoints;
using fft_host::LineCall;
using fft_host::Memory;
using fft_host::scratch_for;

// Lengths of lines that stay in the cache between two passes.
constexpr std::int64_t kLeastLine = 64, kMostLine = 16384, kMostChirpLine = 65536;

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

}  // namespace

template <class T>
const fft_host::Blocks<T>& fft_host::best_blocks() {
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
template const Blocks<float>& fft_host::best_blocks<float>();
template const Blocks<double>& fft_host::best_blocks<double>();

namespace {

using fft_host::best_blocks;

template <class T>
Memory<T> memory_for(const quern_launch* launch) {
  return {memory_of<const T>(launch, 0), memory_of<T>(launch, 1),
          memory_of<const T>(launch, 2), memory_of<const double>(launch, 3),
          memory_of<const T>(launch, 3), static_cast<T*>(launch->local_memory)};
}

template <class T>
void run_pass(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  best_blocks<T>().run(call_of<Call>(launch), memory_for<T>(launch), static_cast<std::int64_t>(first),
                       static_cast<std::int64_t>(last));
}

template <class T>
void run_whole_lines(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  auto* const between =
      reinterpret_cast<T*>(static_cast<std::byte*>(launch->local_memory) + scratch_for(kFewPoints));
  fft_host::run_lines<T>(call_of<LineCall>(launch), memory_for<T>(launch), best_blocks<T>(),
                         memory_of<const T>(launch, 4), between, static_cast<std::int64_t>(first),
                         static_cast<std::int64_t>(last));
}

template <class T>
void run_chirp_lines(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const ChirpCall& call = call_of<ChirpCall>(launch);
  auto* const line =
      reinterpret_cast<T*>(static_cast<std::byte*>(launch->local_memory) + scratch_for(kFewPoints));
  fft_host::run_chirp<T>(call, memory_for<T>(launch), best_blocks<T>(), memory_of<const T>(launch, 4),
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

// Whether a result is too large for the caches, and its memory is not in them because it was read.
bool streams(const Buffer& from, const Buffer& to) {
  constexpr std::size_t kLeast = std::size_t{16} << 20;
  return to.size() >= kLeast && !(from.allocation() == to.allocation());
}

Array table_of(const Queue& queue, Scalar real, const Call& call) {
  return kept_table(
      queue, real, (fft_host::has_spectrum(call.pass) ? "spectrum/" : "steps/") + std::to_string(call.pass.n),
      [&] { return fft_host::step_numbers(call); });
}

}  // namespace

std::int64_t fft_lanes(Scalar real) {
  return real == Scalar::float64 ? best_blocks<double>().lanes : best_blocks<float>().lanes;
}

std::int64_t most_points_on_host(const Queue& /*queue*/, Scalar /*real*/) {
  return kMostPoints;
}
std::int64_t most_radix_on_host(const Queue& /*queue*/) {
  return fft_host::kMostRadix;
}

void fft_by_function(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from,
                     const Buffer& to) {
  Call call = fft_host::call_of_pass(pass);
  call.streams = streams(from, to);
  const Array table = table_of(queue, real, call);
  const Buffer twiddles = table.elements();
  Buffer products = twiddles;
  if (pass.twiddle_n != 0) {
    const FftTwiddles found = fft_twiddles(queue, Scalar::float64, pass.twiddle_n);
    products = found.table.elements();
    call.shift = found.shift;
    call.twiddle_split = 1;
    while (call.twiddle_split * call.twiddle_split < pass.n) call.twiddle_split *= 2;
  }
  const std::int64_t groups = fft_host::groups_of(pass, fft_lanes(real));
  const auto run = [&](const HandWrittenKernel& kernel) {
    kernel.launch(queue, static_cast<std::size_t>(groups), 1, call,
                  {HandWrittenKernel::reads(from), HandWrittenKernel::writes(to),
                   HandWrittenKernel::reads(twiddles), HandWrittenKernel::reads(products)});
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

// The tables of both passes over each line.
struct LineTables {
  Buffer first, twiddles, second;
};
LineTables tables_of(const Queue& queue, Scalar real, const LineCall& call) {
  const FftPass& pass = call.first.pass;
  const Array twiddles =
      kept_table(queue, real, "line/" + std::to_string(pass.n) + "/" + std::to_string(pass.loops[0].length),
                 [&] { return fft_host::twiddle_numbers(call); });
  return {table_of(queue, real, call.first).elements(), twiddles.elements(),
          table_of(queue, real, call.second).elements()};
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
  LineCall call = fft_host::call_of_lines(first, second, batch, fft_lanes(real));
  call.second.streams = streams(from, to);
  const LineTables tables = tables_of(queue, real, call);
  (real == Scalar::float64 ? kLines<double> : kLines<float>)
      .launch(queue, count_of(batch), 1, call,
              {HandWrittenKernel::reads(from), HandWrittenKernel::writes(to),
               HandWrittenKernel::reads(tables.first), HandWrittenKernel::reads(tables.twiddles),
               HandWrittenKernel::reads(tables.second)});
}

void fft_chirp_by_function(const Queue& queue, const FftLines& lines, const FftPass& first,
                           const FftPass& second, const Buffer& twiddles, const Buffer& response) {
  ChirpCall call = {};
  call.line = fft_host::call_of_lines(first, second, lines.batch, fft_lanes(lines.real));
  const LineTables tables = tables_of(queue, lines.real, call.line);
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
               HandWrittenKernel::reads(tables.first), HandWrittenKernel::reads(tables.twiddles),
               HandWrittenKernel::reads(tables.second), HandWrittenKernel::reads(twiddles),
               HandWrittenKernel::reads(response)});
}

}  // namespace quern::algorithms
