// SPDX-License-Identifier: MIT
// Quantiles of sorted lines. Their positions are computed on the host or, if lines have different numbers of
// non-NaN elements, on the device.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "base/bfloat16.hpp"
#include "base/dtype_kinds.hpp"
#include "base/half.hpp"
#include "codegen/ops.hpp"
#include "functions/lines.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "quern/cumulative.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/sorting.hpp"
#include "quern/statistics.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;
using functions::Lines;
using Method = QuantileMethod;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct MethodName {
  std::string_view name;
  Method method;
};
constexpr std::array kMethods = std::to_array<MethodName>({
    {"linear", Method::linear},
    {"inverted_cdf", Method::inverted_cdf},
    {"averaged_inverted_cdf", Method::averaged_inverted_cdf},
    {"closest_observation", Method::closest_observation},
    {"interpolated_inverted_cdf", Method::interpolated_inverted_cdf},
    {"hazen", Method::hazen},
    {"weibull", Method::weibull},
    {"median_unbiased", Method::median_unbiased},
    {"normal_unbiased", Method::normal_unbiased},
    {"lower", Method::lower},
    {"higher", Method::higher},
    {"midpoint", Method::midpoint},
    {"nearest", Method::nearest},
});

// Methods whose results are elements.
bool is_discrete(Method method) {
  return method == Method::inverted_cdf || method == Method::closest_observation || method == Method::lower ||
         method == Method::higher || method == Method::nearest;
}

// Hyndman and Fan's alpha and beta are equal for all methods but this one, where they are 0 and 1.
double alpha_of(Method method) {
  switch (method) {
    case Method::hazen:
      return 0.5;
    case Method::median_unbiased:
      return 1 / 3.0;
    case Method::normal_unbiased:
      return 3 / 8.0;
    default:
      return 0;
  }
}
double beta_of(Method method) {
  return method == Method::interpolated_inverted_cdf ? 1 : alpha_of(method);
}

// The probabilities q, from 0 to 1, in the precision that NumPy computes with.
struct Parts {
  DType dtype;
  Shape shape;
  bool is_weak;
  std::vector<double> values;
  [[nodiscard]] bool is_whole() const {
    const Kinds kind = codegen::kind_of(dtype);
    return kind == Kinds::boolean || kind == Kinds::integer;
  }
  [[nodiscard]] double rounded(double value) const {
    if (dtype.scalar == Scalar::float32) return static_cast<float>(value);
    if (dtype.scalar == Scalar::bfloat16) return from_bfloat16(to_bfloat16(static_cast<float>(value)));
    return dtype.scalar == Scalar::float16 ? static_cast<double>(from_half(to_half(value))) : value;
  }
};

Parts parts_of(std::string_view function, const HostNumbers& q, int whole) {
  Parts parts{q.dtype(), q.shape(), q.is_weak(), q.values()};
  if (whole != 1) {
    if (parts.is_whole()) parts.dtype = DType::of(Scalar::float64);
    for (double& value : parts.values) value = parts.rounded(value / whole);
  }
  for (std::size_t k = 0; k < parts.values.size(); ++k)
    if (!(parts.values[k] >= 0 && parts.values[k] <= 1))
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(function) + ": q: expected numbers from 0 to " + std::to_string(whole) +
                              ", got " + std::to_string(q[k]));
  return parts;
}

// The dtype of interpolated values; integers 0 and 1 as q select elements.
DType dtype_of_result(std::string_view function, const Array& x, const Parts& parts, Method method) {
  if (is_discrete(method) || (parts.is_whole() && method == Method::linear)) return x.dtype();
  if (x.dtype().scalar == Scalar::boolean)
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(function) + ": booleans cannot be interpolated; convert them to numbers");
  const DType own = parts.is_whole() ? DType::of(Scalar::float64) : parts.dtype;
  const DType both = parts.is_weak ? result_type(x.dtype(), Number(1.0)) : codegen::promoted(x.dtype(), own);
  return functions::held_by(array::queue_of(x, nullptr), both);
}

// The offset of a position by alpha and beta.
double offset_of(Method method, double q, const Parts& parts) {
  const double alpha = alpha_of(method), beta = beta_of(method);
  const auto round = [&](double value) { return parts.rounded(value); };
  return round(round(alpha) + round(q * round(1 - alpha - beta)));
}

// Two neighbours, and the fraction between them.
struct Place {
  std::int64_t low, high;
  double weight;
};

Place place_of(Method method, std::int64_t count, double q, const Parts& parts) {
  const auto round = [&](double value) { return parts.rounded(value); };
  const double n = round(static_cast<double>(count)), last = round(static_cast<double>(count - 1));
  const auto element = [&](double at) {
    const auto index = static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(count - 1)));
    return Place{index, index, 0};
  };
  double at = 0;
  switch (method) {
    case Method::lower:
      return element(std::floor(round(last * q)));
    case Method::higher:
      return element(std::ceil(round(last * q)));
    case Method::nearest:
      return element(std::nearbyint(round(last * q)));
    case Method::inverted_cdf:
      return element(std::ceil(round(round(n * q) - 1)));
    case Method::closest_observation: {
      at = round(round(round(n * q) - 1) - 0.5);
      const bool is_odd = std::fmod(std::fabs(std::floor(at)), 2) == 1;
      return element(at == std::floor(at) && is_odd ? at : std::floor(at) + 1);
    }
    case Method::linear:
    case Method::midpoint:
      at = round(last * q);
      break;
    case Method::averaged_inverted_cdf:
      at = round(round(n * q) - 1);
      break;
    default:
      at = round(round(round(n * q) + offset_of(method, q, parts)) - 1);
  }
  if (at < 0) return element(0);
  if (at >= static_cast<double>(count - 1)) return element(at);
  const double low = std::floor(at);
  double weight = at - low;
  if (method == Method::midpoint && weight != 0) weight = 0.5;
  if (method == Method::averaged_inverted_cdf) weight = weight == 0 ? 0.5 : 1;
  const auto first = static_cast<std::int64_t>(low);
  return {first, first + 1, weight};
}

Array at_end(const Array& lines, std::int64_t k) {
  return view(lines, {Index::ellipsis(), k});
}

Array between(const Array& ordered, const Place& place, const DType& dtype) {
  const Array first = astype(at_end(ordered, place.low), dtype);
  if (place.weight == 0) return first;
  const Array second = astype(at_end(ordered, place.high), dtype);
  if (place.weight == 1) return second;
  // Interpolates from the nearer one, as NumPy does.
  const Array step = second - first;
  return place.weight >= 0.5 ? second - step * Number(1 - place.weight) : first + step * Number(place.weight);
}

// NaN if the line has one: it is the last element.
Array or_nan(const Array& ordered, const Array& value) {
  if (!functions::is_inexact(ordered.dtype())) return value;
  const Array last = astype(at_end(ordered, -1), value.dtype());
  return where(apply("isnan", {last}), last, value);
}

// The quantile of no elements.
Array of_nothing(const Lines& lines, const DType& dtype) {
  if (!functions::is_inexact(dtype))
    throw ArgumentError(ArgumentError::Kind::value,
                        "a quantile of no elements is NaN, which " + dtype.name() + " cannot hold");
  return full(array::queue_of(lines.lines, nullptr), lines.outer, kNotANumber, dtype);
}

// The mean of two elements; short types in float32, where their sum does not overflow.
Array middle_of(const Array& low, const Array& high) {
  if (detail::is_short_float(low.dtype()))
    return astype((astype(low, DType::of(Scalar::float32)) + high) * Number(0.5), low.dtype());
  return (low + high) * Number(0.5);
}

// The number of elements of each line that are not NaN.
Array count_numbers(const Array& lines) {
  return count_nonzero(apply("equal", {lines, lines}), {.over = -1});
}

// For each line the element at its own index, or the first if that is before it.
Array at_places(const Array& ordered, const Array& places) {
  const Array inside = view(apply("maximum", {places, 0}), {Index::ellipsis(), Index::new_axis()});
  const auto axis = static_cast<std::int64_t>(ordered.shape().size()) - 1;
  return at_end(take_along_axis(ordered, inside, axis), 0);
}

// Like place_of, for lines of `count` elements each.
Array nan_quantile(const Array& ordered, const Array& count, double q, const Parts& parts, Method method,
                   const DType& dtype) {
  const DType wide = array::default_float(array::queue_of(ordered, nullptr));
  // Positions need more digits than elements; NumPy computes in the precision of q.
  const DType counted = parts.dtype.scalar == Scalar::float32 ? parts.dtype : wide;
  const Array last = count - 1;
  const Array n = astype(count, counted);
  const auto of_last = [&] { return astype(last, counted) * Number(q); };
  std::optional<Array> at;
  bool is_midpoint = false, is_averaged = false;
  switch (method) {
    case Method::lower:
      at = apply("floor", {of_last()});
      break;
    case Method::higher:
      at = apply("ceil", {of_last()});
      break;
    case Method::nearest:
      at = apply("rint", {of_last()});
      break;
    case Method::inverted_cdf:
      at = apply("ceil", {n * Number(q) - Number(1)});
      break;
    case Method::closest_observation: {
      const Array place = n * Number(q) - Number(1) - Number(0.5), low = apply("floor", {place});
      const Array is_odd = apply("not_equal", {apply("remainder", {low, 2}), 0});
      at = where(apply("logical_and", {apply("equal", {place, low}), is_odd}), low, low + Number(1));
      break;
    }
    case Method::linear:
    case Method::midpoint:
      at = of_last();
      is_midpoint = method == Method::midpoint;
      break;
    case Method::averaged_inverted_cdf:
      at = n * Number(q) - Number(1);
      is_averaged = true;
      break;
    default:
      at = n * Number(q) + Number(offset_of(method, q, parts)) - Number(1);
  }
  const Array place = astype(*at, wide);
  const Array low = apply("floor", {place});
  const DType computed = detail::widened(dtype);
  Array weight = astype(place - low, computed);
  if (is_midpoint)
    weight = where(apply("equal", {weight, 0}), Number(0), full(weight.queue(), {}, 0.5, computed));
  if (is_averaged)
    weight = where(apply("equal", {weight, 0}), full(weight.queue(), {}, 0.5, computed), Number(1));
  // Beyond the ends of the line it is the end element.
  const Array is_inside = apply("logical_and", {place >= Number(0), place < astype(last, wide)});
  weight = where(is_inside, weight, full(weight.queue(), {}, 0, computed));
  const Array index = apply("minimum", {apply("maximum", {astype(low, DType::of(Scalar::int64)), 0}), last});
  const Array first = astype(at_places(ordered, index), computed);
  const Array second = astype(at_places(ordered, apply("minimum", {index + 1, last})), computed);
  const Array step = second - first;
  const Array mixed =
      where(weight >= Number(0.5), second - step * (Number(1) - weight), first + step * weight);
  // A position that is an integer gives that element, also beside infinities.
  const Array exact = where(apply("equal", {weight, 1}), second, mixed);
  return astype(where(apply("equal", {weight, 0}), first, exact), dtype);
}

// Sorted lines with their weights: NumPy's empirical distribution.
struct Weighted {
  Array ordered, distribution, last;  // `last`: the index of the last element with a weight
};

Weighted weighted(std::string_view function, const Lines& lines, const Array& a,
                  const QuantileOptions& options, const Parts& parts, bool leaves_nan_out) {
  functions::check_beside(function, a, *options.weights);
  const Array given =
      broadcast_to(functions::fitted_weights(function, *options.weights, a, options.over), a.shape());
  const Queue queue = array::queue_of(a, nullptr);
  const DType wide = array::default_float(queue);
  Array weights = functions::lines_of(function, given, options.over).lines;
  if (codegen::kind_of(weights.dtype()) == Kinds::complex)
    throw ArgumentError(ArgumentError::Kind::type, std::string(function) + ": weights must be real numbers");
  if (weights.dtype().scalar != Scalar::boolean && functions::truth_of(any(weights < Number(0))))
    throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": weights must not be negative");
  weights = astype(weights, wide);
  const auto axis = static_cast<std::int64_t>(lines.lines.shape().size()) - 1;
  const bool has_nan = leaves_nan_out && functions::is_inexact(lines.lines.dtype());
  if (has_nan) weights = where(apply("isnan", {lines.lines}), Number(0), weights);
  const Array order = argsort(lines.lines, -1);
  const Array ordered = take_along_axis(lines.lines, order, axis);
  Array sums = cumsum(take_along_axis(weights, order, axis), {.axis = -1});
  sums = sums / view(sums, {Index::ellipsis(), Index::slice(-1)});
  Array last = full(queue, lines.outer, lines.lines.shape()[static_cast<std::size_t>(axis)] - 1,
                    DType::of(Scalar::int64));
  Array is_wrong = apply("isnan", {at_end(sums, -1)});
  if (has_nan) {
    last = count_numbers(ordered) - 1;
    is_wrong = apply("logical_and", {is_wrong, last >= Number(0)});
  }
  if (functions::truth_of(any(is_wrong)))
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(function) + ": weights contain NaN or infinity, or are all zero");
  if (!parts.is_whole()) sums = astype(sums, functions::held_by(queue, parts.dtype));
  // Elements without weight also come before the quantile 0.
  return {ordered, where(apply("equal", {sums, 0}), Number(-1), sums), last};
}

Array quantiles(std::string_view function, const Array& a, const HostNumbers& q, int whole,
                const QuantileOptions& options, bool leaves_nan_out) {
  if (codegen::kind_of(a.dtype()) == Kinds::complex)
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(function) + ": expected real numbers, got " + a.dtype().name());
  const Method method = options.method;
  if (options.weights && method != Method::inverted_cdf)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(function) + ": only the method 'inverted_cdf' supports weights");
  const Parts parts = parts_of(function, q, whole);
  Lines lines = functions::lines_of(function, a, options.over);
  const std::int64_t count = lines.lines.shape()[lines.outer.size()];
  const bool by_line = leaves_nan_out && codegen::kind_of(a.dtype()) == Kinds::floating;
  const DType dtype = dtype_of_result(function, a, parts, method);
  const Shape& own = options.keepdims ? lines.kept : lines.outer;
  std::optional<Weighted> distribution;
  if (options.weights && count > 0) {
    distribution = weighted(function, lines, a, options, parts, leaves_nan_out);
    lines.lines = distribution->ordered;
  } else {
    lines.lines = sort(lines.lines, -1);
  }
  const Array& ordered = lines.lines;
  const std::optional<Array> numbers =
      by_line && count > 0 && !distribution ? std::optional<Array>(count_numbers(ordered)) : std::nullopt;
  const auto one = [&](double part) -> Array {
    if (count == 0) return of_nothing(lines, dtype);
    if (distribution) {
      const Array before = count_nonzero(distribution->distribution < Number(part), {.over = -1});
      const Array found = at_places(ordered, apply("minimum", {before, distribution->last}));
      return leaves_nan_out ? found : or_nan(ordered, found);
    }
    if (numbers) return nan_quantile(ordered, *numbers, part, parts, method, dtype);
    return or_nan(ordered, between(ordered, place_of(method, count, part, parts), dtype));
  };
  std::vector<Array> results;
  for (const double part : parts.values) results.push_back(reshape(one(part), own));
  Shape shape = parts.shape;
  for (const std::int64_t length : own) shape.push_back(length);
  Array result = results.empty()       ? empty(array::queue_of(a, nullptr), shape, dtype)
                 : parts.shape.empty() ? results.front()
                                       : reshape(stack(results), shape);
  return functions::written(function, std::move(result),
                            {.array = functions::address(options.out), .broadcasts = false});
}

Array shaped(std::string_view function, const Array& result, const Lines& lines,
             const ReduceOptions& options) {
  return functions::written(function, options.keepdims ? reshape(result, lines.kept) : result,
                            {.array = functions::address(options.out), .broadcasts = false});
}

}  // namespace

QuantileMethod quantile_method_of(std::string_view name, std::string_view function) {
  std::string known;
  for (const MethodName& one : kMethods) {
    if (one.name == name) return one.method;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": method: expected one of " +
                                                      known + ", got '" + std::string(name) + "'");
}

Array quantile(const Array& a, const HostNumbers& q, const QuantileOptions& options) {
  return quantiles("quantile", a, q, 1, options, false);
}

Array percentile(const Array& a, const HostNumbers& q, const QuantileOptions& options) {
  return quantiles("percentile", a, q, 100, options, false);
}

Array nanquantile(const Array& a, const HostNumbers& q, const QuantileOptions& options) {
  return quantiles("nanquantile", a, q, 1, options, true);
}

Array nanpercentile(const Array& a, const HostNumbers& q, const QuantileOptions& options) {
  return quantiles("nanpercentile", a, q, 100, options, true);
}

Array median(const Array& a, const ReduceOptions& options) {
  Lines lines = functions::lines_of("median", a, options.over);
  lines.lines = sort(lines.lines, -1);
  const DType dtype =
      functions::is_inexact(a.dtype()) ? a.dtype() : array::default_float(array::queue_of(a, nullptr));
  const std::int64_t count = lines.lines.shape()[lines.outer.size()];
  if (count == 0) return shaped("median", of_nothing(lines, dtype), lines, options);
  const Array low = astype(at_end(lines.lines, (count - 1) / 2), dtype);
  const Array middle = count % 2 != 0 ? low : middle_of(low, astype(at_end(lines.lines, count / 2), dtype));
  return shaped("median", or_nan(lines.lines, middle), lines, options);
}

Array nanmedian(const Array& a, const ReduceOptions& options) {
  Lines lines = functions::lines_of("nanmedian", functions::as_float(a), options.over);
  lines.lines = sort(lines.lines, -1);
  const Array& ordered = lines.lines;
  if (ordered.shape()[lines.outer.size()] == 0)
    return shaped("nanmedian", of_nothing(lines, ordered.dtype()), lines, options);
  const Array count = count_numbers(ordered);
  const Array low = at_places(ordered, apply("floor_divide", {count - 1, 2}));
  const Array high = at_places(ordered, apply("floor_divide", {count, 2}));
  // If there is only one middle element, both are it; twice its value may overflow.
  const Array is_odd = apply("equal", {apply("remainder", {count, 2}), 1});
  return shaped("nanmedian", where(is_odd, low, middle_of(low, high)), lines, options);
}

}  // namespace quern
