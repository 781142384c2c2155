// SPDX-License-Identifier: MIT
// Weighted means and covariances; the rows of all statistics.
#include "quern/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "functions/lines.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;

[[noreturn]] void refuse(ArgumentError::Kind kind, const std::string& text) {
  throw ArgumentError(kind, text);
}

// A 0-d array or vector as one row, a matrix as it is or transposed.
Array table_of(const Array& given, const DType& dtype, bool is_turned) {
  const std::size_t rank = given.shape().size();
  if (rank > 2)
    refuse(ArgumentError::Kind::value, "cov: expected at most two dimensions, got " + std::to_string(rank));
  const Array table = astype(rank == 2 ? given : reshape(given, {1, -1}), dtype);
  return is_turned && rank == 2 ? permute_dims(table) : table;
}

// Checked weights of one kind.
std::vector<double> checked_weights(const char* name, const HostNumbers& weights, std::int64_t count,
                                    bool is_whole) {
  if (weights.shape().size() != 1 || weights.shape()[0] != count)
    refuse(ArgumentError::Kind::value, std::string("cov: ") + name + ": expected " + std::to_string(count) +
                                           " weights along one axis, one for each observation");
  std::vector<double> values = weights.values();
  for (const double value : values) {
    if (is_whole && value != std::nearbyint(value))
      refuse(ArgumentError::Kind::type, std::string("cov: ") + name + ": expected integers");
    if (value < 0)
      refuse(ArgumentError::Kind::value, std::string("cov: ") + name + ": weights must not be negative");
  }
  return values;
}

Array within_one(const Array& x) {
  return apply("minimum", {apply("maximum", {x, -1}), 1});
}

}  // namespace

Average average(const Array& a, const AverageOptions& options) {
  const ReduceOptions over{.over = options.over, .keepdims = options.keepdims};
  static_cast<void>(functions::checked_axes("average", options.over, a.shape().size()));
  if (!options.weights) {
    Array result = mean(a, over);
    const double each =
        static_cast<double>(a.size()) / static_cast<double>(std::max<std::size_t>(result.size(), 1));
    const Array total = full(array::queue_of(a, nullptr), result.shape(), each, result.dtype());
    return {std::move(result), total};
  }
  functions::check_beside("average", a, *options.weights);
  const Array given = functions::fitted_weights("average", *options.weights, a, options.over);
  DType dtype = codegen::promoted(a.dtype(), given.dtype());
  if (!functions::is_inexact(a.dtype())) dtype = codegen::promoted(dtype, DType::of(Scalar::float64));
  dtype = functions::held_by(array::queue_of(a, nullptr), dtype);
  // Products of narrow integers may not fit their dtype.
  const Array x = astype(a, dtype), weights = astype(given, dtype);
  const Array total = sum(broadcast_to(weights, a.shape()), over);
  return {sum(x * weights, over) / total, total};
}

Array cov(const Array& m, const CovarianceOptions& options) {
  const Queue queue = array::queue_of(m, nullptr);
  if (options.ddof && *options.ddof != std::nearbyint(*options.ddof))
    refuse(ArgumentError::Kind::value, "cov: ddof: expected an integer");
  DType dtype = codegen::promoted(m.dtype(), DType::of(Scalar::float64));
  if (options.y) dtype = codegen::promoted(dtype, options.y->dtype());
  dtype = options.dtype ? *options.dtype : functions::held_by(queue, dtype);
  Array table = table_of(m, dtype, !options.rowvar);
  if (options.y) {
    functions::check_beside("cov", m, *options.y);
    const Shape& shape = options.y->shape();
    const bool is_turned = !options.rowvar && shape.size() == 2 && shape[0] != 1;
    const std::vector<Array> both = {table, table_of(*options.y, dtype, is_turned)};
    table = concat(both, 0);
  }
  const std::int64_t count = table.shape()[1];
  const double less = options.ddof ? *options.ddof : options.bias ? 0 : 1;
  std::vector<double> weights;
  if (options.fweights) weights = checked_weights("fweights", *options.fweights, count, true);
  if (options.aweights) {
    const std::vector<double> own = checked_weights("aweights", *options.aweights, count, false);
    if (!options.fweights) weights.assign(own.size(), 1.0);
    for (std::size_t k = 0; k < own.size(); ++k) weights[k] *= own[k];
  }
  const bool has_weights = options.fweights || options.aweights;
  double divisor = static_cast<double>(count) - less;
  if (has_weights) {
    double total = 0, squares = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      total += weights[k];
      if (options.aweights) squares += weights[k] * (*options.aweights)[k];
    }
    divisor = less == 0 ? total : options.aweights ? total - less * squares / total : total - less;
  }
  divisor = std::max(divisor, 0.0);
  if (!has_weights) {
    const Array distance = table - mean(table, {.over = 1, .keepdims = true});
    return squeeze(matmul(distance, permute_dims(apply("conj", {distance}))) / Number(divisor));
  }
  const Array each =
      astype(HostNumbers(weights).to_array(queue), functions::held_by(queue, DType::of(Scalar::float64)));
  const Array middle = average(table, {.over = 1, .keepdims = true, .weights = each}).mean;
  const Array distance = table - middle;
  return squeeze(matmul(distance, permute_dims(apply("conj", {distance * each}))) / Number(divisor));
}

Array corrcoef(const Array& x, const CovarianceOptions& options) {
  const Array c = cov(x, {.y = options.y, .rowvar = options.rowvar, .dtype = options.dtype});
  if (c.shape().empty()) return c / c;
  const Array width = apply("sqrt", {apply("real", {diagonal(c)})});
  const Array result =
      c / view(width, {Index::slice(), Index::new_axis()}) / view(width, {Index::new_axis()});
  if (codegen::kind_of(result.dtype()) != Kinds::complex) return within_one(result);
  return within_one(apply("real", {result})) +
         within_one(apply("imag", {result})) * Number(std::complex<double>(0, 1));
}

namespace registry {
namespace {

// a, q, axis, out, overwrite_input, method, keepdims, weights
template <Array (*function)(const Array&, const HostNumbers&, const QuantileOptions&)>
Result call_quantile(const Arguments& a) {
  return function(a.array(0), a.numbers(1),
                  {.over = a.over(2),
                   .keepdims = a.flag(6),
                   .method = quantile_method_of(a.text(5), a.function().name),
                   .weights = a.find<Array>(7),
                   .out = a.find<Array>(3)});
}

// a, axis, out, overwrite_input, keepdims
template <Array (*function)(const Array&, const ReduceOptions&)>
Result call_median(const Arguments& a) {
  return function(a.array(0), {.over = a.over(1), .keepdims = a.flag(4), .out = a.find<Array>(2)});
}

constexpr std::string_view kQuantile =
    "a: array, q: numbers, axis: ints = None, out: out = None, overwrite_input: bool = False, "
    "method: str = 'linear', keepdims: bool = False, *, weights: array = None";
constexpr std::string_view kMedian =
    "a: array, axis: ints = None, out: out = None, overwrite_input: bool = False, keepdims: bool = False";
constexpr std::string_view kQuantileAbout =
    "q: Probabilities, from 0 to 1. The call waits for a device array.\n"
    "axis: Axes to reduce over; negative values count from the last axis. None: all elements.\n"
    "overwrite_input: Accepted for compatibility with NumPy; the array is never overwritten.\n"
    "method: One of NumPy's 13 estimation methods: 'linear', 'lower', 'higher', 'nearest', "
    "'midpoint', 'inverted_cdf'...\n"
    "weights: Weight of each element; only for method 'inverted_cdf'. The call waits for a "
    "device array.";
constexpr std::string_view kPercentileAbout =
    "q: Percentages, from 0 to 100. The call waits for a device array.\n"
    "axis: Axes to reduce over; negative values count from the last axis. None: all elements.\n"
    "overwrite_input: Accepted for compatibility with NumPy; the array is never overwritten.\n"
    "method: One of NumPy's 13 estimation methods: 'linear', 'lower', 'higher', 'nearest', "
    "'midpoint', 'inverted_cdf'...\n"
    "weights: Weight of each element; only for method 'inverted_cdf'. The call waits for a "
    "device array.";
constexpr std::string_view kMedianAbout =
    "axis: Axes to reduce over; negative values count from the last axis. None: all elements.\n"
    "overwrite_input: Accepted for compatibility with NumPy; the array is never overwritten.";
constexpr std::string_view kQuantileReturns = "The quantiles; the axes of `q` come first in the shape.";
constexpr std::string_view kNanNotes = "The result is NaN if all elements are NaN.";

const Function kStatisticsRows[] = {
    {.name = "median",
     .parameters = kMedian,
     .summary = "Median of the elements over axes.",
     .notes = "The result is NaN if an element is NaN or if there are no elements.",
     .about = kMedianAbout,
     .returns = "The medians, without the reduced axes.",
     .example = ">>> print(qn.median([[1, 5, 2], [4, 9, 8]], axis=1))\n[2. 8.]",
     .call = call_median<median>},
    {.name = "nanmedian",
     .parameters = kMedian,
     .summary = "Median of the elements over axes, ignoring NaN.",
     .notes = kNanNotes,
     .about = kMedianAbout,
     .returns = "The medians, without the reduced axes.",
     .example = ">>> print(qn.nanmedian([1.0, np.nan, 4.0]))\n2.5",
     .call = call_median<nanmedian>},
    {.name = "quantile",
     .parameters = kQuantile,
     .summary = "Quantiles of the elements over axes.",
     .notes = "The result is NaN if an element is NaN or if there are no elements.",
     .about = kQuantileAbout,
     .returns = kQuantileReturns,
     .example = ">>> print(qn.quantile([1.0, 2.0, 3.0, 4.0], [0.25, 0.5]))\n[1.75 2.5 ]\n"
                ">>> print(qn.quantile([1, 2, 3, 4], 0.3, method='inverted_cdf'))\n2",
     .call = call_quantile<quantile>},
    {.name = "percentile",
     .parameters = kQuantile,
     .summary = "Percentiles of the elements over axes.",
     .notes = "The result is NaN if an element is NaN or if there are no elements.",
     .about = kPercentileAbout,
     .returns = kQuantileReturns,
     .example = ">>> print(qn.percentile([1.0, 2.0, 3.0, 4.0], 75))\n3.25",
     .call = call_quantile<percentile>},
    {.name = "nanquantile",
     .parameters = kQuantile,
     .summary = "Quantiles of the elements over axes, ignoring NaN.",
     .notes = kNanNotes,
     .about = kQuantileAbout,
     .returns = kQuantileReturns,
     .example = ">>> print(qn.nanquantile([1.0, np.nan, 2.0], 0.5))\n1.5",
     .call = call_quantile<nanquantile>},
    {.name = "nanpercentile",
     .parameters = kQuantile,
     .summary = "Percentiles of the elements over axes, ignoring NaN.",
     .notes = kNanNotes,
     .about = kPercentileAbout,
     .returns = kQuantileReturns,
     .example = ">>> print(qn.nanpercentile([1.0, np.nan, 2.0], 50))\n1.5",
     .call = call_quantile<nanpercentile>},
    {.name = "average",
     .parameters = "a: array, axis: ints = None, weights: array = None, returned: bool = False, *, "
                   "keepdims: bool = False",
     .summary = "Weighted average of the elements over axes.",
     .notes = "If the weights sum to 0, the average is NaN or infinite. NumPy raises ZeroDivisionError.",
     .about = "axis: Axes to reduce over; negative values count from the last axis. None: all elements.\n"
              "weights: Weights in the shape of the array, or with the lengths of the reduced axes. None: "
              "all are 1.\n"
              "returned: If True, also return the sums of the weights.",
     .returns = "The averages; with `returned` a tuple of averages and sums of the weights.",
     .type = "Any",
     .example = ">>> print(qn.average([1.0, 2.0, 6.0], weights=[3, 1, 0]))\n1.25",
     .call = [](const Arguments& a) -> Result {
       Average found =
           average(a.array(0), {.over = a.over(1), .keepdims = a.flag(4), .weights = a.find<Array>(2)});
       if (!a.flag(3)) return std::move(found.mean);
       return std::vector<Array>{std::move(found.mean), std::move(found.weights)};
     }},
    {.name = "cov",
     .parameters = "m: array, y: array = None, rowvar: bool = True, bias: bool = False, ddof: number = None, "
                   "fweights: numbers = None, aweights: numbers = None, *, dtype: dtype = None",
     .summary = "Covariance matrix of variables.",
     .about = "m: Variables and observations: a matrix, or a vector with the observations of one "
              "variable.\n"
              "y: Additional variables, in the form of the first argument.\n"
              "rowvar: If True, each row is a variable; otherwise each column is.\n"
              "bias: If True, divide by N, the number of observations, otherwise by N - 1.\n"
              "ddof: Divide by N - ddof; overrides `bias`.\n"
              "fweights: Integer frequency weights: how often each observation occurred.\n"
              "aweights: Relative weights of the observations.",
     .returns = "Square matrix of covariances; for one variable its variance.",
     .example = ">>> print(qn.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))\n[[ 1. -1.]\n [-1.  1.]]",
     .call = [](const Arguments& a) -> Result {
       CovarianceOptions options{.y = a.find<Array>(1),
                                 .rowvar = a.flag(2),
                                 .bias = a.flag(3),
                                 .fweights = a.find<HostNumbers>(5),
                                 .aweights = a.find<HostNumbers>(6),
                                 .dtype = a.find<DType>(7)};
       if (a.has(4)) options.ddof = a.get<Number>(4).value().real();
       return cov(a.array(0), options);
     }},
    {.name = "corrcoef",
     .parameters = "x: array, y: array = None, rowvar: bool = True, *, dtype: dtype = None",
     .summary = "Matrix of Pearson correlation coefficients of variables.",
     .about = "x: Variables and observations: a matrix, or a vector with the observations of one "
              "variable.\n"
              "y: Additional variables, in the form of the first argument.\n"
              "rowvar: If True, each row is a variable; otherwise each column is.",
     .returns = "Square matrix of coefficients, from -1 to 1.",
     .example = ">>> print(qn.corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))\n[[ 1. -1.]\n [-1.  1.]]",
     .call = [](const Arguments& a) -> Result {
       return corrcoef(a.array(0), {.y = a.find<Array>(1), .rowvar = a.flag(2), .dtype = a.find<DType>(3)});
     }},
};

}  // namespace

std::span<const Function> statistics_rows() {
  return kStatisticsRows;
}

}  // namespace registry
}  // namespace quern
