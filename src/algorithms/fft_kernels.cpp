// SPDX-License-Identifier: MIT
// Passes of Fourier transforms by generated kernels: which lines a work-group has, and the launch.
#include "algorithms/fft_kernels.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algorithms/launch/program_table.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"
#include "runtime/allocation.hpp"

namespace quern::algorithms {
namespace {

using codegen::FftForm;

constexpr std::int64_t kLocalBytes = std::int64_t{32} << 10;  // of points, without gaps
constexpr std::int64_t kGroup = 256;                          // work-items that hide latencies
constexpr std::int64_t kLineBytes = 128;                      // of memory that a group should access at once

std::int64_t point_bytes(Scalar real) {
  return real == Scalar::float64 ? 16 : 8;
}

std::int64_t power_below(std::int64_t value) {
  std::int64_t power = 1;
  while (2 * power <= value) power *= 2;
  return power;
}

std::int64_t local_bytes(const Queue& queue) {
  const auto most = static_cast<std::int64_t>(queue.device().properties().local_memory);
  return std::min(kLocalBytes, power_below(std::max<std::int64_t>(most * 7 / 8, 1)));
}

// Whether all numbers of points of a pass are below the number of elements in memory.
bool is_complete(const FftPass& pass, const FftSide& side, bool is_in, std::int64_t numbers) {
  std::int64_t last = (pass.n - 1) * side.point;
  for (const FftLoop& loop : pass.loops) last += (loop.length - 1) * (is_in ? loop.in_point : loop.out_point);
  return (last + 1) * numbers <= side.count;
}

FftForm form_of(const Queue& queue, Scalar real, const FftPass& pass, bool is_in_place) {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  FftForm form;
  form.is_double = real == Scalar::float64;
  form.n = pass.n;
  form.radices = fft_radices(pass.n, form.is_double ? 8 : 16);
  if (form.radices.empty()) form.radices = {1};
  form.load = pass.load;
  form.store = pass.store;
  form.loops = static_cast<int>(pass.loop_count);
  form.turn_loop = pass.turn != 0 ? static_cast<int>(pass.turn_loop) : -1;
  form.is_in_place = is_in_place;
  const auto most_group =
      static_cast<std::int64_t>(std::min<std::size_t>(properties.max_work_group_size, 1024));
  const int largest = *std::max_element(form.radices.begin(), form.radices.end());
  const std::int64_t threads = std::min(std::max<std::int64_t>(pass.n / largest, 1), most_group);
  form.threads = static_cast<int>(threads);
  const FftLoop& first = pass.loops[0];
  const auto is_near = [&](std::int64_t step) { return step == 1 && first.length > 1; };
  form.loads_across =
      is_near(first.in_step + first.in_point * pass.in.step) && pass.in.step * pass.in.point != 1;
  form.stores_across =
      is_near(first.out_step + first.out_point * pass.out.step) && pass.out.step * pass.out.point != 1;
  std::int64_t lanes = std::max<std::int64_t>(kGroup / threads, 1);
  if (form.loads_across || form.stores_across) lanes = std::max(lanes, kLineBytes / point_bytes(real));
  lanes = std::min({lanes, local_bytes(queue) / (pass.n * point_bytes(real)), most_group / threads,
                    power_below(2 * first.length - 1)});
  form.lanes = static_cast<int>(power_below(std::max<std::int64_t>(lanes, 1)));
  const bool is_spectrum = pass.load == FftLoad::half_spectrum;
  if (pass.load == FftLoad::odd_spectrum) {
    form.checks_in = pass.in.count < pass.n / 2 + 1;
  } else {
    form.checks_in = is_spectrum ? pass.in.count < pass.n + 1
                                 : !is_complete(pass, pass.in, true, pass.load == FftLoad::pairs ? 2 : 1);
  }
  form.checks_out = pass.store == FftStore::spectrum
                        ? pass.out.count < pass.n + 1
                        : !is_complete(pass, pass.out, false, pass.store == FftStore::pairs ? 2 : 1);
  form.is_unit_in = pass.in.point * pass.in.step == 1;
  form.is_unit_out = pass.out.point * pass.out.step == 1;
  constexpr std::int64_t kNarrow = std::int64_t{1} << 31;
  form.is_wide = pass.lines() >= kNarrow || pass.turn >= kNarrow;
  return form;
}

Kernel kernel_for(const FftForm& form) {
  static auto* const known = new ProgramTable<std::string, Kernel>(1024);  // used until the process ends
  return *known->get(form.key(), [&] {
    ProgramOptions options;
    options.name = "fft.cl";
    return std::make_shared<const Kernel>(Program(codegen::emit_fft(form), std::move(options)).kernel("fft"));
  });
}

}  // namespace

std::int64_t most_points_of_kernel(const Queue& queue, Scalar real) {
  return local_bytes(queue) / point_bytes(real);
}

std::int64_t most_points_of_column(const Queue& queue, Scalar real) {
  // Half a cache line of float32 and a whole one of float64.
  return local_bytes(queue) / (8 * point_bytes(real));
}

void fft_by_kernel(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from,
                   const Buffer& to) {
  const bool is_in_place = from.allocation() == to.allocation();
  const FftForm form = form_of(queue, real, pass, is_in_place);
  const Array turns = fft_table(queue, real, pass.n, pass.n);
  const bool has_spectrum = pass.load == FftLoad::half_spectrum || pass.store == FftStore::spectrum;
  const Array half_turns = has_spectrum ? fft_table(queue, real, 2 * pass.n, pass.n + 1) : turns;
  FftTurns products = {turns, 0};
  if (pass.turn != 0) products = fft_turns(queue, real, pass.turn);
  const Buffer table = turns.elements(), half_table = half_turns.elements(),
               product_table = products.table.elements();
  std::vector<KernelArgument> arguments;
  if (!is_in_place) arguments.emplace_back(from);
  arguments.emplace_back(to);
  arguments.emplace_back(table);
  arguments.emplace_back(half_table);
  arguments.emplace_back(product_table);
  for (const FftSide* const side : {&pass.in, &pass.out})
    for (const std::int64_t number : {side->start, side->step, side->count, side->point})
      arguments.emplace_back(number);
  arguments.emplace_back((std::uint64_t{1} << products.shift) - 1);
  arguments.emplace_back(static_cast<std::uint32_t>(products.shift));
  arguments.emplace_back((pass.swaps_in ? 1U : 0U) | (pass.swaps_out ? 2U : 0U));
  arguments.emplace_back(pass.scale);
  for (int d = 0; d < form.loops; ++d) {
    const FftLoop& loop = pass.loops[static_cast<std::size_t>(d)];
    arguments.emplace_back(static_cast<std::uint64_t>(loop.length));
    for (const std::int64_t step : {loop.in_step, loop.out_step, loop.in_point, loop.out_point})
      arguments.emplace_back(step);
  }
  const std::int64_t first = pass.loops[0].length;
  const std::int64_t groups = pass.lines() / first * ((first + form.lanes - 1) / form.lanes);
  const auto group = static_cast<std::size_t>(form.group());
  kernel_for(form).launch(queue, range(static_cast<std::size_t>(groups) * group).with_local(group),
                          arguments);
}

}  // namespace quern::algorithms
