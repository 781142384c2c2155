// SPDX-License-Identifier: MIT
// Histograms: what they accept, and how the work is shared out.
#include "quern/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>

#include "algorithms/host/histogram_loops.hpp"
#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operands.hpp"
#include "algorithms/sort_keys.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/reduction.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using namespace algorithms;

constexpr std::size_t kMostBins = (std::size_t{1} << 31) - 2;
constexpr std::size_t kMostUniform = std::size_t{1} << 30;  // places in them are converted to int
constexpr unsigned kThreads = 512;
constexpr std::size_t kLocalTable = std::size_t{32} << 10;  // bytes that all copies of a table may take,
constexpr std::size_t kLocalMost = std::size_t{44} << 10;   // and one alone

// What elements of this type are compared in.
DType compared_as(const DType& dtype) {
  return DType::of(is_floating_point(dtype) && dtype.itemsize < 8 ? Scalar::float32 : Scalar::float64);
}

enum class Rule : std::uint8_t { by_value, uniform, by_edges };

// One histogram whose arguments have been checked.
struct Plan {
  Rule rule = Rule::by_value;
  std::size_t count = 0;
  double low = 0, high = 0, scale = 0, slack = 0;
  Buffer edges;  // of the type that elements are compared in
  const Array* weights = nullptr;
};

void check_elements(const char* what, const Queue& queue, const Array& x, const Array* weights) {
  check_vector(what, "x", x, queue);
  const DeviceProperties& device = queue.state()->properties();
  if (x.dtype().scalar == Scalar::float16 && !device.has_fp16)
    reject_dtype(what, "x", x.dtype(), "another dtype, as the device has no half precision");
  if (weights == nullptr) return;
  check_vector(what, "weights", *weights, queue);
  check_size(what, "weights", *weights, x.size());
  if (!is_integer(weights->dtype()) && !is_floating_point(weights->dtype()))
    reject_dtype(what, "weights", weights->dtype(), "an integer or floating-point dtype");
  if (!device.has_fp64 || (device.kind != DeviceKind::cpu && !device.has_int64_atomics))
    throw ArgumentError(
        ArgumentError::Kind::value,
        std::string(what) + ": weights are summed in float64, which " + queue.device().spec() + " cannot");
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

Defines defines_of(const Plan& plan, const Array& x, bool groups, bool wide_sums) {
  const bool weighted = plan.weights != nullptr;
  const bool is_double = plan.rule != Rule::by_value && compared_as(x.dtype()).itemsize == 8;
  return {{"ELEMENT", codegen::type_name(x.dtype())},
          {"REAL", is_double ? "double" : "float"},
          {"REAL_BITS", is_double ? "64" : "32"},
          {"BINS_BY_VALUE", plan.rule == Rule::by_value ? "1" : "0"},
          {"BINS_UNIFORM", plan.rule == Rule::uniform ? "1" : "0"},
          {"WEIGHTED", weighted ? "1" : "0"},
          {"WEIGHT", weighted ? codegen::type_name(plan.weights->dtype()) : "uint"},
          {"SUM", weighted    ? "double"
                  : wide_sums ? "ulong"
                              : "uint"},
          {"SUM_BITS", wide_sums ? "64" : "32"},
          {"TOTAL", weighted ? "double" : "long"},
          {"GROUPS", groups ? "1" : "0"}};
}

Kernel kernel_for(const char* name, const Defines& defines, bool weighted) {
  return weighted ? kernel_of({"atomics", "histogram"}, name, defines)
                  : kernel_of({"histogram"}, name, defines);
}

// The arguments that all counting kernels share, around those that are their own.
std::vector<KernelArgument> arguments_of(const Plan& plan, const Buffer& x, const Buffer& weights,
                                         const Buffer& rows, std::initializer_list<KernelArgument> sizes,
                                         std::uint32_t count) {
  std::vector<KernelArgument> arguments = {x};
  if (plan.weights != nullptr) arguments.emplace_back(weights);
  // Where there are no edges nothing is read.
  arguments.insert(arguments.end(), {plan.edges.empty() ? rows : plan.edges, rows});
  arguments.insert(arguments.end(), sizes);
  arguments.insert(arguments.end(), {count, plan.low, plan.high, plan.scale, plan.slack});
  return arguments;
}

Event count_in_chunks(const Queue& queue, const Plan& plan, const Array& x, const Array& out) {
  const std::size_t n = x.size(), count = plan.count, cores = queue.device().properties().compute_units;
  const bool weighted = plan.weights != nullptr;
  // Tables cost as much to clear and to sum up as elements to count; a row counts less than 2^32.
  const std::size_t tables = weighted || count > 4096 ? 1 : 4;
  const std::size_t wanted =
      std::clamp<std::size_t>(n / std::max<std::size_t>(4096, 4 * count), 1, cores * 4);
  const std::size_t chunk = std::min<std::size_t>((n + wanted - 1) / wanted, std::size_t{1} << 31);
  const std::size_t chunks = (n + chunk - 1) / chunk, pitch = count + 1;
  Defines defines = defines_of(plan, x, false, false);
  defines.emplace_back("TABLES", std::to_string(tables));
  const Buffer rows(queue, chunks * tables * pitch * (weighted ? 8 : 4));
  const Buffer elements = x.elements(), weights = weighted ? plan.weights->elements() : Buffer();
  kernel_for("histogram_chunks", defines, weighted)
      .launch(queue, range(chunks).with_local(1),
              arguments_of(plan, elements, weights, rows, {n, chunk}, static_cast<std::uint32_t>(count)));
  return kernel_for("histogram_sum", defines, weighted)(queue,
                                                        range(std::min(count, cores * 4)).with_local(1), rows,
                                                        out.elements(), chunks * tables, count, pitch);
}

Event count_in_groups(const Queue& queue, const Plan& plan, const Array& x, const Array& out) {
  const DeviceProperties& device = queue.state()->properties();
  const std::size_t n = x.size(), count = plan.count, itemsize = x.dtype().itemsize;
  const bool weighted = plan.weights != nullptr;
  // Drivers with compilers of their own promise a kernel no more than this, whatever it says it needs.
  const std::size_t most = device.dialect == Dialect::opencl_c ? 256 : kThreads;
  const std::size_t threads = std::min(most, device.max_work_group_size);
  const std::size_t sum_size = weighted ? 8 : 4, table = count * sum_size;
  const bool is_local = table <= std::min(kLocalMost, device.local_memory);
  std::size_t copies = 32;
  while (copies > 1 && table * copies > kLocalTable) copies /= 2;
  const bool wide = !is_local && !weighted && n > std::numeric_limits<std::uint32_t>::max();
  if (wide && !device.has_int64_atomics)
    throw ArgumentError(ArgumentError::Kind::value,
                        "histogram: so many bins and elements need 64-bit atomics, which " +
                            queue.device().spec() + " has not");
  const bool has_vectors = itemsize <= 16 && algorithms::is_aligned(x.buffer(), x.offset(), 16);
  const std::size_t width = has_vectors && !weighted ? 16 / itemsize : 1;

  Defines defines = defines_of(plan, x, true, wide);
  defines.insert(defines.end(), {{"THREADS", std::to_string(threads)},
                                 {"COPIES", std::to_string(copies)},
                                 {"VECTOR", width > 1 ? "uint4" : codegen::type_name(x.dtype())},
                                 {"WIDTH", std::to_string(width)},
                                 {"UNROLL", itemsize == 1 ? "2" : "4"}});
  const Buffer elements = x.elements(), weights = weighted ? plan.weights->elements() : Buffer();
  const std::size_t per_group = threads * width * 4;
  const std::size_t groups =
      std::clamp<std::size_t>((n + per_group - 1) / per_group, 1, std::size_t{device.compute_units} * 4);
  const std::size_t row_count = is_local ? groups : 1;
  const Buffer rows(queue, row_count * count * (wide ? 8 : sum_size));
  const auto narrow_count = static_cast<std::uint32_t>(count);
  if (is_local) {
    std::vector<KernelArgument> arguments = arguments_of(plan, elements, weights, rows, {n}, narrow_count);
    arguments.emplace_back(LocalMemory{table * copies});
    kernel_for("histogram_groups", defines, weighted)
        .launch(queue, range(groups * threads).with_local(threads), arguments);
  } else {
    const std::byte zero{0};
    queue.fill(rows, {&zero, 1});
    kernel_for("histogram_atomic", defines, weighted)
        .launch(queue, range(groups * threads).with_local(threads),
                arguments_of(plan, elements, weights, rows, {n}, narrow_count));
  }
  return kernel_for("histogram_sum", defines, weighted)(
      queue, range((count + 31) / 32 * threads).with_local(threads), rows, out.elements(), row_count, count,
      count);
}

Event count(const Queue& queue, const Plan& plan, const Array& x, const Array& out, WaitList wait_for) {
  if (plan.count == 0) return {};
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (x.size() == 0) {
    const std::byte zero{0};
    return queue.fill(out.elements(), {&zero, 1});
  }
  if (prefers_precompiled(queue, x.size())) {
    const DType real = plan.rule == Rule::by_value ? DType{} : compared_as(x.dtype());
    return count_by_loops(queue, {&x, plan.weights, &out, plan.edges, real, plan.low, plan.scale});
  }
  return queue.device().properties().kind == DeviceKind::cpu ? count_in_chunks(queue, plan, x, out)
                                                             : count_in_groups(queue, plan, x, out);
}

template <class T>
Buffer upload(const Queue& queue, const std::vector<double>& values) {
  const auto converted = std::make_shared<std::vector<T>>(values.begin(), values.end());
  Buffer result(queue, converted->size() * sizeof(T));
  queue.write(result, converted->data(), result.size(), {}, converted);
  return result;
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
    throw ArgumentError(ArgumentError::Kind::value,
                        "histogram: the range from " + std::to_string(bins.low) + " to " +
                            std::to_string(bins.high) +
                            " is not finite, or its ends are the wrong way round");
  // As NumPy does for a range of nothing.
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
  if (prefers_precompiled(queue, x.size())) {
    if (dtype.itemsize == 8) return std::apply(checked, extremes_by_loops<double>(queue, x));
    return std::apply(checked, extremes_by_loops<float>(queue, x));
  }
  const std::string type = codegen::type_name(dtype),
                    argument = "const " + codegen::type_name(x.dtype()) + " *x";
  const auto extreme = [&](const char* neutral, const char* sign) {
    // Of a NaN and a number the NaN is passed on.
    const ReductionKernel kernel(dtype, neutral, std::string("a ") + sign + " b || a != a ? a : b",
                                 "(" + type + ")x[i]", argument);
    const Array result = kernel(queue, x);
    return dtype.itemsize == 4 ? static_cast<double>(result.to_vector<float>(queue)[0])
                               : result.to_vector<double>(queue)[0];
  };
  const double low = extreme("INFINITY", "<");
  return checked(low, extreme("-INFINITY", ">"));
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
  // How far the computed place in units of a bin may be from what the rounded edges say: four roundings of
  // the place, one of the edge, half an epsilon each; an eighth more for safety.
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
  bin_edges(UniformBins{std::min<std::size_t>(bins.count, 1), bins.low, bins.high}, x.dtype());  // checks
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
    // Negative numbers come out above all others.
    const auto compiled = [&] {
      const ReductionKernel most(DType::of(Scalar::uint64), "0", "max(a, b)", "(ulong)x[i]",
                                 "const " + codegen::type_name(x.dtype()) + " *x");
      return most(queue, x).to_vector<std::uint64_t>(queue)[0];
    };
    const std::uint64_t greatest =
        prefers_precompiled(queue, x.size()) ? extremes_by_loops<std::uint64_t>(queue, x).second : compiled();
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
