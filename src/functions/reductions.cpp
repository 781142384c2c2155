// SPDX-License-Identifier: MIT
// Reductions over axes with NumPy's keywords: masks, initial values, output arrays.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/reduce.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "functions/output.hpp"
#include "functions/reduction_arguments.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;
using functions::stored;

// As in NumPy, a 0-d array has an axis for functions that reduce by ufuncs.
Over axes_of(const Array& a, const Over& over) {
  const auto is_only = [](int axis) { return axis == 0 || axis == -1; };
  const bool is_number = a.shape().empty() && over.is_single();
  return is_number && is_only(over.axes()->front()) ? Over() : over;
}

// The number as an element of this kind: truncated for integers.
Number as_kind(const Number& number, Kinds kind) {
  const std::complex<double> value = number.value();
  if (kind == Kinds::boolean) return Number(number.is_huge() || value != std::complex<double>(0));
  if (kind != Kinds::integer || number.kind() == Number::Kind::integer) return number;
  if (number.kind() == Number::Kind::boolean) return Number(value.real() != 0 ? 1 : 0);
  if (std::isnan(value.real()))
    throw ArgumentError(ArgumentError::Kind::value, "initial: cannot convert NaN to an integer");
  constexpr double kEnd = 9223372036854775808.0;  // 2**63
  if (value.real() >= kEnd || value.real() < -kEnd)
    throw NumberError("initial: the number is out of bounds for the dtype of the result");
  return Number(static_cast<std::int64_t>(value.real()));
}

// The identity, which replaces masked elements.
std::optional<Number> neutral_of(std::string_view name) {
  if (name == "sum" || name == "count_nonzero") return Number(0);
  if (name == "prod") return Number(1);
  if (name == "any") return Number(false);
  if (name == "all") return Number(true);
  return {};
}

std::string_view combination_of(std::string_view name) {
  return name == "sum" ? "add" : name == "prod" ? "multiply" : name == "min" ? "minimum" : "maximum";
}

// The number of unmasked elements of each result.
Array counted(const Array& a, const ReduceOptions& options) {
  return reduce("count_nonzero", broadcast_to(*options.where, a.shape()),
                {.over = options.over, .keepdims = options.keepdims});
}

Array masked_mean(const Array& a, const ReduceOptions& options) {
  // Short types have too little range or precision for sums and counts.
  if (const DType dtype = functions::reduced_type(a, options); detail::is_short_float(dtype)) {
    ReduceOptions single{.over = options.over, .keepdims = options.keepdims, .where = options.where};
    return astype(mean(astype(a, detail::widened(dtype)), single), dtype);
  }
  const Kinds kind = codegen::kind_of(a.dtype());
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  const Array x = is_whole ? astype(a, array::default_float(a.queue())) : a;
  const Array total = sum(
      x,
      {.over = options.over, .keepdims = options.keepdims, .dtype = options.dtype, .where = options.where});
  return total / astype(counted(a, options), total.dtype());
}

Array distances(const Array& a, const Array& middle) {
  const Array distance = a - middle;
  return codegen::kind_of(distance.dtype()) == Kinds::complex ? apply("absolute", {distance}) : distance;
}

// The variance by its definition, if a mask or the mean was given.
Array variance_about(const Array& a, double correction, const ReduceOptions& options,
                     const std::optional<Array>& middle) {
  if (const DType dtype = functions::reduced_type(a, options); detail::is_short_float(dtype)) {
    ReduceOptions single{.over = options.over, .keepdims = options.keepdims, .where = options.where};
    const Array wide = astype(a, detail::widened(dtype));
    return astype(variance_about(wide, correction, single, middle), dtype);
  }
  const Array x = options.dtype ? astype(a, *options.dtype) : a;
  const Array about =
      middle
          ? *middle
          : mean(x, {.over = options.over, .keepdims = true, .dtype = options.dtype, .where = options.where});
  const Array distance = distances(x, about);
  ReduceOptions summed{.over = options.over, .keepdims = options.keepdims, .where = options.where};
  const Array total = sum(apply("square", {distance}), summed);
  if (!options.where) {
    const double count = static_cast<double>(array::outcome_of(a, options).count) - correction;
    return total / Number(std::max(count, 0.0));
  }
  const Array left = astype(counted(a, options), total.dtype()) - Number(correction);
  return total / apply("maximum", {left, Number(0)});
}

Array find(bool is_max, const Array& a, const ReduceOptions& options) {
  ReduceOptions own{.over = axes_of(a, options.over), .keepdims = options.keepdims};
  return stored(is_max ? "argmax" : "argmin", array::find_extreme(is_max, a, own), options);
}

}  // namespace

Array reduce(std::string_view name, const Array& a, const ReduceOptions& options) {
  ReduceOptions own{.over = axes_of(a, options.over), .keepdims = options.keepdims, .dtype = options.dtype};
  const bool is_extreme = name == "min" || name == "max";
  std::optional<Number> initial = options.initial;
  if (initial && is_extreme) initial = as_kind(*initial, codegen::kind_of(a.dtype()));
  Array x = a;
  if (options.where) {
    const std::optional<Number> neutral = is_extreme ? initial : neutral_of(name);
    if (!neutral)
      throw ArgumentError(
          ArgumentError::Kind::value,
          std::string(name) + ": where= needs initial=, because the mask may exclude all elements");
    x = where(*options.where, a, *neutral);
  }
  if (initial && is_extreme && x.size() == 0) {
    Shape shape = array::outcome_of(x, own).shape;
    return stored(name, full(x.queue(), std::move(shape), *initial, x.dtype()), options);
  }
  Array result = array::reduce_elements(name, x, own);
  if (initial) {
    const DType dtype = result.dtype();
    // As in NumPy, it is converted to the result's dtype before it is combined.
    const Number first = as_kind(*initial, codegen::kind_of(dtype));
    result = astype(apply(combination_of(name), {result, first}), dtype);
  }
  return stored(name, std::move(result), options);
}

Array ptp(const Array& a, const ReduceOptions& options) {
  const ReduceOptions own{.over = options.over, .keepdims = options.keepdims};
  return stored("ptp", max(a, own) - min(a, own), options);
}

Array argmin(const Array& a, const ReduceOptions& options) {
  return find(false, a, options);
}

Array argmax(const Array& a, const ReduceOptions& options) {
  return find(true, a, options);
}

Array mean(const Array& a, const ReduceOptions& options) {
  return stored("mean", options.where ? masked_mean(a, options) : array::mean_of(a, options), options);
}

Array variance(const Array& a, double correction, const ReduceOptions& options,
               const std::optional<Array>& mean) {
  const auto is_complex = [](const DType& dtype) { return codegen::kind_of(dtype) == Kinds::complex; };
  if (options.dtype && is_complex(a.dtype()) && !is_complex(*options.dtype))
    throw ArgumentError(ArgumentError::Kind::type, "var: cannot convert complex numbers to " +
                                                       options.dtype->name() + "; use real() or imag()");
  Array result = options.where || mean ? variance_about(a, correction, options, mean)
                                       : array::variance_of(a, correction, options);
  // Also for real numbers, as in NumPy.
  if (options.dtype && is_complex(*options.dtype)) result = astype(result, *options.dtype);
  return stored("var", std::move(result), options);
}

Array standard_deviation(const Array& a, double correction, const ReduceOptions& options,
                         const std::optional<Array>& mean) {
  ReduceOptions own = options;
  own.out.reset();
  return stored("std", apply("sqrt", {variance(a, correction, own, mean)}), options);
}

namespace registry {
namespace {

Result call_sum(const Arguments& a) {
  return reduce(a.function().name, a.array(0), sum_options(a));
}

Result call_extreme(const Arguments& a) {
  return reduce(a.function().name, a.array(0), extreme_options(a));
}

// a, axis, out, keepdims, where
Result call_test(const Arguments& a) {
  return reduce(a.function().name, a.array(0),
                {.over = a.over(1), .keepdims = a.flag(3), .where = a.mask(4), .out = a.find<Array>(2)});
}

constexpr std::string_view kTest =
    "a: array, axis: ints = None, out: out = None, keepdims: bool = False, *, where: mask = True";

const Function kReductionRows[] = {
    {.name = "sum",
     .parameters = kSum,
     .summary = "Sum of the elements over axes.",
     .notes = "Booleans and integers shorter than 64 bits are summed in 64 bits, and float32 in float64 if "
              "the device has it.",
     .returns = "The sums, without the reduced axes.",
     .example = ">>> x = qn.asarray([[1, 2], [3, 4]])\n>>> print(qn.sum(x), qn.sum(x, axis=0))\n10 [4 6]",
     .is_method = true,
     .call = call_sum},
    {.name = "prod",
     .parameters = kSum,
     .summary = "Product of the elements over axes.",
     .notes = "Booleans and integers shorter than 64 bits are multiplied in 64 bits.",
     .returns = "The products, without the reduced axes.",
     .example = ">>> print(qn.prod([[1, 2], [3, 4]], axis=1))\n[ 2 12]",
     .is_method = true,
     .call = call_sum},
    {.name = "max",
     .aliases = "amax",
     .parameters = kExtreme,
     .summary = "Maximum of the elements over axes; NaN if any of them is NaN.",
     .notes = "If there are no elements, the call raises ValueError, unless `initial` is given.",
     .returns = "The maxima, without the reduced axes.",
     .example = ">>> print(qn.max([[1, 2], [3, 0]], axis=0))\n[3 2]",
     .is_method = true,
     .call = call_extreme},
    {.name = "min",
     .aliases = "amin",
     .parameters = kExtreme,
     .summary = "Minimum of the elements over axes; NaN if any of them is NaN.",
     .notes = "If there are no elements, the call raises ValueError, unless `initial` is given.",
     .returns = "The minima, without the reduced axes.",
     .example = ">>> print(qn.min([[1, 2], [3, 0]], axis=0))\n[1 0]",
     .is_method = true,
     .call = call_extreme},
    {.name = "any",
     .parameters = kTest,
     .summary = "Test whether any element over axes is nonzero.",
     .returns = "Boolean array without the reduced axes.",
     .example = ">>> print(qn.any([[0, 2], [0, 0]], axis=1))\n[ True False]",
     .is_method = true,
     .call = call_test},
    {.name = "all",
     .parameters = kTest,
     .summary = "Test whether all elements over axes are nonzero.",
     .returns = "Boolean array without the reduced axes.",
     .example = ">>> print(qn.all([[1, 2], [0, 3]], axis=1))\n[ True False]",
     .is_method = true,
     .call = call_test},
    {.name = "count_nonzero",
     .parameters = "a: array, axis: ints = None, *, keepdims: bool = False",
     .summary = "Count the nonzero elements over axes.",
     .returns = "The counts as int64, without the reduced axes.",
     .example = ">>> print(qn.count_nonzero([[0, 2], [1, 3]], axis=0))\n[1 2]",
     .call = [](const Arguments& a) -> Result {
       return count_nonzero(a.array(0), {.over = a.over(1), .keepdims = a.flag(2)});
     }},
    {.name = "ptp",
     .parameters = "a: array, axis: ints = None, out: out = None, keepdims: bool = False",
     .summary = "Range of the elements over axes: maximum - minimum (peak to peak).",
     .returns = "The ranges, without the reduced axes.",
     .example = ">>> print(qn.ptp([[1, 5], [3, 4]], axis=1))\n[4 1]",
     .call = [](const Arguments& a) -> Result {
       return ptp(a.array(0), {.over = a.over(1), .keepdims = a.flag(3), .out = a.find<Array>(2)});
     }},
    {.name = "argmax",
     .parameters = kPosition,
     .summary = "Index of the maximum along an axis, or in the flattened array.",
     .notes = "The first of several equal elements counts. If there is a NaN, the result is the index of "
              "the first NaN.",
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.argmax([[1, 5], [3, 4]], axis=1))\n[1 1]",
     .is_method = true,
     .call = call_position<argmax>},
    {.name = "argmin",
     .parameters = kPosition,
     .summary = "Index of the minimum along an axis, or in the flattened array.",
     .notes = "The first of several equal elements counts. If there is a NaN, the result is the index of "
              "the first NaN.",
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.argmin([[1, 5], [3, 4]], axis=1))\n[0 0]",
     .is_method = true,
     .call = call_position<argmin>},
    {.name = "mean",
     .parameters = kMean,
     .summary = "Mean of the elements over axes, in floating point.",
     .notes = "For integers and booleans the result is float64, or float32 on devices without float64.",
     .returns = "The means, without the reduced axes.",
     .example = ">>> print(qn.mean([[1, 2], [3, 4]], axis=0))\n[2. 3.]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result { return mean(a.array(0), mean_options(a)); }},
    {.name = "var",
     .parameters = kSpread,
     .summary = "Variance of the elements over axes: the mean squared deviation from the mean.",
     .about = kSpreadAbout,
     .returns = "The variances, without the reduced axes.",
     .example = ">>> print(qn.var([1.0, 2.0, 3.0, 4.0]), qn.var([1.0, 2.0, 3.0, 4.0], ddof=1).item())\n"
                "1.25 1.6666666666666667",
     .is_method = true,
     .call = call_spread<variance>},
    {.name = "std",
     .parameters = kSpread,
     .summary = "Standard deviation of the elements over axes: the square root of the variance.",
     .about = kSpreadAbout,
     .returns = "The standard deviations, without the reduced axes.",
     .example = ">>> print(qn.std([1.0, 3.0, 5.0, 7.0]).item())\n2.23606797749979",
     .is_method = true,
     .call = call_spread<standard_deviation>},
};

}  // namespace

std::span<const Function> reduction_rows() {
  return kReductionRows;
}

}  // namespace registry
}  // namespace quern
