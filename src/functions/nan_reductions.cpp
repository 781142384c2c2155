// SPDX-License-Identifier: MIT
// NumPy's reductions that ignore NaN.
#include "quern/nan_reductions.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/reduction_arguments.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;
using functions::stored;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ReduceOptions without_output(const ReduceOptions& options) {
  return {.over = options.over,
          .keepdims = options.keepdims,
          .dtype = options.dtype,
          .initial = options.initial,
          .where = options.where};
}

// The elements, with NaN replaced by a number.
Array with(const Array& a, const Number& number) {
  return functions::is_inexact(a.dtype()) ? where(apply("isnan", {a}), number, a) : a;
}

Array is_only_nan(const Array& a, const Over& over, bool keepdims = false) {
  return all(apply("isnan", {a}), {.over = over, .keepdims = keepdims});
}

Array extreme(std::string_view function, const char* name, const Array& a, const ReduceOptions& options,
              double replacement) {
  const bool is_real = codegen::kind_of(a.dtype()) == Kinds::floating;
  if (is_real && a.size() != 0 && options.initial && std::isnan(options.initial->value().real())) {
    // An initial value of NaN is ignored like the elements, and masked elements count as NaN.
    return extreme(function, name, options.where ? where(*options.where, a, kNan) : a,
                   {.over = options.over, .keepdims = options.keepdims, .out = options.out}, replacement);
  }
  const Array found = reduce(name, with(a, replacement), without_output(options));
  if (!is_real || options.initial) return stored(function, found, options);
  return stored(function, where(is_only_nan(a, options.over, options.keepdims), kNan, found), options);
}

void check_some(std::string_view function, const Array& a, const Over& over) {
  if (functions::is_inexact(a.dtype()) && functions::truth_of(any(is_only_nan(a, over))))
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(function) + ": all elements of a slice are NaN");
}

// The number of elements that are not NaN.
Array count_numbers(const Array& a, const ReduceOptions& options) {
  Array is_number = apply("equal", {a, a});
  if (options.where) is_number = apply("logical_and", {is_number, broadcast_to(*options.where, a.shape())});
  return count_nonzero(is_number, {.over = options.over, .keepdims = options.keepdims});
}

// Short types have too little range or precision for sums and counts.
bool is_short(const Array& a, const DType& dtype) {
  return !functions::is_complex(a.dtype()) && detail::is_short_float(dtype);
}
ReduceOptions in_default_type(const ReduceOptions& options) {
  return {.over = options.over, .keepdims = options.keepdims, .where = options.where};
}

Array mean_of_numbers(const Array& a, const ReduceOptions& options) {
  if (const DType dtype = functions::reduced_type(a, options); is_short(a, dtype)) {
    const Array wide = astype(a, detail::widened(dtype));
    return astype(mean_of_numbers(wide, in_default_type(options)), dtype);
  }
  const Array total = nansum(a, without_output(options));
  return total / astype(count_numbers(a, options), total.dtype());
}

Array variance_of_numbers(const Array& a, double correction, const ReduceOptions& options,
                          const std::optional<Array>& middle) {
  if (const DType dtype = functions::reduced_type(a, options); is_short(a, dtype)) {
    const Array wide = astype(a, detail::widened(dtype));
    return astype(variance_of_numbers(wide, correction, in_default_type(options), middle), dtype);
  }
  ReduceOptions kept = without_output(options);
  kept.keepdims = true;
  const Array distance = apply("absolute", {a - (middle ? *middle : mean_of_numbers(a, kept))});
  // Only elements that were NaN are ignored; a distance from infinity is NaN, and so is the variance.
  const Array squares = where(apply("isnan", {a}), 0, distance * distance);
  const Array total =
      sum(squares, {.over = options.over, .keepdims = options.keepdims, .where = options.where});
  const Array left = astype(count_numbers(a, options), total.dtype()) - Number(correction);
  return where(left > Number(0), total / left, kNan);
}

}  // namespace

Array nansum(const Array& a, const ReduceOptions& options) {
  return stored("nansum", sum(with(a, 0), without_output(options)), options);
}

Array nanprod(const Array& a, const ReduceOptions& options) {
  return stored("nanprod", prod(with(a, 1), without_output(options)), options);
}

Array nancumsum(const Array& a, const CumulativeOptions& options) {
  return cumsum(with(a, 0), options);
}

Array nancumprod(const Array& a, const CumulativeOptions& options) {
  return cumprod(with(a, 1), options);
}

Array nanmax(const Array& a, const ReduceOptions& options) {
  return extreme("nanmax", "max", a, options, -kInfinity);
}

Array nanmin(const Array& a, const ReduceOptions& options) {
  return extreme("nanmin", "min", a, options, kInfinity);
}

Array nanargmax(const Array& a, const ReduceOptions& options) {
  check_some("nanargmax", a, options.over);
  return stored("nanargmax", argmax(with(a, -kInfinity), without_output(options)), options);
}

Array nanargmin(const Array& a, const ReduceOptions& options) {
  check_some("nanargmin", a, options.over);
  return stored("nanargmin", argmin(with(a, kInfinity), without_output(options)), options);
}

Array nanmean(const Array& a, const ReduceOptions& options) {
  return stored(
      "nanmean",
      functions::is_inexact(a.dtype()) ? mean_of_numbers(a, options) : mean(a, without_output(options)),
      options);
}

Array nanvar(const Array& a, double correction, const ReduceOptions& options,
             const std::optional<Array>& mean) {
  return stored("nanvar",
                functions::is_inexact(a.dtype()) ? variance_of_numbers(a, correction, options, mean)
                                                 : variance(a, correction, without_output(options), mean),
                options);
}

Array nanstd(const Array& a, double correction, const ReduceOptions& options,
             const std::optional<Array>& mean) {
  return stored("nanstd", apply("sqrt", {nanvar(a, correction, without_output(options), mean)}), options);
}

namespace registry {
namespace {

template <Array (*function)(const Array&, const ReduceOptions&)>
Result call_sum(const Arguments& a) {
  return function(a.array(0), sum_options(a));
}

template <Array (*function)(const Array&, const ReduceOptions&)>
Result call_extreme(const Arguments& a) {
  return function(a.array(0), extreme_options(a));
}

// a, axis, dtype, out
template <Array (*function)(const Array&, const CumulativeOptions&)>
Result call_cumulative(const Arguments& a) {
  return function(a.array(0), {.axis = a.axis(1), .dtype = a.find<DType>(2), .out = a.find<Array>(3)});
}

constexpr std::string_view kCumulative = "a: array, axis: int = None, dtype: dtype = None, out: out = None";
constexpr std::string_view kGone = "The results, without the reduced axes.";
constexpr std::string_view kAlong = "The shape of the array; one-dimensional if `axis` is None.";
constexpr std::string_view kPositionNotes =
    "The call waits for a check, and raises ValueError if all elements of a slice are NaN.";

const Function kNanRows[] = {
    {.name = "nansum",
     .parameters = kSum,
     .summary = "Sum of the elements over axes, ignoring NaN.",
     .returns = kGone,
     .example = ">>> print(qn.nansum([1.0, np.nan, 2.5]))\n3.5",
     .call = call_sum<nansum>},
    {.name = "nanprod",
     .parameters = kSum,
     .summary = "Product of the elements over axes, ignoring NaN.",
     .returns = kGone,
     .example = ">>> print(qn.nanprod([2.0, np.nan, 2.5]))\n5.0",
     .call = call_sum<nanprod>},
    {.name = "nanmax",
     .parameters = kExtreme,
     .summary = "Maximum over axes, ignoring NaN; NaN if all elements are NaN.",
     .returns = kGone,
     .example = ">>> print(qn.nanmax([1.0, np.nan, 2.5]))\n2.5",
     .call = call_extreme<nanmax>},
    {.name = "nanmin",
     .parameters = kExtreme,
     .summary = "Minimum over axes, ignoring NaN; NaN if all elements are NaN.",
     .returns = kGone,
     .example = ">>> print(qn.nanmin([1.5, np.nan, 2.5]))\n1.5",
     .call = call_extreme<nanmin>},
    {.name = "nanargmax",
     .parameters = kPosition,
     .summary = "Index of the maximum along an axis, ignoring NaN.",
     .notes = kPositionNotes,
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.nanargmax([1.0, np.nan, 2.5]))\n2",
     .call = call_position<nanargmax>},
    {.name = "nanargmin",
     .parameters = kPosition,
     .summary = "Index of the minimum along an axis, ignoring NaN.",
     .notes = kPositionNotes,
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.nanargmin([np.nan, 1.0, 2.5]))\n1",
     .call = call_position<nanargmin>},
    {.name = "nancumsum",
     .parameters = kCumulative,
     .summary = "Cumulative sum along an axis, treating NaN as 0.",
     .returns = kAlong,
     .example = ">>> print(qn.nancumsum([1.0, np.nan, 2.5]))\n[1.  1.  3.5]",
     .call = call_cumulative<nancumsum>},
    {.name = "nancumprod",
     .parameters = kCumulative,
     .summary = "Cumulative product along an axis, treating NaN as 1.",
     .returns = kAlong,
     .example = ">>> print(qn.nancumprod([2.0, np.nan, 2.5]))\n[2. 2. 5.]",
     .call = call_cumulative<nancumprod>},
    {.name = "nanmean",
     .parameters = kMean,
     .summary = "Mean over axes, ignoring NaN.",
     .returns = kGone,
     .example = ">>> print(qn.nanmean([1.0, np.nan, 2.0]))\n1.5",
     .call = [](const Arguments& a) -> Result { return nanmean(a.array(0), mean_options(a)); }},
    {.name = "nanvar",
     .parameters = kSpread,
     .summary = "Variance over axes, ignoring NaN.",
     .notes = "The result is NaN if there are `ddof` or fewer elements that are not NaN.",
     .about = kSpreadAbout,
     .returns = kGone,
     .example = ">>> print(qn.nanvar([1.0, np.nan, 3.0]))\n1.0",
     .call = call_spread<nanvar>},
    {.name = "nanstd",
     .parameters = kSpread,
     .summary = "Standard deviation over axes, ignoring NaN.",
     .notes = "The result is NaN if there are `ddof` or fewer elements that are not NaN.",
     .about = kSpreadAbout,
     .returns = kGone,
     .example = ">>> print(qn.nanstd([1.0, np.nan, 5.0]))\n2.0",
     .call = call_spread<nanstd>},
};

}  // namespace

std::span<const Function> nan_rows() {
  return kNanRows;
}

}  // namespace registry
}  // namespace quern
