// SPDX-License-Identifier: MIT
// Histograms: checks the arguments and divides the work.
#include "quern/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "algorithms/convert.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operands.hpp"
#include "algorithms/reduction_state.hpp"
#include "algorithms/sort_keys.hpp"
#include "base/arithmetic.hpp"
#include "codegen/expression.hpp"
#include "codegen/histogram_form.hpp"
#include "codegen/loop.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using namespace algorithms;

constexpr std::size_t kMostBins = (std::size_t{1} << 31) - 2;
constexpr std::size_t kMostUniform = std::size_t{1} << 30;  // bin positions are converted to int
constexpr std::size_t kFew = 8192;  // one work-item counts fewer elements faster than several
constexpr unsigned kThreads = 512;
// Bytes of local memory for all copies of a table, and for a single one.
constexpr std::size_t kLocalTable = std::size_t{32} << 10;
constexpr std::size_t kLocalMost = std::size_t{44} << 10;

using codegen::compared_as;
using Rule = codegen::HistogramForm::Rule;

// A histogram whose arguments are checked.
struct Plan {
  Rule rule = Rule::by_value;
  std::size_t count = 0;
  double low = 0, high = 0, scale = 0, slack = 0;
  Buffer edges;  // in the type in which elements are compared
  const Array* weights = nullptr;
};

void check_elements(const char* what, const Queue& queue, const Array& x, const Array* weights) {
  check_vector(what, "x", x, queue);
  const DeviceProperties& device = queue.state()->properties();
  if (x.dtype().scalar == Scalar::bfloat16)
    reject_dtype(what, "x", x.dtype(), "another dtype, such as float32 by astype('float32')");
  if (x.dtype().scalar == Scalar::float16 && !device.has_fp16)
    reject_dtype(what, "x", x.dtype(), "another dtype, as the device has no half precision");
  if (weights == nullptr) return;
  check_vector(what, "weights", *weights, queue);
  check_size(what, "weights", *weights, x.size());
  if (!is_integer(weights->dtype()) && !is_floating_point(weights->dtype()))
    reject_dtype(what, "weights", weights->dtype(), "an integer or floating-point dtype");
  if (!device.has_fp64 ||
      (codegen::loop_style(device) == codegen::LoopStyle::grid && !device.has_int64_atomics))
    throw ArgumentError(ArgumentError::Kind::value, std::string(what) +
                                                        ": weights need float64 sums, which " +
                                                        queue.device().spec() + " does not support");
}

void check_out(const char* what, const Queue& queue, const Array& x, const Array& out, const Array* weights) {
  check_vector(what, "out", out, queue);
  check_dtype(what, "out", out, DType::of(weights != nullptr ? Scalar::float64 : Scalar::int64));
  check_apart(what, "out", out, "x", x);
  if (weights != nullptr) check_apart(what, "out", out, "weights", *weights);
  if (out.size() > kMostBins)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(what) + ": more than " + std::to_string(kMostBins) + " bins");
}

void check_compared(const char* what, const Queue& queue, const Array& x) {
  if (!is_integer(x.dtype()) && !is_floating_point(x.dtype()))
    reject_dtype(what, "x", x.dtype(), "bool, an integer or a floating-point dtype");
  if (compared_as(x.dtype()).itemsize == 8 && !queue.device().properties().has_fp64)
    reject_dtype(what, "x", x.dtype(), "float32, as the device has no double precision");
}

codegen::HistogramForm form_of(const Plan& plan, const DType& element) {
  return {element, plan.rule, plan.weights != nullptr ? plan.weights->dtype() : DType(), false};
}

// The arguments that all counting kernels share. `sizes` are the arguments of one kernel.
std::vector<KernelArgument> arguments_of(const Plan& plan, const Buffer& x, const Buffer& weights,
                                         const Buffer& rows, std::initializer_list<std::size_t> sizes,
                                         std::uint32_t count) {
  std::vector<KernelArgument> arguments = {x};
  if (plan.weights != nullptr) arguments.emplace_back(weights);
  // If there are no edges, the kernel does not read this argument.
  arguments.insert(arguments.end(), {plan.edges.empty() ? rows : plan.edges, rows});
  arguments.insert(arguments.end(), sizes.begin(), sizes.end());
  arguments.insert(arguments.end(), {count, plan.low, plan.high, plan.scale, plan.slack});
  return arguments;
}

enum HistogramStep : std::uint8_t { kCountFew, kCountChunks, kSumChunks };
constexpr const char* kSteps[] = {"histogram_few", "histogram_chunks", "histogram_sum"};

Event count_in_chunks(const Queue& queue, Plan plan, const Array& given, const Array& out) {
  const std::size_t n = given.size(), count = plan.count, cores = queue.device().properties().compute_units;
  const bool weighted = plan.weights != nullptr;
  // Kernels with weights exist only for a few types.
  const Array x =
      weighted ? converted(queue, given, codegen::weighted_element(plan.rule, given.dtype())) : given;
  std::optional<Array> as_double;
  if (weighted && plan.weights->dtype().scalar != Scalar::float32)
    plan.weights = &as_double.emplace(converted(queue, *plan.weights, DType::of(Scalar::float64)));
  const Buffer elements = x.elements(), weights = weighted ? plan.weights->elements() : Buffer();
  const auto kernel = [&](HistogramStep step) {
    static auto* const known = new KernelMemo;  // never destroyed
    const codegen::HistogramForm form = form_of(plan, x.dtype());
    const auto code = static_cast<std::uint64_t>(form.element.scalar) |
                      static_cast<std::uint64_t>(form.weight.scalar) << 8 |
                      static_cast<std::uint64_t>(form.rule) << 16 | std::uint64_t{step} << 24;
    return known->get(code, [&] { return kernel_of({"histogram"}, kSteps[step], form.defines(false)); });
  };
  const auto narrow_count = static_cast<std::uint32_t>(count);
  if (n < kFew)
    return kernel(kCountFew).launch(queue, n, range(1).with_local(1),
                                    arguments_of(plan, elements, weights, out.elements(), {n}, narrow_count));
  // Clearing and summing a table costs as much as counting as many elements. A row counts less than 2^32
  // elements.
  const std::size_t tables = weighted || count > 4096 ? 1 : 4;
  const std::size_t wanted =
      std::clamp<std::size_t>(n / std::max<std::size_t>(4096, 4 * count), 1, cores * 4);
  const std::size_t chunk = std::min<std::size_t>(divided_up(n, wanted), std::size_t{1} << 31);
  const std::size_t chunks = divided_up(n, chunk), pitch = count + 1;
  const Buffer rows(queue, chunks * tables * pitch * (weighted ? 8 : 4));
  kernel(kCountChunks)
      .launch(queue, n, range(chunks).with_local(1),
              arguments_of(plan, elements, weights, rows, {n, chunk, tables}, narrow_count));
  return kernel(kSumChunks)(queue, n, range(std::min(count, cores * 4)).with_local(1), rows, out.elements(),
                            chunks * tables, count, pitch);
}

Event count_in_groups(const Queue& queue, const Plan& plan, const Array& x, const Array& out) {
  const DeviceProperties& device = queue.state()->properties();
  const std::size_t n = x.size(), count = plan.count, itemsize = x.dtype().itemsize;
  const bool weighted = plan.weights != nullptr;
  // OpenCL drivers guarantee a work-group of this size for any kernel; larger ones may fail at the launch.
  const std::size_t most = device.dialect == Dialect::opencl_c ? 256 : kThreads;
  const std::size_t threads = std::min(most, device.max_work_group_size);
  const std::size_t sum_size = weighted ? 8 : 4, table = count * sum_size;
  const bool is_local = table <= std::min(kLocalMost, device.local_memory);
  std::size_t copies = 32;
  while (copies > 1 && table * copies > kLocalTable) copies /= 2;
  const bool wide = !is_local && !weighted && n > std::numeric_limits<std::uint32_t>::max();
  if (wide && !device.has_int64_atomics)
    throw ArgumentError(ArgumentError::Kind::value,
                        "histogram: this number of bins and elements needs 64-bit atomics, which " +
                            queue.device().spec() + " does not support");
  const bool has_vectors = itemsize <= 16 && algorithms::is_aligned(x.buffer(), x.offset(), 16);
  const std::size_t width = has_vectors && !weighted ? 16 / itemsize : 1;

  codegen::HistogramForm form = form_of(plan, x.dtype());
  form.has_wide_sums = wide;
  Defines defines = form.defines(true);
  defines.insert(defines.end(), {{"THREADS", std::to_string(threads)},
                                 {"COPIES", std::to_string(copies)},
                                 {"VECTOR", width > 1 ? "uint4" : codegen::type_name(x.dtype())},
                                 {"WIDTH", std::to_string(width)},
                                 {"UNROLL", itemsize == 1 ? "2" : "4"}});
  const auto kernel = [&](const char* name) {
    return weighted ? kernel_of({"atomics", "histogram"}, name, defines)
                    : kernel_of({"histogram"}, name, defines);
  };
  const Buffer elements = x.elements(), weights = weighted ? plan.weights->elements() : Buffer();
  const std::size_t per_group = threads * width * 4;
  const std::size_t groups =
      std::clamp<std::size_t>(divided_up(n, per_group), 1, std::size_t{device.compute_units} * 4);
  const std::size_t row_count = is_local ? groups : 1;
  const Buffer rows(queue, row_count * count * (wide ? 8 : sum_size));
  const auto narrow_count = static_cast<std::uint32_t>(count);
  if (is_local) {
    std::vector<KernelArgument> arguments = arguments_of(plan, elements, weights, rows, {n}, narrow_count);
    arguments.emplace_back(LocalMemory{table * copies});
    kernel("histogram_groups").launch(queue, n, range(groups * threads).with_local(threads), arguments);
  } else {
    const std::byte zero{0};
    queue.fill(rows, {&zero, 1});
    kernel("histogram_atomic")
        .launch(queue, n, range(groups * threads).with_local(threads),
                arguments_of(plan, elements, weights, rows, {n}, narrow_count));
  }
  return kernel("histogram_sum")(queue, n, range(divided_up(count, 32) * threads).with_local(threads), rows,
                                 out.elements(), row_count, count, count);
}

Event count(const Queue& queue, const Plan& plan, const Array& x, const Array& out, WaitList wait_for) {
  if (plan.count == 0) return {};
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (x.size() == 0) {
    const std::byte zero{0};
    return queue.fill(out.elements(), {&zero, 1});
  }
  return codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::chunks
             ? count_in_chunks(queue, plan, x, out)
             : count_in_groups(queue, plan, x, out);
}

std::unique_ptr<const detail::ReductionState> make_extreme(const DType& from, const DType& to,
                                                           bool is_greatest) {
  const std::string type = codegen::type_name(to), sign = is_greatest ? ">" : "<";
  const bool is_real = is_floating_point(to);
  ReductionLoops::Neutral neutral{};  // 0 for unsigned integers, for which only the maximum is needed
  const double infinity = (is_greatest ? -1 : 1) * std::numeric_limits<double>::infinity();
  const auto narrow = static_cast<float>(infinity);
  if (is_real)
    std::memcpy(neutral.data(), to.itemsize == 4 ? static_cast<const void*>(&narrow) : &infinity,
                to.itemsize);
  codegen::Expression map;
  map.output(map.cast(map.operand(from), to));
  auto made = std::make_unique<detail::ReductionState>(
      to, type, codegen::limit_text(to, !is_greatest),
      is_real ? "a " + sign + " b || a != a ? a : b" : "a " + sign + " b ? a : b", "producer(x[i])",
      "const " + codegen::type_name(codegen::storage_of(from)) + " *x",
      GeneratorOptions{"extreme", map.function("producer"), {}});
  made->loops = ReductionLoops::of(map, is_greatest ? "maximum" : "minimum", neutral);
  return made;
}

template <class T>
Buffer upload(const Queue& queue, const std::vector<double>& values) {
  const auto converted = std::make_shared<std::vector<T>>(values.begin(), values.end());
  Buffer result(queue, converted->size() * sizeof(T));
  queue.write(result, converted->data(), result.size(), {}, converted);
  return result;
}

// Returns the minimum or maximum as float32, float64 or uint64. Propagates NaN.
Array extreme_of(const Queue& queue, const Array& x, const DType& dtype, bool is_greatest) {
  struct Table {
    std::mutex mutex;
    std::map<std::tuple<Scalar, Scalar, bool>, std::unique_ptr<const detail::ReductionState>> reductions;
  };
  static auto* const table = new Table;  // never destroyed, because threads may use it until the process ends
  const detail::ReductionState* reduction = nullptr;
  {
    const std::lock_guard lock(table->mutex);
    auto& known = table->reductions[{x.dtype().scalar, dtype.scalar, is_greatest}];
    if (!known) known = make_extreme(x.dtype(), dtype, is_greatest);
    reduction = known.get();
  }
  const Array stored(x.buffer(), codegen::storage_of(x.dtype()), x.shape(), x.strides(), x.offset());
  const KernelArgument argument(stored);
  return reduction->launch(queue, {&argument, 1}, {}, {});
}

Array table_for(const Queue& queue, std::size_t count, const Array* weights) {
  return empty(queue, {static_cast<std::int64_t>(count)},
               DType::of(weights != nullptr ? Scalar::float64 : Scalar::int64));
}

}  // namespace

std::vector<double> bin_edges(const UniformBins& bins, const DType& dtype) {
  if (bins.count == 0 || bins.count > kMostBins)
    throw ArgumentError(ArgumentError::Kind::value, "histogram: the number of bins is " +
                                                        std::to_string(bins.count) + ", expected 1 to " +
                                                        std::to_string(kMostBins));
  if (!std::isfinite(bins.low) || !std::isfinite(bins.high) || bins.low > bins.high)
    throw ArgumentError(ArgumentError::Kind::value, "histogram: the range from " + std::to_string(bins.low) +
                                                        " to " + std::to_string(bins.high) +
                                                        " is not finite or is reversed");
  // As in NumPy, an empty range is extended.
  const double low = bins.low < bins.high ? bins.low : bins.low - 0.5;
  const double high = bins.low < bins.high ? bins.high : bins.high + 0.5;
  const double step = (high - low) / static_cast<double>(bins.count);
  std::vector<double> edges(bins.count + 1);
  for (std::size_t i = 0; i < bins.count; ++i) edges[i] = static_cast<double>(i) * step + low;
  edges[bins.count] = high;
  if (compared_as(dtype).itemsize == 4)
    for (double& edge : edges) edge = static_cast<float>(edge);
  return edges;
}

std::pair<double, double> finite_range(const Queue& queue, const Array& x) {
  check_elements("histogram", queue, x, nullptr);
  check_compared("histogram", queue, x);
  if (x.size() == 0) return {0, 1};
  const DType dtype = compared_as(x.dtype());
  const auto checked = [](double low, double high) {
    if (std::isfinite(low) && std::isfinite(high)) return std::pair(low, high);
    throw ArgumentError(ArgumentError::Kind::value, "histogram: the range of x, from " + std::to_string(low) +
                                                        " to " + std::to_string(high) + ", is not finite");
  };
  const Array low = extreme_of(queue, x, dtype, false), high = extreme_of(queue, x, dtype, true);
  if (dtype.itemsize == 4) return checked(low.to_vector<float>(queue)[0], high.to_vector<float>(queue)[0]);
  return checked(low.to_vector<double>(queue)[0], high.to_vector<double>(queue)[0]);
}

Event histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array& out,
                const Array* weights, WaitList wait_for) {
  check_elements("histogram", queue, x, weights);
  check_compared("histogram", queue, x);
  const std::vector<double> edges = bin_edges(bins, x.dtype());
  check_size("histogram", "out", out, bins.count);
  check_out("histogram", queue, x, out, weights);
  const bool is_double = compared_as(x.dtype()).itemsize == 8;
  Plan plan;
  plan.count = bins.count;
  plan.weights = weights;
  plan.low = edges.front();
  plan.high = edges.back();
  plan.scale = static_cast<double>(bins.count) / (plan.high - plan.low);
  // The largest possible difference, in units of a bin, between the computed position and the rounded edges:
  // four roundings of the position and one of the edge, half an epsilon each, plus an eighth for safety.
  const double epsilon =
      is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  plan.slack = epsilon * 9 / 16 *
               (4 * (static_cast<double>(bins.count) + 1) +
                plan.scale * std::max(std::fabs(plan.low), std::fabs(plan.high)));
  plan.rule = plan.slack < 0.25 && bins.count <= kMostUniform ? Rule::uniform : Rule::by_edges;
  if (!wait_for.empty()) queue.barrier(wait_for);
  plan.edges = is_double ? upload<double>(queue, edges) : upload<float>(queue, edges);
  return count(queue, plan, x, out, {});
}

Array histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array* weights) {
  // Checks the arguments.
  bin_edges(UniformBins{std::min<std::size_t>(bins.count, 1), bins.low, bins.high}, x.dtype());
  Array out = table_for(queue, bins.count, weights);
  histogram(queue, x, bins, out, weights);
  return out;
}

Event histogram(const Queue& queue, const Array& x, const Array& edges, const Array& out,
                const Array* weights, WaitList wait_for) {
  check_elements("histogram", queue, x, weights);
  check_compared("histogram", queue, x);
  check_vector("histogram", "edges", edges, queue);
  check_dtype("histogram", "edges", edges, compared_as(x.dtype()));
  check_size("histogram", "edges", edges, out.size() + 1);
  check_out("histogram", queue, x, out, weights);
  check_apart("histogram", "out", out, "edges", edges);
  Plan plan;
  plan.rule = Rule::by_edges;
  plan.count = out.size();
  plan.weights = weights;
  plan.edges = edges.elements();
  return count(queue, plan, x, out, wait_for);
}

Array histogram(const Queue& queue, const Array& x, const Array& edges, const Array* weights) {
  if (edges.size() == 0)
    throw ArgumentError(ArgumentError::Kind::value, "histogram: edges has 0 elements, expected at least one");
  Array out = table_for(queue, edges.size() - 1, weights);
  histogram(queue, x, edges, out, weights);
  return out;
}

Event bincount(const Queue& queue, const Array& x, const Array& out, const Array* weights,
               WaitList wait_for) {
  check_elements("bincount", queue, x, weights);
  if (!is_integer(x.dtype())) reject_dtype("bincount", "x", x.dtype(), "bool or an integer dtype");
  check_out("bincount", queue, x, out, weights);
  Plan plan;
  plan.count = out.size();
  plan.weights = weights;
  return count(queue, plan, x, out, wait_for);
}

Array bincount(const Queue& queue, const Array& x, std::size_t min_length, const Array* weights) {
  check_elements("bincount", queue, x, weights);
  if (!is_integer(x.dtype())) reject_dtype("bincount", "x", x.dtype(), "bool or an integer dtype");
  std::size_t length = min_length;
  if (x.size() > 0) {
    // Negative elements convert to the largest uint64 values.
    const std::uint64_t greatest =
        extreme_of(queue, x, DType::of(Scalar::uint64), true).to_vector<std::uint64_t>(queue)[0];
    if (greatest >= kMostBins)
      throw ArgumentError(ArgumentError::Kind::value,
                          "bincount: x has " + std::to_string(static_cast<std::int64_t>(greatest)) +
                              ", expected numbers from 0 to " + std::to_string(kMostBins - 1));
    length = std::max<std::size_t>(length, greatest + 1);
  }
  Array out = table_for(queue, length, weights);
  bincount(queue, x, out, weights);
  return out;
}

}  // namespace quern
