// SPDX-License-Identifier: MIT
// Fourier transforms on the host: one group is as many lines as a SIMD register has lanes. There is a version
// for each instruction set; the processor decides.
#include "algorithms/host/fft_loops.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/fft_tables.hpp"
#include "algorithms/host/fft_pass.hpp"
#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_tile.hpp"

namespace quern::algorithms {
namespace {

using fft_host::Call;
using fft_host::Step;

constexpr std::int64_t kMostPoints = 4096, kFewPoints = 256;
constexpr std::size_t kMostBytes = 64;  // of a SIMD register
// Two times the points and one row more; the turns of a pass lie in the half that is not used.
constexpr std::size_t scratch_for(std::int64_t points) {
  return static_cast<std::size_t>(2 * (points + 1)) * 2 * kMostBytes;
}

template <class T>
using Blocks = void (*)(const Call&, const fft_host::Memory<T>&, std::int64_t, std::int64_t);

template <class T>
void blocks_plain(const Call& call, const fft_host::Memory<T>& memory, std::int64_t first, std::int64_t last) {
  fft_host::run_blocks<T, 16>(call, memory, first, last);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) void blocks_avx2(const Call& call, const fft_host::Memory<T>& memory,
                                                     std::int64_t first, std::int64_t last) {
  fft_host::run_blocks<T, 32>(call, memory, first, last);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) void blocks_avx512(
    const Call& call, const fft_host::Memory<T>& memory, std::int64_t first, std::int64_t last) {
  fft_host::run_blocks<T, 64>(call, memory, first, last);
}
#endif

template <class T>
struct Best {
  Blocks<T> run;
  std::int64_t lanes;
};
template <class T>
const Best<T>& best() {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  static const Best<T> found = [] {
#if defined(__x86_64__)
    if (tile::has_avx512()) return Best<T>{&blocks_avx512<T>, 64 / size};
    if (tile::has_avx2()) return Best<T>{&blocks_avx2<T>, 32 / size};
#endif
    return Best<T>{&blocks_plain<T>, 16 / size};
  }();
  return found;
}

template <class T>
void run_pass(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const auto& call = call_of<Call>(launch);
  const fft_host::Memory<T> memory = {memory_of<const T>(launch, 0), memory_of<T>(launch, 1),
                                      memory_of<const T>(launch, 2), memory_of<const double>(launch, 3),
                                      static_cast<T*>(launch->local_memory)};
  best<T>().run(call, memory, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
}

// The names differ because each has a scratch memory of its own.
template <class T>
constexpr HandWrittenKernel kShort = {"fft", &run_pass<T>, scratch_for(kFewPoints)};
template <class T>
constexpr HandWrittenKernel kLong = {"fft_long", &run_pass<T>, scratch_for(kMostPoints)};

// The steps, and where their turns begin in the table. Returns the length of the table.
std::int64_t add_steps(std::int64_t n, Call& call) {
  std::int64_t s = 1, at = 0;
  call.step_count = 0;
  for (const int radix : fft_radices(n, 8)) {
    const std::int64_t m = n / s / radix;
    call.steps[static_cast<std::size_t>(call.step_count++)] = {radix, static_cast<std::int32_t>(m),
                                                               static_cast<std::int32_t>(s),
                                                               static_cast<std::int32_t>(at)};
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
        for (std::int64_t j = 1; j < step.radix; ++j) add_turn(numbers, p * j, std::int64_t{step.radix} * step.m);
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

std::int64_t most_points_on_host() {
  return kMostPoints;
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

}  // namespace quern::algorithms
