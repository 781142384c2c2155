// SPDX-License-Identifier: MIT
// Divides the length of Fourier transforms into passes and runs them: on the host by a function, elsewhere by
// generated kernels.
#include "algorithms/fft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "algorithms/fft_kernels.hpp"
#include "algorithms/host/fft_loops.hpp"
#include "algorithms/host/fft_plan.hpp"
#include "algorithms/host/fft_prepared.hpp"
#include "algorithms/launch/operation.hpp"

namespace quern::algorithms {
namespace {

// The divisor of n that is closest to the wanted one, between 2 and `most`. n has small factors.
std::int64_t divisor_near(std::int64_t n, double wanted, std::int64_t most) {
  std::int64_t best = 0;
  double least = 0;
  for (std::int64_t d = 2; d <= most && d <= n; ++d) {
    if (n % d != 0) continue;
    const double distance = std::abs(std::log(static_cast<double>(d) / wanted));
    if (best != 0 && distance >= least) continue;
    best = d;
    least = distance;
  }
  return best;
}

// Divides a length into factors of at most `most` points each, of similar size.
std::vector<std::int64_t> factors_of(std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> factors;
  int count = 1;
  while (std::pow(static_cast<double>(most), count) < static_cast<double>(n)) ++count;
  while (n > most) {
    const std::int64_t d = divisor_near(n, std::pow(static_cast<double>(n), 1.0 / count), most);
    factors.push_back(d);
    n /= d;
    count = std::max(count - 1, 1);
  }
  factors.push_back(n);
  return factors;
}

// On the host: a longer line is divided among threads if it is alone, and shorter lines than these fill the
// lanes with several lines better than with parts of one.
constexpr std::int64_t kMostLoneLine = 4096, kLeastPassedLine = 1536;

// Moves the loop whose lanes should be neighbours to the front: where both steps are small, or one is.
void choose_lanes(FftPass& pass, std::int64_t lanes) {
  std::size_t best = 0;
  double known = -1;
  for (std::size_t d = 0; d < kFftLoops; ++d) {
    const FftLoop& loop = pass.loops[d];
    if (loop.length == 1) continue;
    const std::int64_t in = std::abs(loop.in_step + loop.in_point * pass.in.step);
    const std::int64_t out = std::abs(loop.out_step + loop.out_point * pass.out.step);
    double value = (in == 1 ? 1 : 0) + (out == 1 ? 1 : 0) + 0.5;
    value *= std::min(1.0, static_cast<double>(loop.length) / static_cast<double>(lanes));
    if (value > known) {
      known = value;
      best = d;
    }
  }
  std::swap(pass.loops[0], pass.loops[best]);
  if (pass.twiddle_loop == 0) {
    pass.twiddle_loop = static_cast<std::int64_t>(best);
  } else if (pass.twiddle_loop == static_cast<std::int64_t>(best)) {
    pass.twiddle_loop = 0;
  }
  pass.loop_count = 1;
  for (std::size_t d = 0; d < kFftLoops; ++d)
    if (pass.loops[d].length > 1) pass.loop_count = static_cast<std::int64_t>(d) + 1;
}

// n = f0 f1 f2 ... Pass i transforms along the digit of factor i, whose neighbours are as far apart as the
// product of the later factors. All but the last pass keep the points in place and multiply them by twiddle
// factors; the last pass writes each point to where it belongs, in the reversed order of the digits.
std::vector<FftPass> passes_of(const FftLayout& lines, const std::vector<std::int64_t>& factors) {
  std::vector<FftPass> passes;
  std::int64_t done = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == factors.size();
    const std::int64_t n = factors[i], inner = lines.n / done / n;
    FftPass pass;
    pass.n = n;
    pass.swaps_in = is_first && lines.is_inverse;
    pass.swaps_out = is_last && lines.is_inverse;
    pass.scale = is_last ? lines.scale : 1;
    // Lines between passes: contiguous, one behind the other.
    const FftSide between = {0, 1, lines.n, inner};
    pass.load = is_first ? lines.load : FftLoad::complex;
    pass.store = is_last ? lines.store : FftStore::complex;
    pass.in = is_first ? lines.in : between;
    pass.in.point = inner;
    pass.out = is_last ? lines.out : between;
    if (is_last) pass.out.point = done;
    std::size_t next = 0;
    if (inner > 1) {
      pass.loops[next] = {inner, 0, 0, 1, 1};
      pass.twiddle_n = n * inner;
      pass.twiddle_loop = static_cast<std::int64_t>(next++);
    }
    // Digits that are done: on the way in from the first to the last one.
    std::int64_t weight = lines.n, target = 1;
    for (std::size_t d = 0; d < i; ++d) {
      weight /= factors[d];
      pass.loops[next++] = {factors[d], 0, 0, weight, is_last ? target : weight};
      target *= factors[d];
    }
    std::int64_t contiguous = lines.n;
    for (const FftLoop& loop : lines.batch) {
      FftLoop own = loop;
      if (!is_first) own.in_step = contiguous;
      if (!is_last) own.out_step = contiguous;
      own.batch = &loop - lines.batch.data();
      contiguous *= loop.length;
      if (loop.length > 1) pass.loops[next++] = own;
    }
    passes.push_back(pass);
    done *= n;
  }
  return passes;
}

// A work-item of a kernel keeps all points of a step in registers.
std::int64_t most_radix_of_kernel(const Queue& /*queue*/) {
  return 31;
}

}  // namespace

bool has_small_factors(const Queue& queue, std::int64_t n) {
  constexpr Operation kMostRadix(&most_radix_on_host, &most_radix_of_kernel);
  const std::int64_t most = kMostRadix(queue);
  n >>= std::countr_zero(static_cast<std::uint64_t>(n));
  for (std::int64_t p = 3; n > 1 && p <= most; p += 2)
    while (n % p == 0) n /= p;
  return n == 1;
}

std::int64_t next_fast_length(std::int64_t n, std::int64_t most_factor) {
  for (std::int64_t length = std::max<std::int64_t>(n, 1);; ++length) {
    std::int64_t rest = length;
    for (const std::int64_t p : {2, 3, 5, 7, 11})
      while (p <= most_factor && rest % p == 0) rest /= p;
    if (rest == 1) return length;
  }
}

std::vector<int> fft_radices(std::int64_t n, int most) {
  std::vector<int> radices;
  int twos = 0;
  while (n % 2 == 0) {
    n /= 2;
    ++twos;
  }
  int bits = 0;
  while ((1 << (bits + 1)) <= most) ++bits;
  // Even shares: 2^10 by at most 2^3 is 8 8 4 4.
  for (int parts = (twos + bits - 1) / bits; parts > 0; --parts) {
    const int share = (twos + parts - 1) / parts;
    radices.push_back(1 << share);
    twos -= share;
  }
  for (int p = 3; n > 1; p += 2) {
    while (n % p == 0) {
      radices.push_back(p);
      n /= p;
    }
  }
  return radices;
}

std::int64_t most_points_of_pass(const Queue& queue, Scalar real) {
  constexpr Operation kMostPoints(&most_points_on_host, &most_points_of_kernel);
  return kMostPoints(queue, real);
}

namespace {

std::int64_t lines_of(const FftLayout& lines) {
  std::int64_t count = 1;
  for (const FftLoop& loop : lines.batch) count *= loop.length;
  return count;
}

// The two passes over one line after the other, on the host, without their loops over the batch. Empty if the
// length or the order of the points does not suit.
std::vector<FftPass> passes_of_line(const FftLayout& lines, std::int64_t batch, std::int64_t units) {
  const bool is_taken =
      (lines.load == FftLoad::complex || lines.load == FftLoad::real || lines.load == FftLoad::pairs) &&
      lines.store != FftStore::spectrum;
  if (!is_taken) return {};
  const std::int64_t lanes = fft_lanes(lines.real);
  const bool is_lone = batch < lanes;
  // Lines whose neighbours are beside them fill the lanes without a detour.
  if (!is_lone && lines.in.step != 1 && lines.out.step != 1) return {};
  if (batch < units && lines.n > kMostLoneLine) return {};
  if (!is_lone && lines.n < kLeastPassedLine) return {};
  const std::int64_t factor =
      line_factor_on_host(lines.real, lines.n, is_lone ? LineUse::lone : LineUse::batch);
  if (factor == 0) return {};
  FftLayout one = lines;
  one.batch = {};
  return passes_of(one, {factor, lines.n / factor});
}

bool run_whole_lines(const Queue& queue, const FftLines& lines, std::int64_t batch) {
  const std::vector<FftPass> passes = passes_of_line(lines, batch, queue.device().properties().compute_units);
  if (passes.empty()) return false;
  fft_lines_by_function(queue, lines.real, passes[0], passes[1], lines.batch, lines.from, lines.to);
  return true;
}

// Prepares the transform of a layout whose lines begin at element 0. Returns null if it takes too long.
std::shared_ptr<const PreparedFft> prepared(const FftLayout& layout) {
  constexpr std::int64_t kMostSteps = 8192;  // about five microseconds
  const std::int64_t batch = lines_of(layout);
  const std::vector<FftPass> passes = passes_of_line(layout, batch, 1);
  if (!passes.empty()) {
    const std::int64_t steps = steps_of_pass(layout.real, passes[0]) + steps_of_pass(layout.real, passes[1]);
    if (steps * batch > kMostSteps) return nullptr;
    return prepared_lines(layout.real, passes[0], passes[1], layout.batch);
  }
  if (layout.n > fft_host::kFewPoints) return nullptr;
  FftPass pass = passes_of(layout, {layout.n})[0];
  choose_lanes(pass, fft_lanes(layout.real));
  return steps_of_pass(layout.real, pass) > kMostSteps ? nullptr : prepared_pass(layout.real, pass);
}

// Runs a pass between the memory of its points.
using RunPass = void(const Queue& queue, const FftLines& lines, FftPass& pass, const Buffer& from,
                     const Buffer& to, bool is_first, bool is_last);

void run_passes(const Queue& queue, const FftLines& lines, std::int64_t batch,
                const std::vector<std::int64_t>& factors, RunPass* run) {
  std::vector<FftPass> passes = passes_of(lines, factors);
  std::optional<Array> memory;  // for the points between passes
  if (passes.size() > 1)
    memory = empty(queue, {batch * lines.n},
                   DType::of(lines.real == Scalar::float64 ? Scalar::complex128 : Scalar::complex64));
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == passes.size();
    run(queue, lines, passes[i], is_first ? lines.from : memory->buffer(),
        is_last ? lines.to : memory->buffer(), is_first, is_last);
  }
}

void run_by_kernel(const Queue& queue, const FftLines& lines, FftPass& pass, const Buffer& from,
                   const Buffer& to, bool is_first, bool is_last) {
  choose_lanes(pass, 16);
  fft_by_kernel(queue, lines.real, pass, from, to, is_first ? lines.before.get() : nullptr,
                is_last ? lines.after.get() : nullptr);
}

void fft_by_kernels(const Queue& queue, const FftLines& lines) {
  std::vector<std::int64_t> factors = {lines.n};
  const std::int64_t most = most_points_of_pass(queue, lines.real);
  if (lines.n > most) {
    factors = factors_of(lines.n, most_points_of_column(queue, lines.real));
    // Powers of a large prime have few divisors: fewer passes then read and write parts of cache lines.
    if (factors.size() > kMostFftPasses) factors = factors_of(lines.n, most);
  }
  run_passes(queue, lines, lines_of(lines), factors, &run_by_kernel);
}

void run_by_function(const Queue& queue, const FftLines& lines, FftPass& pass, const Buffer& from,
                     const Buffer& to, bool /*is_first*/, bool /*is_last*/) {
  choose_lanes(pass, fft_lanes(lines.real));
  fft_by_function(queue, lines.real, pass, from, to);
}

void fft_by_functions(const Queue& queue, const FftLines& lines) {
  if (lines.before || lines.after) return fft_by_kernels(queue, lines);
  const std::int64_t batch = lines_of(lines), most = most_points_of_pass(queue, lines.real);
  if (run_whole_lines(queue, lines, batch)) return;
  run_passes(queue, lines, batch,
             lines.n > most ? factors_of(lines.n, most) : std::vector<std::int64_t>{lines.n},
             &run_by_function);
}

}  // namespace

std::shared_ptr<const PreparedFft> small_fft(const FftLayout& layout) {
  constexpr std::int64_t kMostPoints = 4096;
  if (layout.n * lines_of(layout) > kMostPoints) return nullptr;
  FftLayout placed = layout;
  placed.in.start = placed.out.start = 0;
  return kept_fft(placed, [&] { return prepared(placed); });
}

bool fft_by_chirp(const Queue& queue, const FftLines& lines, std::int64_t m, const Buffer& twiddles,
                  const Buffer& response) {
  const std::int64_t factor = line_factor_on_host(lines.real, m, LineUse::chirp);
  if (factor == 0) return false;
  FftLines line;
  line.real = lines.real;
  line.n = m;
  line.in = line.out = {0, 1, m, 1};
  const std::vector<FftPass> passes = passes_of(line, {factor, m / factor});
  fft_chirp_by_function(queue, lines, passes[0], passes[1], twiddles, response);
  return true;
}

void fft(const Queue& queue, const FftLines& lines) {
  constexpr Operation kTransform(&fft_by_functions, &fft_by_kernels);
  kTransform(queue, lines);
}

}  // namespace quern::algorithms
