// SPDX-License-Identifier: MIT
// Cumulative sums, products, maxima and minima with NumPy's keywords.
#include "quern/cumulative.hpp"

#include <string>
#include <utility>

#include "array/cumulative.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

Array accumulated(std::string_view function, ScanOperation operation, const Array& a,
                  const CumulativeOptions& options, const Queue* queue = nullptr) {
  Array result = array::accumulate_elements(operation, a, options, queue);
  return functions::written(function, std::move(result),
                            {.array = functions::address(options.out), .broadcasts = false});
}

// The array API requires an axis if there are several.
CumulativeOptions with_axis(std::string_view function, const Array& x, CumulativeOptions options) {
  const std::size_t rank = x.shape().size();
  if (!options.axis && rank > 1)
    throw ArgumentError(ArgumentError::Kind::value, std::string(function) +
                                                        ": expected an axis, because the array has " +
                                                        std::to_string(rank) + " axes");
  if (!options.axis) options.axis = -1;
  return options;
}

}  // namespace

Array cumulative(ScanOperation operation, const Array& array, const CumulativeOptions& options,
                 const Queue* queue) {
  return accumulated("cumulative", operation, array, options, queue);
}

Array cumsum(const Array& a, const CumulativeOptions& options) {
  return accumulated("cumsum", ScanOperation::sum, a, options);
}

Array cumprod(const Array& a, const CumulativeOptions& options) {
  return accumulated("cumprod", ScanOperation::product, a, options);
}

Array cummax(const Array& a, const CumulativeOptions& options) {
  return accumulated("cummax", ScanOperation::maximum, a, options);
}

Array cummin(const Array& a, const CumulativeOptions& options) {
  return accumulated("cummin", ScanOperation::minimum, a, options);
}

Array cumulative_sum(const Array& x, const CumulativeOptions& options) {
  return accumulated("cumulative_sum", ScanOperation::sum, x, with_axis("cumulative_sum", x, options));
}

Array cumulative_prod(const Array& x, const CumulativeOptions& options) {
  return accumulated("cumulative_prod", ScanOperation::product, x, with_axis("cumulative_prod", x, options));
}

namespace registry {
namespace {

using Accumulation = Array (*)(const Array&, const CumulativeOptions&);

// a, axis, dtype, out
template <Accumulation function>
Result call_sum(const Arguments& a) {
  return function(a.array(0), {.axis = a.axis(1), .dtype = a.find<DType>(2), .out = a.find<Array>(3)});
}

// a, axis, out
template <Accumulation function>
Result call_extreme(const Arguments& a) {
  return function(a.array(0), {.axis = a.axis(1), .out = a.find<Array>(2)});
}

// x, axis, dtype, out, include_initial
template <Accumulation function>
Result call_standard(const Arguments& a) {
  return function(
      a.array(0),
      {.axis = a.axis(1), .dtype = a.find<DType>(2), .include_initial = a.flag(4), .out = a.find<Array>(3)});
}

constexpr std::string_view kSum = "a: array, axis: int = None, dtype: dtype = None, out: out = None";
constexpr std::string_view kExtreme = "a: array, axis: int = None, out: out = None";
constexpr std::string_view kStandard =
    "x: array, /, *, axis: int = None, dtype: dtype = None, out: out = None, include_initial: bool = False";
constexpr std::string_view kStandardAbout =
    "axis: Axis to accumulate along. It is required for arrays of two or more dimensions.\n"
    "include_initial: If True, the result starts with the identity (0 or 1) and is one element "
    "longer.";
constexpr std::string_view kSumNotes =
    "Booleans and integers shorter than 64 bits are summed in 64 bits. The work is enqueued "
    "immediately.";
constexpr std::string_view kProductNotes =
    "Booleans and integers shorter than 64 bits are multiplied in 64 bits. The work is enqueued "
    "immediately.";
constexpr std::string_view kReturns = "The shape of the array; one-dimensional if `axis` is None.";
constexpr std::string_view kStandardReturns =
    "The shape of the array; one longer along the axis with `include_initial`.";

const Function kCumulativeRows[] = {
    {.name = "cumsum",
     .parameters = kSum,
     .summary = "Cumulative sum of the elements along an axis.",
     .notes = kSumNotes,
     .returns = kReturns,
     .example = ">>> print(qn.cumsum([[1, 2], [3, 4]]))\n[ 1  3  6 10]\n"
                ">>> print(qn.cumsum([1.5, 2, 3], axis=0))\n[1.5 3.5 6.5]",
     .is_method = true,
     .call = call_sum<cumsum>},
    {.name = "cumprod",
     .parameters = kSum,
     .summary = "Cumulative product of the elements along an axis.",
     .notes = kProductNotes,
     .returns = kReturns,
     .example = ">>> print(qn.cumprod([1, 2, 3, 4]))\n[ 1  2  6 24]",
     .is_method = true,
     .call = call_sum<cumprod>},
    {.name = "cummax",
     .parameters = kExtreme,
     .summary = "Cumulative maximum of the elements along an axis, like numpy.maximum.accumulate.",
     .notes = "All results from the first NaN on are NaN.",
     .returns = kReturns,
     .example = ">>> print(qn.cummax([1, 3, 2, 5]))\n[1 3 3 5]",
     .call = call_extreme<cummax>},
    {.name = "cummin",
     .parameters = kExtreme,
     .summary = "Cumulative minimum of the elements along an axis, like numpy.minimum.accumulate.",
     .notes = "All results from the first NaN on are NaN.",
     .returns = kReturns,
     .example = ">>> print(qn.cummin([4, 3, 5, 1]))\n[4 3 3 1]",
     .call = call_extreme<cummin>},
    {.name = "cumulative_sum",
     .parameters = kStandard,
     .summary = "Cumulative sum of the elements along an axis, as the array API standard defines it.",
     .notes = kSumNotes,
     .about = kStandardAbout,
     .returns = kStandardReturns,
     .example = ">>> print(qn.cumulative_sum([1, 2, 3], include_initial=True))\n[0 1 3 6]",
     .call = call_standard<cumulative_sum>},
    {.name = "cumulative_prod",
     .parameters = kStandard,
     .summary = "Cumulative product of the elements along an axis, as the array API standard defines it.",
     .notes = kProductNotes,
     .about = kStandardAbout,
     .returns = kStandardReturns,
     .example = ">>> print(qn.cumulative_prod([[1, 2], [3, 4]], axis=1))\n[[ 1  2]\n [ 3 12]]",
     .call = call_standard<cumulative_prod>},
};

}  // namespace

std::span<const Function> cumulative_rows() {
  return kCumulativeRows;
}

}  // namespace registry
}  // namespace quern
