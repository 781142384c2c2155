// SPDX-License-Identifier: MIT
// Differences between neighbours, gradients, integrals and interpolation.
#include "quern/differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/casting.hpp"
#include "quern/gather.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/search.hpp"
#include "quern/sorting.hpp"

namespace quern {
namespace {

using functions::along;
using functions::as_float;
using functions::is_complex;

const Index kFirst = Index::slice(0, 1), kLast = Index::slice(-1), kInside = Index::slice(1, -1);
const Index kLater = Index::slice(1), kEarlier = Index::slice({}, -1);

void check_subtraction(std::string_view function, const Array& array) {
  if (functions::is_boolean(array.dtype()))
    functions::type_error(std::string(function) +
                          ": booleans cannot be subtracted; use logical_xor, or convert them");
}

Array difference(const Array& x, std::size_t axis) {
  const Array later = along(x, axis, kLater), earlier = along(x, axis, kEarlier);
  return functions::is_boolean(x.dtype()) ? apply("not_equal", {later, earlier}) : later - earlier;
}

// The array with other arrays or numbers before and after it along an axis.
Array with_ends(const Array& x, std::size_t axis, const DiffOptions& options) {
  if (!options.prepend && !options.append) return x;
  std::vector<Array> parts;
  for (const std::optional<Array>& part : {options.prepend, std::optional<Array>(x), options.append})
    if (part) parts.push_back(*part);
  const DType dtype = functions::common_type(parts);
  Shape shape = x.shape();
  shape[axis] = 0;
  const auto length_of = [&](const Array& part) -> std::int64_t {
    if (part.shape().empty()) return 1;
    if (part.shape().size() <= axis)
      functions::value_error("diff: prepend and append must have as many dimensions as the array, or none");
    return part.shape()[axis];
  };
  for (const Array& part : parts) shape[axis] += length_of(part);
  const Array result = empty(x.queue(), std::move(shape), dtype);
  std::int64_t start = 0;
  for (const Array& part : parts) {
    const std::int64_t end = start + length_of(part);
    assign(along(result, axis, Index::slice(start, end)), part);
    start = end;
  }
  return result;
}

}  // namespace

Array diff(const Array& a, const DiffOptions& options) {
  if (options.n < 0)
    functions::value_error("diff: n is " + std::to_string(options.n) + ", but must not be negative");
  if (options.n == 0) return a;
  if (a.shape().empty()) functions::value_error("diff: expected at least one dimension, got a 0-d array");
  const std::size_t axis = checked_axis(options.axis, a.shape().size());
  Array x = with_ends(a, axis, options);
  const std::int64_t times = std::min(options.n, x.shape()[axis]);  // then the result is empty
  for (std::int64_t k = 0; k < times; ++k) x = difference(x, axis);
  return x;
}

Array ediff1d(const Array& a, const std::optional<Array>& to_end, const std::optional<Array>& to_begin) {
  const Array flat = functions::flattened(a);
  check_subtraction("ediff1d", flat);
  std::vector<Array> parts;
  for (const std::optional<Array>& part : {to_begin, std::optional<Array>(diff(flat)), to_end}) {
    if (!part) continue;
    check_cast("ediff1d", part->dtype(), flat.dtype());
    parts.push_back(astype(functions::flattened(*part), flat.dtype()));
  }
  return parts.size() == 1 ? parts[0] : concat(parts, 0);
}

namespace {

// Gradients of evenly spaced elements.
Array even_slopes(const Array& x, std::size_t axis, double step, int edge_order) {
  const Array result = empty(x.queue(), x.shape(), x.dtype());
  const Array rise = difference(x, axis);
  const auto part = [&](std::int64_t k) {
    return along(x, axis, Index::slice(k, k == -1 ? std::optional<std::int64_t>() : k + 1));
  };
  assign(along(result, axis, kInside),
         (along(x, axis, Index::slice(2)) - along(x, axis, Index::slice({}, -2))) / (2.0 * step));
  if (edge_order == 1) {
    assign(along(result, axis, kFirst), along(rise, axis, kFirst) / step);
    assign(along(result, axis, kLast), along(rise, axis, kLast) / step);
    return result;
  }
  // The slope of the parabola through the three elements at the end.
  assign(along(result, axis, kFirst),
         part(0) * (-1.5 / step) + part(1) * (2.0 / step) + part(2) * (-0.5 / step));
  assign(along(result, axis, kLast),
         part(-3) * (0.5 / step) + part(-2) * (-2.0 / step) + part(-1) * (1.5 / step));
  return result;
}

// Whether all distances are equal; waits for the result.
bool are_even(const Array& places) {
  const std::vector<double> at = functions::doubles_of(places);
  for (std::size_t k = 2; k < at.size(); ++k)
    if (at[k] - at[k - 1] != at[1] - at[0]) return false;
  return true;
}

Array slopes_at(const Array& x, std::size_t axis, const Array& places, int edge_order) {
  if (places.shape() != Shape{x.shape()[axis]})
    functions::value_error("gradient: " + std::to_string(places.size()) + " coordinates for an axis of " +
                           std::to_string(x.shape()[axis]) + " elements");
  const Array result = empty(x.queue(), x.shape(), x.dtype());
  // Integer coordinates may decrease, and differences of narrow integers may not fit their dtype.
  const Array steps = astype(difference(as_float(places), 0), x.dtype());
  const Array width = functions::beside(steps, axis, x.shape().size());
  const Array slope = difference(x, axis) / width;
  const Array before = along(width, axis, kEarlier), behind = along(width, axis, kLater);
  // The slope of the parabola through three points.
  assign(along(result, axis, kInside),
         (along(slope, axis, kEarlier) * behind + along(slope, axis, kLater) * before) / (before + behind));
  if (edge_order == 1) {
    assign(along(result, axis, kFirst), along(slope, axis, kFirst));
    assign(along(result, axis, kLast), along(slope, axis, kLast));
    return result;
  }
  const auto one = [&](const Array& of, std::int64_t k) {
    return along(of, axis, Index::slice(k, k == -1 ? std::optional<std::int64_t>() : k + 1));
  };
  const auto end = [&](const Array& near_step, const Array& far_step, const Array& near_slope,
                       const Array& far_slope) {
    return near_slope + (near_slope - far_slope) * near_step / (near_step + far_step);
  };
  assign(along(result, axis, kFirst), end(one(width, 0), one(width, 1), one(slope, 0), one(slope, 1)));
  assign(along(result, axis, kLast), end(one(width, -1), one(width, -2), one(slope, -1), one(slope, -2)));
  return result;
}

}  // namespace

std::vector<Array> gradient(const Array& f, const GradientOptions& options) {
  const Array x = as_float(f);
  const std::size_t rank = x.shape().size();
  std::vector<std::size_t> axes;
  if (options.axes) {
    for (const int axis : *options.axes) {
      const std::size_t at = checked_axis(axis, rank);
      if (std::find(axes.begin(), axes.end(), at) != axes.end())
        functions::value_error("gradient: axis " + std::to_string(axis) + " is repeated");
      axes.push_back(at);
    }
  } else {
    for (std::size_t d = 0; d < rank; ++d) axes.push_back(d);
  }
  std::vector<Operand> steps = options.spacing;
  if (steps.empty()) steps.emplace_back(1.0);
  if (steps.size() == 1) steps.resize(axes.size(), steps[0]);
  if (steps.size() != axes.size())
    functions::value_error("gradient: " + std::to_string(steps.size()) + " steps for " +
                           std::to_string(axes.size()) + " axes");
  if (options.edge_order != 1 && options.edge_order != 2)
    functions::value_error("gradient: edge_order must be 1 or 2, got " + std::to_string(options.edge_order));
  std::vector<Array> results;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::int64_t length = x.shape()[axes[k]];
    if (length < options.edge_order + 1)
      functions::value_error("gradient: expected " + std::to_string(options.edge_order + 1) +
                             " elements or more along axis " + std::to_string(axes[k]) + ", got " +
                             std::to_string(length));
    const Array* const places = steps[k].array();
    const bool is_uneven = places != nullptr && !places->shape().empty();
    // Except at the ends, NumPy multiplies by uneven steps before it subtracts.
    if (!is_uneven || options.edge_order == 1 || (functions::is_boolean(f.dtype()) && are_even(*places)))
      check_subtraction("gradient", f);
    if (is_uneven)
      results.push_back(slopes_at(x, axes[k], *places, options.edge_order));
    else
      results.push_back(even_slopes(
          x, axes[k],
          places != nullptr ? functions::doubles_of(*places)[0] : steps[k].number().value().real(),
          options.edge_order));
  }
  return results;
}

Array trapezoid(const Array& y, const std::optional<Array>& x, const Operand& dx, int axis) {
  const std::size_t at = checked_axis(axis, y.shape().size());
  // As in NumPy, neighbours are added in their own dtype.
  const Array heights = along(y, at, kLater) + along(y, at, kEarlier);
  if (!x) return sum(apply("multiply", {dx, heights}) / 2.0, {.over = static_cast<int>(at)});
  const bool is_vector = x->shape().size() == 1;
  const Array steps = diff(*x, {.axis = is_vector ? -1 : axis});
  const Array width = is_vector ? functions::beside(steps, at, y.shape().size()) : steps;
  return sum(width * heights / 2.0, {.over = static_cast<int>(at)});
}

namespace {

struct Points {
  Array places, points, values;
};

Points within_period(const Points& given, double period) {
  if (period == 0) functions::value_error("interp: period must not be 0");
  const double length = std::abs(period);
  const Array points = apply("remainder", {given.points, length});
  const std::array<ItemIndex, 1> sorted = {argsort(points, 0)};
  const Array in_order = get_item(points, sorted), values = get_item(given.values, sorted);
  const auto end = [](const Array& x, const Index& part) { return view(x, {part}); };
  // One additional point at either end.
  const std::array<Array, 3> all_points = {end(in_order, kLast) - length, in_order,
                                           end(in_order, kFirst) + length};
  const std::array<Array, 3> all_values = {end(values, kLast), values, end(values, kFirst)};
  return {apply("remainder", {given.places, length}), concat(all_points, 0), concat(all_values, 0)};
}

// Linear interpolation in NumPy's order of operations, in which infinities give as few NaNs as possible.
Array between_points(const Points& given, const std::optional<double>& left,
                     const std::optional<double>& right) {
  const Array places = as_contiguous(given.places), points = as_contiguous(given.points),
              values = as_contiguous(given.values);
  const Queue queue = places.queue();
  const auto last = static_cast<std::int64_t>(points.size()) - 1;
  const Array low =
      copy(clip(upper_bound(queue, points, places) - 1, 0, std::max<std::int64_t>(last - 1, 0)));
  const Array high = copy(apply("minimum", {low + 1, last}));
  const Array x0 = gather(queue, points, low), y0 = gather(queue, values, low);
  const Array x1 = gather(queue, points, high), y1 = gather(queue, values, high);
  const Array slope = (y1 - y0) / (x1 - x0);
  Array result = slope * (places - x0) + y0;
  // Computed from the other end if the first result is NaN; between equal values the result is that value,
  // even over an infinite distance.
  Array back = slope * (places - x1) + y1;
  back = where(apply("logical_and", {apply("isnan", {back}), apply("equal", {y0, y1})}), y0, back);
  result = where(apply("isnan", {result}), back, result);
  result = where(apply("equal", {places, x0}), y0, result);
  if (last == 0) result = y0;  // with one point, also for NaN
  const Array first_value = view(values, {kFirst}), last_value = view(values, {kLast});
  const Array first_point = view(points, {kFirst}), last_point = view(points, {kLast});
  const auto operand = [](const std::optional<double>& given_end, const Array& otherwise) {
    return given_end ? Operand(*given_end) : Operand(otherwise);
  };
  result = where(apply("equal", {places, last_point}), last_value, result);
  result = where(places > last_point, operand(right, last_value), result);
  result = where(places < first_point, operand(left, first_value), result);
  return last == 0 ? result : where(apply("isnan", {places}), places, result);
}

}  // namespace

Array interp(const Array& x, const Array& xp, const Array& fp, const InterpolationEnds& ends) {
  if (xp.shape().size() != 1 || xp.shape() != fp.shape() || xp.size() == 0)
    functions::value_error("interp: expected points of one axis, got shapes " + shape_text(xp.shape()) +
                           " and " + shape_text(fp.shape()));
  const auto is_complex_number = [](const std::optional<Number>& number) {
    return number && number->kind() == Number::Kind::complex;
  };
  const bool has_complex = is_complex(fp.dtype());
  if (is_complex(x.dtype()) || is_complex(xp.dtype()) ||
      ((is_complex_number(ends.left) || is_complex_number(ends.right)) && !has_complex))
    functions::type_error("interp: only the values fp may be complex, and then left and right");
  const DType dtype = array::default_float(x.queue());
  const DType pair = DType::of(dtype.itemsize == 8 ? Scalar::complex128 : Scalar::complex64);
  Points given{copy(functions::flattened(astype(x, dtype))), copy(astype(xp, dtype)),
               copy(astype(fp, has_complex ? pair : dtype))};
  std::optional<Number> left = ends.left, right = ends.right;
  if (ends.period) {
    given = within_period(given, *ends.period);
    left.reset();
    right.reset();
  }
  const auto part_of = [&](bool is_real) {
    const auto end = [&](const std::optional<Number>& number) -> std::optional<double> {
      if (!number) return {};
      return is_real ? number->value().real() : number->value().imag();
    };
    if (!has_complex) return between_points(given, end(left), end(right));
    const Array values = apply(is_real ? "real" : "imag", {given.values});
    return between_points({given.places, given.points, values}, end(left), end(right));
  };
  if (!has_complex) return reshape(part_of(true), x.shape());
  return reshape(functions::complex_of(part_of(true), part_of(false)), x.shape());
}

namespace registry {
namespace {

Result call_gradient(const Arguments& a) {
  std::vector<Array> slopes =
      gradient(a.array(0), {a.operands(1), a.axes(2), static_cast<int>(a.integer(3))});
  if (slopes.size() == 1) return slopes[0];
  return slopes;
}

const Function kDifferenceRows[] = {
    {.name = "diff",
     .parameters = "a: array, n: offset = 1, axis: int = -1, prepend: array = None, append: array = None",
     .summary = "Differences between adjacent elements along an axis: a[i + 1] - a[i].",
     .about = "n: Number of times the difference is taken.\n"
              "axis: Axis to take differences along; the last one by default.\n"
              "prepend: Values to prepend along the axis first.\n"
              "append: Values to append along the axis first.",
     .returns =
         "The differences: `n` fewer elements along the axis. For booleans, whether neighbours differ.",
     .example = ">>> print(qn.diff([1, 4, 9, 16]), qn.diff([1, 4, 9, 16], n=2))\n[3 5 7] [2 2]",
     .call = [](const Arguments& a) -> Result {
       return diff(a.array(0), {a.integer(1), *a.axis(2), a.find<Array>(3), a.find<Array>(4)});
     }},
    {.name = "ediff1d",
     .parameters = "ary: array, to_end: array = None, to_begin: array = None",
     .summary = "Differences between adjacent elements of the flattened array.",
     .about = "ary: Input array, or anything that can be converted to one.\n"
              "to_end: Values to append to the differences.\n"
              "to_begin: Values to prepend to the differences.",
     .returns = "The differences, as a one-dimensional array.",
     .example = ">>> print(qn.ediff1d([1, 4, 9], to_begin=0))\n[0 3 5]",
     .call = [](const Arguments& a) -> Result {
       return ediff1d(a.array(0), a.find<Array>(1), a.find<Array>(2));
     }},
    {.name = "gradient",
     .parameters = "f: array, *varargs: operand, axis: ints = None, edge_order: int = 1",
     .summary = "Gradient along each axis: central differences inside, one-sided differences at the edges.",
     .about = "f: Sampled values.\n"
              "varargs: Spacing of the samples, or their coordinates: one for all axes, or one for each.\n"
              "axis: Axes to compute the gradient along; None: all of them.\n"
              "edge_order: Order of accuracy at the edges: 1 uses two samples there, 2 uses three.",
     .returns = "The gradient in the shape of `f`, or a tuple with one array for each axis.",
     .type = "Any",
     .example = ">>> print(qn.gradient([1.0, 2.0, 4.0, 7.0]))\n[1.  1.5 2.5 3. ]",
     .call = call_gradient},
    {.name = "trapezoid",
     .parameters = "y: array, x: array = None, dx: operand = 1.0, axis: int = -1",
     .summary = "Integrate along an axis with the trapezoidal rule.",
     .about = "y: Values of the integrand.\n"
              "x: Sample points of the values; None: evenly spaced by `dx`.\n"
              "dx: Spacing of the sample points.\n"
              "axis: Axis to integrate along; the last one by default.",
     .returns = "The integrals; the axis is removed from the shape.",
     .example = ">>> print(qn.trapezoid([1.0, 2.0, 3.0]), qn.trapezoid([1.0, 2.0, 3.0], [0, 1, 3]))\n4.0 6.5",
     .call = [](const Arguments& a) -> Result {
       return trapezoid(a.array(0), a.find<Array>(1), a.operand(2), *a.axis(3));
     }},
    {.name = "interp",
     .parameters = "x: array, xp: array, fp: array, left: number = None, right: number = None, "
                   "period: number = None",
     .summary = "Piecewise linear interpolation in one dimension.",
     .about = "x: Coordinates at which to evaluate the interpolant.\n"
              "xp: Coordinates of the data points, in increasing order.\n"
              "fp: Values at the data points.\n"
              "left: Value for x < xp[0]; fp[0] by default.\n"
              "right: Value for x > xp[-1]; fp[-1] by default.\n"
              "period: Period of the coordinates; with it, `xp` need not be sorted.",
     .returns = "The interpolated values, in the shape of `x`.",
     .example = ">>> print(qn.interp([0.5, 2.5, 9.0], [0, 1, 3], [0, 10, 20]))\n[ 5.  17.5 20. ]",
     .call = [](const Arguments& a) -> Result {
       std::optional<double> period;
       if (a.has(5)) period = a.get<Number>(5).value().real();
       return interp(a.array(0), a.array(1), a.array(2), {a.find<Number>(3), a.find<Number>(4), period});
     }},
};

}  // namespace

std::span<const Function> difference_rows() {
  return kDifferenceRows;
}

}  // namespace registry
}  // namespace quern
