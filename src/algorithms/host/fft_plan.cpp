// SPDX-License-Identifier: MIT
// The steps of a pass, and the numbers of its tables in double precision.
#include "algorithms/host/fft_plan.hpp"

#include "algorithms/fft_tables.hpp"

namespace quern::algorithms::fft_host {

Call call_of_pass(const FftPass& pass) {
  Call call = {};
  call.pass = pass;
  std::int64_t s = 1, at = 0;
  for (const int radix : fft_radices(pass.n, 8)) {
    const std::int64_t m = pass.n / s / radix;
    call.steps[static_cast<std::size_t>(call.step_count++)] = {
        radix, static_cast<std::int32_t>(m), static_cast<std::int32_t>(s), static_cast<std::int32_t>(at)};
    at += 2 * radix + m * 2 * (radix - 1);
    s *= radix;
  }
  call.spectrum = at;
  return call;
}

std::vector<double> step_numbers(const Call& call) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < call.step_count; ++i) {
    const Step& step = call.steps[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < step.radix; ++k) {
      add_twiddle(numbers, k, step.radix);
      numbers.back() = -numbers.back();
    }
    for (std::int64_t p = 0; p < step.m; ++p)
      for (std::int64_t j = 1; j < step.radix; ++j)
        add_twiddle(numbers, p * j, std::int64_t{step.radix} * step.m);
  }
  const std::int64_t n = call.pass.n;
  if (has_spectrum(call.pass))
    for (std::int64_t k = 0; k <= n; ++k) add_twiddle(numbers, k, 2 * n);
  if (numbers.empty()) numbers.push_back(0);  // of one point, which needs no step
  return numbers;
}

LineCall call_of_lines(const FftPass& first, const FftPass& second,
                       const std::array<FftLoop, kFftBatchLoops>& batch, std::int64_t lanes) {
  LineCall call = {call_of_pass(first), call_of_pass(second), batch};
  call.first.twiddle_pitch = (first.loops[0].length + lanes - 1) / lanes * lanes;
  return call;
}

std::vector<double> twiddle_numbers(const LineCall& call) {
  const FftPass& pass = call.first.pass;
  const std::int64_t pitch = call.first.twiddle_pitch, inner = pass.loops[0].length;
  std::vector<double> numbers, twiddle;
  for (std::int64_t k = 0; k < pass.n; ++k) {
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::int64_t t = 0; t < pitch; ++t) {
        twiddle.clear();
        add_twiddle(twiddle, t < inner ? t * k : 0, pass.twiddle_n);
        numbers.push_back(twiddle[part]);
      }
    }
  }
  return numbers;
}

}  // namespace quern::algorithms::fft_host
