// SPDX-License-Identifier: MIT
// Histograms of one variable with NumPy's keywords, bincount and digitize.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/dtype_kinds.hpp"
#include "base/text.hpp"
#include "codegen/ops.hpp"
#include "functions/bins.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/search.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;
using functions::flat;

using functions::refuse;

// The dtype in which elements and edges are compared.
DType compared_as(const DType& dtype) {
  const bool is_single = dtype.scalar == Scalar::float16 || dtype.scalar == Scalar::float32;
  return DType::of(is_single ? Scalar::float32 : Scalar::float64);
}

// Computed edges, in the dtype of the elements if that is floating point.
Array computed_edges(const UniformBins& bins, const DType& dtype, bool has_range, const Queue& queue) {
  const bool is_half = dtype.scalar == Scalar::float16;
  const DType wanted = is_half ? dtype : functions::held_by(queue, compared_as(dtype));
  const HostNumbers edges = is_half && !has_range ? functions::spaced_edges(bins, dtype)
                                                  : functions::in_type(bin_edges(bins, dtype), wanted);
  for (std::size_t k = 1; k < edges.size(); ++k)
    if (edges[k] <= edges[k - 1])
      functions::value_error("histogram: bins: " + std::to_string(bins.count) +
                             " bins are more than the range has numbers of " + edges.dtype().name() + " for");
  return edges.to_array(queue);
}

// The number of bins if it was given or follows from a rule; nothing if the edges were given.
std::optional<UniformBins> uniform_bins(const Array& elements, const Bins& bins, const BinRange& range,
                                        bool has_weights) {
  if (const auto* const rule = std::get_if<std::string>(&bins)) {
    if (has_weights)
      throw ArgumentError(
          ArgumentError::Kind::type,
          "histogram: bins: rules for the number of bins do not support weights; pass the number");
    return functions::estimated_bins(elements, *rule, range);
  }
  const auto* const count = std::get_if<std::int64_t>(&bins);
  if (count == nullptr) return {};
  if (*count < 1) refuse("histogram: bins: expected at least one, got " + std::to_string(*count));
  const auto [low, high] = functions::outer_edges("histogram", elements, range);
  return UniformBins{static_cast<std::size_t>(*count), low, high};
}

Array given_edges(const Bins& bins, const Queue& queue) {
  if (const auto* const edges = std::get_if<Array>(&bins)) {
    if (edges->shape().size() != 1 || edges->size() == 0)
      refuse("histogram: bins: expected a number of bins, or increasing edges");
    return *edges;
  }
  const HostNumbers& edges = std::get<HostNumbers>(bins);
  functions::check_edges("histogram: bins", edges);
  return edges.to_array(queue);
}

// Whether edges decrease. Throws ArgumentError if they are not monotonic. As in NumPy, NaN sorts after
// increasing edges and before decreasing ones.
bool is_falling(const std::vector<double>& edges) {
  const auto other = std::find_if(edges.begin(), edges.end(), [&](double one) { return one != edges[0]; });
  if (edges.empty() || other == edges.end()) return false;
  // A leading NaN is not equal to itself.
  const auto from = std::max(other, edges.begin() + 1);
  if (from == edges.end()) return false;
  const bool is_rising = edges.front() < *from;
  for (auto one = from; one + 1 != edges.end(); ++one)
    if (is_rising ? *one > *(one + 1) : *one < *(one + 1))
      refuse("digitize: bins: expected increasing or decreasing edges");
  return !is_rising;
}

}  // namespace

Histogram histogram(const Array& a, const Bins& bins, const HistogramOptions& options) {
  const Queue queue = array::queue_of(a, nullptr);
  if (codegen::kind_of(a.dtype()) == Kinds::complex)
    throw ArgumentError(ArgumentError::Kind::type,
                        "histogram: expected real numbers, got " + a.dtype().name());
  if (a.dtype().scalar == Scalar::bfloat16)
    return histogram(astype(a, DType::of(Scalar::float32)), bins, options);
  const Array elements = flat(a);
  std::optional<Array> weights;
  if (options.weights) {
    functions::check_beside("histogram", a, *options.weights);
    weights = flat(*options.weights, detail::without_bfloat16(options.weights->dtype()));
  }
  const std::optional<UniformBins> uniform = uniform_bins(elements, bins, options.range, weights.has_value());
  if (weights && !uniform && weights->dtype().scalar == Scalar::boolean && weights->size() != 0)
    throw ArgumentError(ArgumentError::Kind::type, "histogram: weights must be numbers, got bool");
  const Array* const by = functions::address(weights);
  std::optional<Array> edges;
  if (uniform) edges = computed_edges(*uniform, a.dtype(), options.range.has_value(), queue);
  if (!uniform) edges = given_edges(bins, queue);
  // float16 edges are compared in the elements' dtype; only the side on which an element lies matters.
  const bool is_uniform = uniform && a.dtype().scalar != Scalar::float16;
  Array counts = is_uniform ? histogram(queue, elements, *uniform, by)
                            : histogram(queue, elements, flat(*edges, compared_as(a.dtype())), by);
  if (weights) counts = astype(counts, weights->dtype());
  if (!options.density) return {counts, *edges};
  const Array widths = view(*edges, {Index::slice(1)}) - view(*edges, {Index::slice({}, -1)});
  return {counts / astype(widths, array::default_float(queue)) / sum(counts), *edges};
}

Array histogram_bin_edges(const Array& a, const Bins& bins, const BinRange& range) {
  if (a.dtype().scalar == Scalar::bfloat16)
    return histogram_bin_edges(astype(a, DType::of(Scalar::float32)), bins, range);
  const Queue queue = array::queue_of(a, nullptr);
  if (const auto uniform = uniform_bins(flat(a), bins, range, false))
    return computed_edges(*uniform, a.dtype(), range.has_value(), queue);
  return given_edges(bins, queue);
}

Array bincount(const Array& x, const std::optional<Array>& weights, std::int64_t minlength) {
  const Queue queue = array::queue_of(x, nullptr);
  if (x.shape().size() != 1)
    refuse("bincount: expected one dimension, got " + std::to_string(x.shape().size()));
  if (minlength < 0) refuse("bincount: minlength: expected 0 or more, got " + std::to_string(minlength));
  std::optional<Array> own;
  if (weights) {
    functions::check_beside("bincount", x, *weights);
    own = flat(*weights, detail::without_bfloat16(weights->dtype()));
    if (!(own->shape() == x.shape()))
      refuse("bincount: weights of shape " + shape_text(own->shape()) + " for numbers of shape " +
             shape_text(x.shape()));
  }
  // Also with weights, and for an empty list, as in NumPy.
  if (x.size() == 0) return zeros(queue, {minlength}, DType::of(Scalar::int64));
  return bincount(queue, flat(x), static_cast<std::size_t>(minlength), functions::address(own));
}

Array digitize(const Array& x, const HostNumbers& bins, bool right) {
  const Queue queue = array::queue_of(x, nullptr);
  if (codegen::kind_of(x.dtype()) == Kinds::complex)
    throw ArgumentError(ArgumentError::Kind::type, "digitize: complex numbers are not supported");
  if (bins.shape().size() != 1)
    refuse("digitize: bins: expected one-dimensional edges, got " + std::to_string(bins.shape().size()));
  const bool falls = is_falling(bins.values());
  const DType dtype = detail::without_bfloat16(codegen::promoted(x.dtype(), bins.dtype()));
  const Array edges = astype(bins.to_array(queue), dtype);
  const Array rising = as_contiguous(falls ? flip(edges) : edges);
  const Array elements = flat(x, dtype);
  const Array places = right ? lower_bound(queue, rising, elements) : upper_bound(queue, rising, elements);
  return reshape(falls ? Number(bins.size()) - places : places, x.shape());
}

namespace registry {
namespace {

constexpr std::string_view kHistogramAbout =
    "bins: Number of equal-width bins, the increasing bin edges, or a rule: 'auto', 'fd', "
    "'doane', 'scott', 'stone', 'rice', 'sturges' or 'sqrt'.\n"
    "range: Lower and upper end of the bins; None: the minimum and maximum of the array.\n"
    "density: If True, the result is a probability density: its integral over the range is 1.\n"
    "weights: Weight of each element, in the shape of the array.";

const Function kHistogramRows[] = {
    {.name = "histogram",
     .parameters = "a: array, bins: int | str | array | numbers = 10, range: numbers = None, "
                   "density: bool = None, weights: array = None",
     .summary = "Histogram of the elements: the count in each bin, and the bin edges.",
     .notes = "Bins include their lower edge; the last one includes its upper edge, too. Without `range` "
              "the call waits for the minimum and maximum.",
     .about = kHistogramAbout,
     .returns = "The counts, or the sums of the weights, and the bin edges.",
     .type = "tuple[Array, Array]",
     .example = ">>> counts, edges = qn.histogram([1, 2, 2, 4], bins=3)\n>>> print(counts, edges)\n"
                "[1 2 1] [1. 2. 3. 4.]",
     .call = [](const Arguments& a) -> Result {
       Histogram found = histogram(a.array(0), functions::bins_of(a, 1),
                                   {.range = functions::range_of(a, 2),
                                    .density = a.has(3) && a.flag(3),
                                    .weights = a.find<Array>(4)});
       return std::vector<Array>{std::move(found.counts), std::move(found.edges)};
     }},
    {.name = "histogram_bin_edges",
     .parameters = "a: array, bins: int | str | array | numbers = 10, range: numbers = None, "
                   "weights: array = None",
     .summary = "Bin edges that `histogram` would use.",
     .about = kHistogramAbout,
     .returns = "The bin edges, one more than there are bins.",
     .example = ">>> print(qn.histogram_bin_edges([1, 2, 2, 4], bins='sqrt'))\n[1.  2.5 4. ]",
     .call = [](const Arguments& a) -> Result {
       const Bins bins = functions::bins_of(a, 1);
       if (a.has(3) && std::holds_alternative<std::string>(bins))
         throw ArgumentError(ArgumentError::Kind::type,
                             "histogram_bin_edges: rules for the number of bins do not support weights");
       return histogram_bin_edges(a.array(0), bins, functions::range_of(a, 2));
     }},
    {.name = "bincount",
     .parameters = "x: array, /, weights: array = None, minlength: int = 0",
     .summary = "Count the occurrences of each value in an array of non-negative integers.",
     .notes = "The call waits for the maximum, which gives the length of the result.",
     .about = "x: One-dimensional array of non-negative integers.\n"
              "weights: Weight of each element, in the shape of the array.\n"
              "minlength: Minimum length of the result.",
     .returns = "The counts as int64, or with `weights` their sums as float64.",
     .example = ">>> print(qn.bincount([1, 3, 1]))\n[0 2 0 1]",
     .call = [](const Arguments& a) -> Result {
       return bincount(a.array(0), a.find<Array>(1), a.integer(2));
     }},
    {.name = "digitize",
     .parameters = "x: array, bins: numbers, right: bool = False",
     .summary = "Index of the bin that each element belongs to.",
     .notes = "The index is 0 before the first edge, and len(bins) beyond the last.",
     .about = "bins: Bin edges, in increasing or decreasing order. The call waits for edges in a device "
              "array.\n"
              "right: If True, bins include their right edge instead of their left edge.",
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0]))\n[1 4 3]",
     .call = [](const Arguments& a) -> Result { return digitize(a.array(0), a.numbers(1), a.flag(2)); }},
};

}  // namespace

std::span<const Function> histogram_rows() {
  return kHistogramRows;
}

}  // namespace registry
}  // namespace quern
