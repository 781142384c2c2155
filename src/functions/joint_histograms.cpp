// SPDX-License-Identifier: MIT
// Histograms of several variables: each observation is assigned to a cell, and cells are counted.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "functions/bins.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using functions::flat;

[[noreturn]] void refuse_joint(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, "histogramdd: " + text);
}

Array edges_of(const Array& x, const Bins& bins, const BinRange& range, const Queue& queue) {
  if (const auto* const given = std::get_if<Array>(&bins)) {
    if (given->shape().size() != 1 || given->size() == 0) refuse_joint("bins: expected edges along one axis");
    return *given;
  }
  if (const auto* const given = std::get_if<HostNumbers>(&bins)) {
    functions::check_edges("histogramdd: bins", *given);
    return given->to_array(queue);
  }
  const auto* const count = std::get_if<std::int64_t>(&bins);
  if (count == nullptr) refuse_joint("bins: expected numbers of bins, or edges");
  if (*count < 1) refuse_joint("bins: expected at least one, got " + std::to_string(*count));
  const auto [low, high] = functions::outer_edges("histogramdd", x, range);
  const bool is_of_elements = !range && codegen::kind_of(x.dtype()) == codegen::Kinds::floating;
  const DType dtype = is_of_elements ? x.dtype() : array::default_float(queue);
  return functions::spaced_edges({static_cast<std::size_t>(*count), low, high}, dtype).to_array(queue);
}

}  // namespace

JointHistogram histogramdd(std::span<const Array> sample, std::span<const Bins> bins,
                           const JointOptions& options) {
  if (sample.empty()) refuse_joint("sample: expected at least one variable");
  if (bins.size() != sample.size())
    refuse_joint("bins: expected one for each of " + std::to_string(sample.size()) + " variables, got " +
                 std::to_string(bins.size()));
  if (!options.ranges.empty() && options.ranges.size() != sample.size())
    refuse_joint("range: expected one for each of " + std::to_string(sample.size()) + " variables");
  const Queue queue = array::queue_of(sample.front(), nullptr);
  // As in NumPy the variables have one dtype.
  const DType common = functions::common_type(sample);
  std::vector<Array> edges;
  std::optional<Array> cells;
  Shape lengths;
  std::vector<Index> inner;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    functions::check_beside("histogramdd", sample.front(), sample[k]);
    const Array x = flat(sample[k], common);
    if (x.size() != sample.front().size())
      refuse_joint("sample: the variables have different numbers of observations");
    edges.push_back(edges_of(x, bins[k], options.ranges.empty() ? BinRange() : options.ranges[k], queue));
    const auto more = static_cast<std::int64_t>(edges.back().size()) + 1;  // one before and one after
    const Array place = searchsorted(edges.back(), x, true);
    // The last bin includes its upper edge.
    const Array is_last = apply("equal", {x, view(edges.back(), {-1})});
    const Array own = place - astype(is_last, DType::of(Scalar::int64));
    cells = cells ? *cells * Number(more) + own : own;
    lengths.push_back(more);
    inner.push_back(Index::slice(1, -1));
    count *= more;
  }
  std::optional<Array> weights;
  if (options.weights) {
    weights = flat(*options.weights, detail::without_bfloat16(options.weights->dtype()));
    if (weights->size() != cells->size())
      refuse_joint("weights: expected one for each of " + std::to_string(cells->size()) + " observations");
  }
  const Array table =
      bincount(queue, flat(*cells), static_cast<std::size_t>(count), functions::address(weights));
  Array counts = astype(copy(view(reshape(table, lengths), inner)), array::default_float(queue));
  if (!options.density) return {counts, std::move(edges)};
  const Array total = sum(counts);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    Shape shape(lengths.size(), 1);
    shape[k] = lengths[k] - 2;
    const Array widths = view(edges[k], {Index::slice(1)}) - view(edges[k], {Index::slice({}, -1)});
    counts = counts / reshape(widths, shape);
  }
  return {counts / total, std::move(edges)};
}

Histogram2d histogram2d(const Array& x, const Array& y, const Bins& x_bins, const Bins& y_bins,
                        const JointOptions& options) {
  const std::array<Array, 2> sample = {x, y};
  const std::array<Bins, 2> bins = {x_bins, y_bins};
  JointHistogram found = histogramdd(sample, bins, options);
  return {std::move(found.counts), std::move(found.edges[0]), std::move(found.edges[1])};
}

namespace registry {
namespace {

// A matrix has a variable in each column; a sequence has one in each array.
std::vector<Array> variables_of(const Arguments& a) {
  std::vector<Array> result;
  if (a.is<Array>(0)) {
    const Array& sample = a.array(0);
    if (sample.shape().size() != 2) return {reshape(sample, {-1})};
    for (std::int64_t k = 0; k < sample.shape()[1]; ++k) result.push_back(view(sample, {Index::slice(), k}));
    return result;
  }
  result = a.arrays(0);
  const bool is_vector = !result.empty() && result.front().shape().empty();  // of numbers
  return is_vector ? std::vector<Array>{stack(result)} : result;
}

Bins one_kind(const HostNumbers& given) {
  if (!given.shape().empty()) return given;
  const bool is_integer = codegen::kind_of(given.dtype()) == codegen::Kinds::integer;
  if (!is_integer)
    throw ArgumentError(ArgumentError::Kind::type, "histogramdd: bins: expected integers or edges");
  return static_cast<std::int64_t>(given[0]);
}

std::vector<BinRange> ranges_of(const Arguments& a, std::size_t k) {
  std::vector<BinRange> result;
  if (!a.has(k)) return result;
  for (const HostNumbers& one : a.get<std::vector<HostNumbers>>(k))
    result.push_back(one.size() == 0 ? BinRange() : BinRange(functions::range_of(a.function().name, one)));
  return result;
}

std::vector<Bins> all_bins(const Arguments& a, std::size_t k, std::size_t count) {
  if (a.is<std::int64_t>(k)) return std::vector<Bins>(count, Bins(a.integer(k)));
  std::vector<Bins> result;
  for (const HostNumbers& one : a.get<std::vector<HostNumbers>>(k)) result.push_back(one_kind(one));
  return result;
}

// For two variables, a sequence of numbers other than two is the edges of both.
std::vector<Bins> bins_of_two(const Arguments& a, std::size_t k) {
  if (a.is<std::int64_t>(k)) return all_bins(a, k, 2);
  const auto& given = a.get<std::vector<HostNumbers>>(k);
  if (given.size() == 2) return all_bins(a, k, 2);
  if (given.size() == 1) return {one_kind(given[0]), one_kind(given[0])};
  const auto is_whole = [](const HostNumbers& one) {
    return one.shape().empty() && codegen::kind_of(one.dtype()) == codegen::Kinds::integer;
  };
  std::vector<double> numbers;
  for (const HostNumbers& one : given) numbers.push_back(one.size() == 0 ? 0 : one[0]);
  if (!std::all_of(given.begin(), given.end(), is_whole)) return {HostNumbers(numbers), HostNumbers(numbers)};
  const std::vector<std::int64_t> whole(numbers.begin(), numbers.end());
  const auto* const first = reinterpret_cast<const std::byte*>(whole.data());
  const HostNumbers edges(DType::of(Scalar::int64), {static_cast<std::int64_t>(whole.size())},
                          {first, first + whole.size() * sizeof(std::int64_t)});
  return {edges, edges};
}

constexpr std::string_view kJointAbout =
    "sample: Array of shape (N, D) with a variable in each column, or a sequence of D arrays.\n"
    "x: Observations of the first variable.\n"
    "y: Observations of the second variable.\n"
    "bins: Number of equal-width bins, or a sequence with a number or the bin edges for each "
    "variable.\n"
    "range: Lower and upper end of the bins for each variable; None: its minimum and maximum.\n"
    "density: If True, the result is a probability density: its integral over the range is 1.\n"
    "weights: Weight of each observation.";

const Function kJointHistogramRows[] = {
    {.name = "histogramdd",
     .parameters =
         "sample: array | arrays, bins: int | lists = 10, range: lists = None, density: bool = None, "
         "weights: array = None",
     .summary = "Multidimensional histogram of several variables.",
     .about = kJointAbout,
     .returns = "The counts in floating point, with an axis for each variable, and a list of the bin edges.",
     .type = "tuple[Array, list[Array]]",
     .example = ">>> counts, edges = qn.histogramdd([[0, 1, 1], [0, 1, 0]], bins=2)\n>>> print(counts)\n"
                "[[1. 0.]\n [1. 1.]]",
     .call = [](const Arguments& a) -> Result {
       const std::vector<Array> sample = variables_of(a);
       JointHistogram found = histogramdd(
           sample, all_bins(a, 1, sample.size()),
           {.ranges = ranges_of(a, 2), .density = a.has(3) && a.flag(3), .weights = a.find<Array>(4)});
       std::vector<Array> results = {std::move(found.counts)};
       for (Array& edges : found.edges) results.push_back(std::move(edges));
       return results;
     }},
    {.name = "histogram2d",
     .parameters = "x: array, y: array, bins: int | lists = 10, range: lists = None, density: bool = None, "
                   "weights: array = None",
     .summary = "Two-dimensional histogram of two variables.",
     .about = kJointAbout,
     .returns = "The counts in floating point, the bin edges of `x` and those of `y`.",
     .type = "tuple[Array, Array, Array]",
     .example = ">>> counts, xedges, yedges = qn.histogram2d([0, 1, 1], [0, 1, 0], bins=[2, 1])\n"
                ">>> print(counts, yedges)\n[[1.]\n [2.]] [0. 1.]",
     .call = [](const Arguments& a) -> Result {
       const std::vector<Bins> bins = bins_of_two(a, 2);
       const Histogram2d found = histogram2d(
           a.array(0), a.array(1), bins[0], bins[1],
           {.ranges = ranges_of(a, 3), .density = a.has(4) && a.flag(4), .weights = a.find<Array>(5)});
       return std::vector<Array>{found.counts, found.x_edges, found.y_edges};
     }},
};

}  // namespace

std::span<const Function> joint_histogram_rows() {
  return kJointHistogramRows;
}

}  // namespace registry
}  // namespace quern
