// SPDX-License-Identifier: MIT
// Signal processing: convolution, correlation, windows and phases.
#include "quern/signals.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/dtype_kinds.hpp"
#include "base/text.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/cumulative.hpp"
#include "quern/differences.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"

namespace quern {

Overlap overlap_of(std::string_view name, std::string_view function) {
  if (name == "full") return Overlap::full;
  if (name == "same") return Overlap::same;
  if (name == "valid") return Overlap::valid;
  functions::value_error(std::string(function) + ": mode must be 'full', 'same' or 'valid', got '" +
                         std::string(name) + "'");
}

namespace {

Array backwards(const Array& vector) {
  return view(vector, {Index::slice({}, {}, -1)});
}

// Overlapping rows: sliding windows of this length over a contiguous vector.
Array rows_of(const Array& x, std::int64_t length) {
  const auto item = static_cast<std::int64_t>(x.dtype().itemsize);
  const ArrayMemory& memory = x.evaluate();
  return {
      memory.buffer, x.dtype(), {functions::size_of(x) - length + 1, length}, {item, item}, memory.offset};
}

// Sums of products with a line, under a mask; short types in float32.
Array masked_sum(const Array& rows, const Array& line, const Array& mask) {
  const DType dtype = rows.dtype();
  const DType computed = detail::widened(dtype);
  const Array products = astype(rows, computed) * astype(line, computed);
  const Array zero = full(rows.queue(), {}, Number(0), computed);
  return astype(sum(where(mask, products, zero), {.over = 1, .dtype = computed}), dtype);
}

using Margin = std::pair<std::int64_t, std::int64_t>;

Array slid(std::string_view function, const Array& a, const Array& v, Overlap overlap) {
  if (a.shape().size() > 1 || v.shape().size() > 1 || a.size() == 0 || v.size() == 0)
    functions::value_error(std::string(function) + ": expected non-empty vectors, got " +
                           shape_text(a.shape()) + " and " + shape_text(v.shape()));
  const DType dtype = result_type(a.dtype(), v.dtype());
  Array longer = astype(functions::flattened(a), dtype), shorter = astype(functions::flattened(v), dtype);
  const bool is_exchanged = longer.size() < shorter.size();
  if (is_exchanged) std::swap(longer, shorter);
  const std::int64_t length = functions::size_of(shorter);
  Margin margin = {0, 0};
  if (overlap == Overlap::full) margin = {length - 1, length - 1};
  if (overlap == Overlap::same) margin = {length / 2, (length - 1) / 2};
  // NumPy then swaps the operands and reverses the result.
  if (overlap == Overlap::same && is_exchanged && function == "correlate")
    margin = {margin.second, margin.first};
  const Array turned = backwards(shorter);
  const Array inside = matmul(rows_of(as_contiguous(longer), length), turned);
  if (margin.first == 0 && margin.second == 0) return inside;
  // At the ends the shorter vector covers only a part: products with zeros there would turn infinities into
  // NaN.
  const auto padded = [&](const Array& x, const Number& nothing) {
    const std::array<std::pair<Number, Number>, 1> values = {std::pair{nothing, nothing}};
    return as_contiguous(pad(x, {margin}, values));
  };
  const Array wide = padded(longer, Number(0));
  const Array is_there =
      padded(full(longer.queue(), longer.shape(), Number(true), DType::of(Scalar::boolean)), Number(false));
  const Array rows = rows_of(wide, length), mask = rows_of(is_there, length);
  const auto end = [&](const Index& part) {
    return masked_sum(view(rows, {part}), turned, view(mask, {part}));
  };
  const std::array<Array, 3> parts = {
      end(Index::slice({}, margin.first)), inside,
      end(Index::slice(functions::size_of(wide) - length + 1 - margin.second))};
  return concat(parts, 0);
}

}  // namespace

Array convolve(const Array& a, const Array& v, Overlap overlap) {
  return slid("convolve", a, v, overlap);
}

Array correlate(const Array& a, const Array& v, Overlap overlap) {
  // NumPy's conj converts booleans to numbers, its correlate does not.
  const Array other = functions::is_complex(v.dtype()) ? apply("conj", {v}) : v;
  return slid("correlate", a, v.shape().empty() ? other : backwards(other), overlap);
}

Array unwrap(const Array& p, const std::optional<Number>& discont, int axis, const Number& period) {
  const std::size_t at = checked_axis(axis, p.shape().size());
  const Array step = diff(p, {.axis = axis});
  DType dtype = result_type(step.dtype(), period);
  if (dtype.scalar == Scalar::float64 && array::default_float(p.queue()).itemsize == 4)
    dtype = DType::of(Scalar::float32);
  const double length = period.value().real();
  // Half of an odd integer period is not an integer.
  const bool is_whole = functions::is_integer(dtype);
  const auto whole_half = static_cast<std::int64_t>(std::floor(length / 2));
  const bool is_odd = is_whole && std::fmod(length, 2) != 0;
  const Number half = is_whole ? Number(whole_half) : Number(length / 2);
  const Number below = is_whole ? Number(-whole_half) : Number(-(length / 2));
  Array shorter = apply("remainder", {step - below, period}) + below;
  if (!is_odd) {
    const Array is_edge = apply("logical_and", {apply("equal", {shorter, below}), step > Number(0)});
    shorter = where(is_edge, half, shorter);
  }
  const Number limit = discont.value_or(Number(length / 2));
  const Array change = where(apply("absolute", {step}) < limit, Number(0), shorter - step);
  const Array result = copy(astype(p, dtype));
  CumulativeOptions options;
  options.axis = static_cast<int>(at);
  const Array total = cumulative(ScanOperation::sum, change, options);
  assign(functions::along(result, at, Index::slice(1)), functions::along(p, at, Index::slice(1)) + total);
  return result;
}

namespace {

template <class F>
Array window(const Queue& queue, std::int64_t count, F&& values) {
  const DType dtype = array::default_float(queue);
  if (count < 2) return full(queue, {std::max<std::int64_t>(count, 0)}, Number(1), dtype);
  const Array places = arange(queue, 1 - count, 2, count, DType::of(Scalar::int64));
  return values(astype(places, dtype) / Number(count - 1));
}

Array cosine(const Array& x, double times) {
  return apply("cos", {x * (times * std::numbers::pi)});
}

}  // namespace

Array bartlett(const Queue& queue, std::int64_t count) {
  return window(queue, count, [](const Array& x) { return Number(1) - apply("absolute", {x}); });
}

Array hanning(const Queue& queue, std::int64_t count) {
  return window(queue, count, [](const Array& x) { return cosine(x, 1) * 0.5 + 0.5; });
}

Array hamming(const Queue& queue, std::int64_t count) {
  return window(queue, count, [](const Array& x) { return cosine(x, 1) * 0.46 + 0.54; });
}

Array blackman(const Queue& queue, std::int64_t count) {
  return window(queue, count,
                [](const Array& x) { return (cosine(x, 1) * 0.5 + 0.42) + cosine(x, 2) * 0.08; });
}

Array kaiser(const Queue& queue, std::int64_t count, double beta) {
  return window(queue, count, [&](const Array& x) {
    const Array inside = apply("maximum", {Number(1) - x * x, 0.0});
    const Array whole = full(queue, {}, beta, x.dtype());
    return apply("i0", {apply("sqrt", {inside}) * beta}) / apply("i0", {whole});
  });
}

namespace registry {
namespace {

template <Array (*function)(const Queue&, std::int64_t)>
Result call_window(const Arguments& a) {
  return function(a.queue(), a.integer(0));
}

template <Array (*function)(const Array&, const Array&, Overlap)>
Result call_slid(const Arguments& a) {
  return function(a.array(0), a.array(1), overlap_of(a.text(2), a.function().name));
}

constexpr std::string_view kSlidAbout =
    "a: First one-dimensional array.\n"
    "v: Second one-dimensional array.\n"
    "mode: 'full': every point of overlap; 'same': the length of the longer array; 'valid': only "
    "complete overlap.";
constexpr std::string_view kCount = "M: Number of points in the window.";

const Function kSignalRows[] = {
    {.name = "convolve",
     .parameters = "a: array, v: array, mode: str = 'full'",
     .summary = "Discrete linear convolution of two one-dimensional arrays.",
     .about = kSlidAbout,
     .returns = "One-dimensional array; its length depends on `mode`.",
     .example = ">>> print(qn.convolve([1, 2, 3], [0, 1, 0.5]))\n[0.  1.  2.5 4.  1.5]",
     .call = call_slid<convolve>},
    {.name = "correlate",
     .parameters = "a: array, v: array, mode: str = 'valid'",
     .summary = "Cross-correlation of two one-dimensional arrays: c[k] is the sum of a[n + k] * conj(v[n]).",
     .about = kSlidAbout,
     .returns = "One-dimensional array; its length depends on `mode`.",
     .example = ">>> print(qn.correlate([1, 2, 3], [0, 1, 0.5], 'same'))\n[2.  3.5 3. ]",
     .call = call_slid<correlate>},
    {.name = "unwrap",
     .parameters = "p: array, discont: number = None, axis: int = -1, *, period: number = 6.283185307179586",
     .summary = "Unwrap angles: remove jumps between neighbours by adding multiples of the period.",
     .about = "p: Angles, in radians by default.\n"
              "discont: Steps larger than this are jumps; None: half a period.\n"
              "axis: Axis to unwrap along; the last one by default.\n"
              "period: Size of the range after which values wrap; 2 pi by default.",
     .returns = "The unwrapped angles, in the shape of `p`.",
     .example = ">>> print(qn.unwrap([0, 90, 190, -80], period=360))\n[  0  90 190 280]",
     .call = [](const Arguments& a) -> Result {
       return unwrap(a.array(0), a.find<Number>(1), *a.axis(2), a.get<Number>(3));
     }},
    {.name = "bartlett",
     .parameters = "M: int",
     .summary = "Bartlett window: a triangle that ends in zeros.",
     .about = kCount,
     .returns = "The window of M points. Its maximum, in the middle, is 1 if M is odd.",
     .example = ">>> print(qn.bartlett(5))\n[0.  0.5 1.  0.5 0. ]",
     .call = call_window<bartlett>},
    {.name = "blackman",
     .parameters = "M: int",
     .summary = "Blackman window: a taper of the first three terms of a cosine sum.",
     .about = kCount,
     .returns = "The window of M points. Its maximum, in the middle, is 1 if M is odd.",
     .example = ">>> print(qn.round(qn.blackman(5), 6) + 0)\n[0.   0.34 1.   0.34 0.  ]",
     .call = call_window<blackman>},
    {.name = "hamming",
     .parameters = "M: int",
     .summary = "Hamming window: a weighted cosine taper.",
     .about = kCount,
     .returns = "The window of M points. Its maximum, in the middle, is 1 if M is odd.",
     .example = ">>> print(qn.round(qn.hamming(5), 6))\n[0.08 0.54 1.   0.54 0.08]",
     .call = call_window<hamming>},
    {.name = "hanning",
     .parameters = "M: int",
     .summary = "Hann window: a raised cosine taper.",
     .about = kCount,
     .returns = "The window of M points. Its maximum, in the middle, is 1 if M is odd.",
     .example = ">>> print(qn.hanning(5))\n[0.  0.5 1.  0.5 0. ]",
     .call = call_window<hanning>},
    {.name = "kaiser",
     .parameters = "M: int, beta: number",
     .summary = "Kaiser window: a taper built from the Bessel function i0.",
     .about = "M: Number of points in the window.\n"
              "beta: Shape parameter: 0 is a rectangle, larger values make the window narrower.",
     .returns = "The window of M points. Its maximum, in the middle, is 1 if M is odd.",
     .example = ">>> print(qn.round(qn.kaiser(5, 5.0), 3))\n"
                "[0.037 0.553 1.    0.553 0.037]",
     .call = [](const Arguments& a) -> Result {
       return kaiser(a.queue(), a.integer(0), a.get<Number>(1).value().real());
     }},
};

}  // namespace

std::span<const Function> signal_rows() {
  return kSignalRows;
}

}  // namespace registry
}  // namespace quern
