// SPDX-License-Identifier: MIT
// Passes of Fourier transforms by generated kernels: which lines a work-group has, and the launch.
#include "algorithms/fft_kernels.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/fft_tables.hpp"
#include "algorithms/launch/program_table.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

using codegen::FftForm;

constexpr std::int64_t kFftGroup = 256;  // work-items that hide latencies
// A group accesses this many bytes of neighbouring lines at once if they fit into this much local memory,
// otherwise what fits, at least kLeastLineBytes.
constexpr std::int64_t kLineBytes = 128, kLineMemory = std::int64_t{64} << 10;
constexpr std::int64_t kLeastLineBytes = 32, kMostMemory = std::int64_t{128} << 10;
// Groups get no more lines for the sake of their size. Little local memory leaves room for other groups,
// which work while this one waits.
constexpr std::int64_t kGroupMemory = std::int64_t{32} << 10;
// A table of twiddle factors for all lines of a pass that is still read from a cache.
constexpr std::int64_t kTwiddleTableBytes = std::int64_t{4} << 20;

std::int64_t point_bytes(Scalar real) {
  return real == Scalar::float64 ? 16 : 8;
}

std::int64_t power_below(std::int64_t value) {
  std::int64_t power = 1;
  while (2 * power <= value) power *= 2;
  return power;
}

std::int64_t local_bytes(const Queue& queue, std::int64_t wanted) {
  const auto most = static_cast<std::int64_t>(queue.device().properties().local_memory);
  return std::min(wanted, power_below(std::max<std::int64_t>(most * 7 / 8, 1)));
}

// Some OpenCL drivers run kernels with many registers only in groups far below the device's limit.
std::int64_t most_group_of(const Queue& queue) {
  const DeviceProperties& properties = queue.state()->properties();
  const std::size_t most = properties.dialect == Dialect::opencl_c ? 256 : 1024;
  return static_cast<std::int64_t>(std::min(properties.max_work_group_size, most));
}

// Points that a work-item keeps in registers: a butterfly of the largest radix. Fewer steps exchange points
// less often.
int largest_radix(Scalar real) {
  return real == Scalar::float64 ? 16 : 32;
}

// The most points of a group.
std::int64_t most_points(const Queue& queue, Scalar real) {
  return local_bytes(queue, kMostMemory) / point_bytes(real);
}

// Whether all numbers of points of a pass are below the number of elements in memory.
bool is_complete(const FftPass& pass, const FftSide& side, bool is_in, std::int64_t numbers) {
  std::int64_t last = (pass.n - 1) * side.point;
  for (const FftLoop& loop : pass.loops) last += (loop.length - 1) * (is_in ? loop.in_point : loop.out_point);
  return (last + 1) * numbers <= side.count;
}

// A table has the twiddle factors of points 1, 2, 4, ... of a butterfly.
std::int64_t rows_of(int radix) {
  std::int64_t rows = 0;
  while ((1 << rows) < radix) ++rows;
  return rows;
}

// The largest is the last, because the twiddle factors that follow it are looked up for each of its
// butterflies.
std::vector<int> radices_of(std::int64_t n, Scalar real) {
  std::vector<int> radices = fft_radices(n, largest_radix(real));
  if (radices.empty()) radices = {1};
  std::sort(radices.begin(), radices.end());
  return radices;
}

// On CUDA, twice what the points need: for addresses, twiddle factors, and elements of expressions in flight.
// The compiler would take more, and fewer groups would run at once; with less it stores registers in memory.
int registers_of(const Queue& queue, const FftForm& form) {
  if (queue.state()->properties().dialect != Dialect::cuda_cpp) return 0;
  constexpr int kLeast = 64, kMost = 255, kOfUnit = 65536;
  const int points = *std::max_element(form.radices.begin(), form.radices.end()) * (form.is_double ? 4 : 2);
  return std::min({std::max(kLeast, 2 * points), kMost, kOfUnit / form.group() / 8 * 8});
}

FftForm form_of(const Queue& queue, Scalar real, const FftPass& pass, bool is_in_place,
                const FftFused* before, const FftFused* after) {
  FftForm form;
  form.is_double = real == Scalar::float64;
  form.n = pass.n;
  form.radices = radices_of(pass.n, real);
  form.load = pass.load;
  form.store = pass.store;
  form.loops = static_cast<int>(pass.loop_count);
  form.twiddle_loop = pass.twiddle_n != 0 ? static_cast<int>(pass.twiddle_loop) : -1;
  form.is_in_place = is_in_place;
  const std::int64_t most_group = most_group_of(queue), point = point_bytes(real);
  const int largest = *std::max_element(form.radices.begin(), form.radices.end());
  const std::int64_t threads = std::min(std::max<std::int64_t>(pass.n / largest, 1), most_group);
  form.threads = static_cast<int>(threads);
  const FftLoop& first = pass.loops[0];
  const auto is_near = [&](std::int64_t step) { return step == 1 && first.length > 1; };
  form.loads_across =
      is_near(first.in_step + first.in_point * pass.in.step) && pass.in.step * pass.in.point != 1;
  form.stores_across =
      is_near(first.out_step + first.out_point * pass.out.step) && pass.out.step * pass.out.point != 1;
  std::int64_t lanes = std::max<std::int64_t>(kFftGroup / threads, 1);
  const std::int64_t in_group = local_bytes(queue, kGroupMemory) / (pass.n * point);
  if (form.loads_across || form.stores_across) {
    const std::int64_t wide =
        std::max({std::int64_t{1}, std::min(kLineBytes, local_bytes(queue, kLineMemory) / pass.n) / point,
                  std::min(kLeastLineBytes, local_bytes(queue, kMostMemory) / pass.n) / point});
    lanes = std::max(wide, std::min(lanes, in_group));
  } else {
    lanes = std::min(lanes, in_group);
  }
  lanes = std::min({lanes, most_group / threads, power_below(2 * first.length - 1)});
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
  form.is_wide = pass.lines() >= kNarrow || pass.twiddle_n >= kNarrow;
  form.has_twiddle_table =
      pass.twiddle_n != 0 &&
      pass.twiddle_n / pass.n * rows_of(form.radices.back()) * point <= kTwiddleTableBytes;
  form.has_tail = first.length % form.lanes != 0;
  form.registers = registers_of(queue, form);
  if (before != nullptr) form.before = before->text;
  if (after != nullptr) form.after = after->text;
  for (std::size_t d = 0; d < kFftLoops; ++d) form.batch[d] = static_cast<int>(pass.loops[d].batch);
  return form;
}

Kernel kernel_for(const FftForm& form) {
  static auto* const known = new ProgramTable<std::string, Kernel>(1024);  // used until the process ends
  return *known->get(form.key(), [&] {
    ProgramOptions options;
    options.name = "fft.cl";
    if (form.registers != 0) options.options.push_back("--maxrregcount=" + std::to_string(form.registers));
    return std::make_shared<const Kernel>(Program(codegen::emit_fft(form), std::move(options)).kernel("fft"));
  });
}

}  // namespace

std::int64_t most_points_of_kernel(const Queue& queue, Scalar real) {
  return most_points(queue, real);
}

std::int64_t most_points_of_column(const Queue& queue, Scalar real) {
  return most_points(queue, real) / (kLeastLineBytes / point_bytes(real));
}

namespace {

Array step_twiddles(const Queue& queue, Scalar real, std::int64_t n, const std::vector<int>& radices) {
  return kept_table(queue, real, "radices/" + std::to_string(n) + "/" + std::to_string(radices.back()), [&] {
    std::vector<double> numbers;
    codegen::for_each_step_twiddle(n, radices,
                                   [&](std::int64_t k, std::int64_t of) { add_twiddle(numbers, k, of); });
    if (numbers.empty()) numbers.assign(2, 0.0);  // one step needs none
    return numbers;
  });
}

// For each line the twiddle factors of points 1, 2, 4, ... of the last butterfly.
Array line_twiddles(const Queue& queue, Scalar real, std::int64_t lines, int radix) {
  return kept_table(queue, real, "lines/" + std::to_string(lines) + "/" + std::to_string(radix), [&] {
    std::vector<double> numbers;
    for (std::int64_t j = 1; j < radix; j *= 2)
      for (std::int64_t t = 0; t < lines; ++t) add_twiddle(numbers, t * j, lines * radix);
    return numbers;
  });
}

void add_operands(const FftFused* fused, std::vector<KernelArgument>& arguments) {
  if (fused == nullptr) return;
  for (const FftFused::Operand& operand : fused->operands) {
    if (operand.nbytes != 0) {
      arguments.emplace_back(std::span<const std::byte>(operand.number.data(), operand.nbytes));
      continue;
    }
    arguments.emplace_back(operand.buffer);
    for (const std::int64_t number :
         {operand.start, operand.step, operand.batch[0], operand.batch[1], operand.batch[2]})
      arguments.emplace_back(number);
  }
}

}  // namespace

void fft_by_kernel(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from, const Buffer& to,
                   const FftFused* before, const FftFused* after) {
  const bool is_in_place = before == nullptr && from.allocation() == to.allocation();
  const FftForm form = form_of(queue, real, pass, is_in_place, before, after);
  const Array twiddles = step_twiddles(queue, real, pass.n, form.radices);
  const bool has_spectrum = pass.load == FftLoad::half_spectrum || pass.store == FftStore::spectrum;
  const Array half_twiddles = has_spectrum ? fft_table(queue, real, 2 * pass.n, pass.n + 1) : twiddles;
  FftTwiddles products = {twiddles, 0};
  if (pass.twiddle_n != 0) products = fft_twiddles(queue, real, pass.twiddle_n);
  const std::int64_t twiddle_lines = pass.twiddle_n / pass.n;
  const Array twiddle_table =
      form.has_twiddle_table ? line_twiddles(queue, real, twiddle_lines, form.radices.back()) : twiddles;
  std::vector<KernelArgument> arguments;
  if (!is_in_place && before == nullptr) arguments.emplace_back(from);
  arguments.emplace_back(to);
  arguments.emplace_back(LocalMemory{form.local_bytes()});
  const std::array<Buffer, 4> tables = {twiddles.elements(), half_twiddles.elements(),
                                        products.table.elements(), twiddle_table.elements()};
  for (const Buffer& table : tables) arguments.emplace_back(table);
  for (const FftSide* const side : {&pass.in, &pass.out})
    for (const std::int64_t number : {side->start, side->step, side->count, side->point})
      arguments.emplace_back(number);
  arguments.emplace_back((std::uint64_t{1} << products.shift) - 1);
  arguments.emplace_back(static_cast<std::uint32_t>(products.shift));
  arguments.emplace_back(static_cast<std::uint64_t>(twiddle_lines));
  arguments.emplace_back((pass.swaps_in ? 1U : 0U) | (pass.swaps_out ? 2U : 0U));
  arguments.emplace_back(pass.scale);
  for (int d = 0; d < form.loops; ++d) {
    const FftLoop& loop = pass.loops[static_cast<std::size_t>(d)];
    arguments.emplace_back(static_cast<std::uint64_t>(loop.length));
    for (const std::int64_t step : {loop.in_step, loop.out_step, loop.in_point, loop.out_point})
      arguments.emplace_back(step);
  }
  add_operands(before, arguments);
  add_operands(after, arguments);
  const std::int64_t first = pass.loops[0].length;
  const std::int64_t groups = pass.lines() / first * ((first + form.lanes - 1) / form.lanes);
  const auto group = static_cast<std::size_t>(form.group());
  kernel_for(form).launch(queue, range(static_cast<std::size_t>(groups) * group).with_local(group),
                          arguments);
}

}  // namespace quern::algorithms
