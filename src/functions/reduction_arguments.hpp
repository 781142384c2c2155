// SPDX-License-Identifier: MIT
// Parameters that reductions share, in NumPy's order, and how rows read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quern/reduce.hpp"
#include "quern/registry.hpp"

namespace quern::functions {

// The dtype of the result if `dtype=` decides, as of extremes and of short floats.
[[nodiscard]] inline DType reduced_type(const Array& a, const ReduceOptions& options) {
  return options.dtype ? *options.dtype : a.dtype();
}

}  // namespace quern::functions

namespace quern::registry {

inline constexpr std::string_view kSum =
    "a: array, axis: ints = None, dtype: dtype = None, out: out = None, keepdims: bool = False, "
    "initial: number = None, where: mask = True";

inline ReduceOptions sum_options(const Arguments& a) {
  return {.over = a.over(1),
          .keepdims = a.flag(4),
          .dtype = a.find<DType>(2),
          .initial = a.find<Number>(5),
          .where = a.mask(6),
          .out = a.find<Array>(3)};
}

inline constexpr std::string_view kExtreme =
    "a: array, axis: ints = None, out: out = None, keepdims: bool = False, initial: number = None, "
    "where: mask = True";

inline ReduceOptions extreme_options(const Arguments& a) {
  return {.over = a.over(1),
          .keepdims = a.flag(3),
          .initial = a.find<Number>(4),
          .where = a.mask(5),
          .out = a.find<Array>(2)};
}

inline constexpr std::string_view kMean =
    "a: array, axis: ints = None, dtype: dtype = None, out: out = None, keepdims: bool = False, "
    "*, where: mask = True";

inline ReduceOptions mean_options(const Arguments& a) {
  return {.over = a.over(1),
          .keepdims = a.flag(4),
          .dtype = a.find<DType>(2),
          .where = a.mask(5),
          .out = a.find<Array>(3)};
}

inline constexpr std::string_view kPosition =
    "a: array, axis: int = None, out: out = None, *, keepdims: bool = False";

template <Array (*function)(const Array&, const ReduceOptions&)>
Result call_position(const Arguments& a) {
  const std::optional<int> axis = a.axis(1);
  return function(a.array(0),
                  {.over = axis ? Over(*axis) : Over(), .keepdims = a.flag(3), .out = a.find<Array>(2)});
}

inline constexpr std::string_view kSpread =
    "a: array, axis: ints = None, dtype: dtype = None, out: out = None, ddof: number = 0, "
    "keepdims: bool = False, *, where: mask = True, mean: array = None, correction: number = None";
inline constexpr std::string_view kSpreadAbout =
    "mean: The mean if it is already known, with the reduced axes kept.\n"
    "ddof: Delta degrees of freedom: the divisor is N - ddof for N elements.\n"
    "correction: Array API name of `ddof`.";

template <Array (*function)(const Array&, double, const ReduceOptions&, const std::optional<Array>&)>
Result call_spread(const Arguments& a) {
  const double ddof = a.get<Number>(4).value().real();
  if (a.has(8) && ddof != 0)
    throw ArgumentError(
        ArgumentError::Kind::value,
        std::string(a.function().name) + ": correction and ddof are aliases; give one of them");
  return function(a.array(0), a.has(8) ? a.get<Number>(8).value().real() : ddof,
                  {.over = a.over(1),
                   .keepdims = a.flag(5),
                   .dtype = a.find<DType>(2),
                   .where = a.mask(6),
                   .out = a.find<Array>(3)},
                  a.find<Array>(7));
}

}  // namespace quern::registry
