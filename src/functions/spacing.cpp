// SPDX-License-Identifier: MIT
// Evenly and geometrically spaced numbers, and coordinate grids.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;

using functions::refuse;

void check_count(std::string_view function, std::int64_t count) {
  if (count < 0)
    refuse(std::string(function) + ": num is " + std::to_string(count) + ", but must not be negative");
}

// The element of a 0-d array; waits for it.
Number number_of(const Array& array) {
  const Queue queue = array.queue();
  const auto read = [&](const Array& one, Scalar scalar) { return astype(one, DType::of(scalar)); };
  switch (codegen::kind_of(array.dtype())) {
    case Kinds::boolean:
      return Number(read(array, Scalar::uint8).to_vector<std::uint8_t>(queue).front() != 0);
    case Kinds::integer:
      if (array.dtype().scalar == Scalar::uint64)
        return Number(array.to_vector<std::uint64_t>(queue).front());
      return Number(read(array, Scalar::int64).to_vector<std::int64_t>(queue).front());
    case Kinds::complex: {
      const Number real = number_of(apply("real", {array})), imag = number_of(apply("imag", {array}));
      return Number(std::complex<double>(real.value().real(), imag.value().real()));
    }
    default:
      if (array.dtype().itemsize == 8) return Number(array.to_vector<double>(queue).front());
      return Number(read(array, Scalar::float32).to_vector<float>(queue).front());
  }
}

// The dtype of the computation of numbers between these ends; numbers take the dtype of the arrays.
DType spacing_type(const Queue& queue, std::initializer_list<Operand> ends) {
  std::optional<DType> type;
  for (const Operand& end : ends)
    if (end.array() != nullptr) type = type ? result_type(*type, end.array()->dtype()) : end.array()->dtype();
  bool is_complex = false;
  for (const Operand& end : ends) {
    if (end.array() != nullptr) continue;
    is_complex |= end.number().kind() == Number::Kind::complex;
    if (type) type = result_type(*type, end.number());
  }
  if (type) return functions::held_by(queue, result_type(*type, Number(1.0)));
  return functions::held_by(queue, DType::of(is_complex ? Scalar::complex128 : Scalar::float64));
}

std::size_t rank_of(const Operand& end) {
  return end.array() == nullptr ? 0 : end.array()->shape().size();
}

Array as_array(const Queue& queue, const Operand& end, const DType& dtype) {
  return end.array() == nullptr ? full(queue, {}, end.number(), dtype) : astype(*end.array(), dtype);
}

// The axis refers to the result, which has one more.
Array with_first_axis_at(const Array& array, int axis) {
  const auto at = static_cast<int>(checked_axis(axis, array.shape().size()));
  return at == 0 ? array : moveaxis(array, {0}, {at});
}

// Numbers along a new first axis.
struct Spaced {
  Array numbers, step;
};
Spaced spaced(const Queue& queue, const Array& first, const Array& last, std::int64_t count, bool endpoint) {
  const DType& dtype = first.dtype();
  const std::int64_t steps = endpoint ? count - 1 : count;
  const Array step =
      apply("divide", {last - first, Number(static_cast<double>(std::max<std::int64_t>(steps, 1)))});
  Shape shape(step.shape().size() + 1, 1);
  shape[0] = count;
  const Array column = reshape(arange(queue, 0, 1, count, dtype), shape);
  Array numbers = column * step + first;
  if (endpoint && count > 1)
    numbers = where(apply("equal", {column, Number(static_cast<double>(steps))}), last, numbers);
  return {numbers, step};
}

}  // namespace

Spacing linspace(const Queue& queue, const Operand& start, const Operand& stop,
                 const SpacingOptions& options) {
  const std::int64_t count = options.count;
  check_count("linspace", count);
  const std::int64_t steps = options.endpoint ? count - 1 : count;
  const DType own = spacing_type(queue, {start, stop}), wanted = options.dtype ? *options.dtype : own;
  if (rank_of(start) == 0 && rank_of(stop) == 0) {
    const auto number = [](const Operand& end) {
      return end.array() == nullptr ? end.number() : number_of(*end.array());
    };
    const Number first = number(start), last = number(stop);
    std::complex<double> step = (last.value() - first.value()) / static_cast<double>(steps);
    if (steps <= 0) step = std::numeric_limits<double>::quiet_NaN();
    const bool is_complex = steps > 0 && codegen::kind_of(own) == Kinds::complex;
    return {linspace(queue, first, last, count, wanted, options.endpoint),
            {},
            is_complex ? Number(step) : Number(step.real()),
            own};
  }
  // Differences of narrow integers may not fit their dtype.
  const Spaced made =
      spaced(queue, as_array(queue, start, own), as_array(queue, stop, own), count, options.endpoint);
  const bool is_whole = codegen::kind_of(wanted) == Kinds::integer;
  const Array rounded = is_whole ? apply("floor", {made.numbers}) : made.numbers;
  Spacing result{with_first_axis_at(astype(rounded, wanted), options.axis), made.step,
                 Number(std::numeric_limits<double>::quiet_NaN()), own};
  if (steps <= 0) result.steps.reset();
  return result;
}

Array logspace(const Queue& queue, const Operand& start, const Operand& stop, const Operand& base,
               const SpacingOptions& options) {
  check_count("logspace", options.count);
  SpacingOptions own{.count = options.count, .endpoint = options.endpoint};
  const std::size_t rank = rank_of(base);
  Array powers = [&] {
    if (rank == 0) {
      const Array exponents = linspace(queue, start, stop, own).numbers;
      return apply("power", {base, exponents});
    }
    // All three are broadcast against each other, after the new axis.
    const DType type = spacing_type(queue, {start, stop});
    const std::size_t most = std::max({rank, rank_of(start), rank_of(stop)});
    const auto wide = [&](const Array& one) {
      Shape shape = one.shape();
      shape.insert(shape.begin(), most - shape.size(), 1);
      return reshape(one, shape);
    };
    const Array exponents = spaced(queue, wide(as_array(queue, start, type)),
                                   wide(as_array(queue, stop, type)), options.count, options.endpoint)
                                .numbers;
    return apply("power", {expand_dims(wide(*base.array()), {0}), exponents});
  }();
  if (options.dtype) powers = astype(powers, *options.dtype);
  return with_first_axis_at(powers, options.axis);
}

Array geomspace(const Queue& queue, const Operand& start, const Operand& stop,
                const SpacingOptions& options) {
  check_count("geomspace", options.count);
  const auto has_zero = [](const Operand& end) {
    if (end.array() == nullptr) return end.number().value() == 0.0;
    const Array found = any(apply("equal", {*end.array(), Number(0)}));
    return astype(found, DType::of(Scalar::uint8)).to_vector<std::uint8_t>(found.queue()).front() != 0;
  };
  if (has_zero(start) || has_zero(stop)) refuse("geomspace: start and stop must not be 0");
  // NumPy promotes the ends with dtype=, which is double precision by default.
  const DType own =
      functions::held_by(queue, result_type(spacing_type(queue, {start, stop}),
                                            options.dtype ? *options.dtype : DType::of(Scalar::float64)));
  const Array first = as_array(queue, start, own), last = as_array(queue, stop, own);
  // The first end is rotated to the positive real axis, and the results are rotated back.
  const Array sign = apply("sign", {first});
  const Array low = apply("log10", {first / sign}), high = apply("log10", {last / sign});
  const Array exponents = spaced(queue, low, high, options.count, options.endpoint).numbers;
  Array numbers = apply("power", {Number(10.0), exponents}) * sign;
  // The ends are exact, independent of the rounding of the logarithms.
  Shape shape(numbers.shape().size(), 1);
  shape[0] = options.count;
  const Array index = reshape(arange(queue, 0, 1, options.count, DType::of(Scalar::int64)), shape);
  numbers = where(apply("equal", {index, Number(0)}), first, numbers);
  if (options.endpoint && options.count > 1)
    numbers = where(apply("equal", {index, Number(options.count - 1)}), last, numbers);
  return with_first_axis_at(astype(numbers, options.dtype ? *options.dtype : own), options.axis);
}

std::vector<Array> meshgrid(std::span<const Array> arrays, const GridOptions& options) {
  const std::size_t rank = arrays.size();
  std::vector<Array> flat;
  for (const Array& array : arrays) flat.push_back(reshape(array, {-1}));
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (options.is_xy && rank > 1) std::swap(axes[0], axes[1]);
  Shape lengths;
  for (const std::size_t axis : axes) lengths.push_back(flat[axis].shape()[0]);
  std::vector<Array> grids;
  for (std::size_t k = 0; k < rank; ++k) {
    // Along the other axes the array is broadcast.
    Shape shape = options.sparse ? Shape(rank, 1) : lengths;
    Strides strides(rank, 0);
    shape[axes[k]] = flat[k].shape()[0];
    strides[axes[k]] = flat[k].strides()[0];
    grids.emplace_back(flat[k].buffer(), flat[k].dtype(), std::move(shape), std::move(strides),
                       flat[k].offset());
  }
  if (options.copies)
    for (Array& grid : grids) grid = copy(grid);
  return grids;
}

std::vector<Array> sparse_indices(const Queue& queue, const Shape& shape, const DType& dtype) {
  std::vector<Array> lines;
  for (const std::int64_t length : shape)
    lines.push_back(arange_between(queue, Number(0), Number(length), Number(1), dtype));
  return meshgrid(lines, {.is_xy = false, .sparse = true, .copies = false});
}

Array indices(const Queue& queue, const Shape& shape, const DType& dtype) {
  const std::vector<Array> lines = sparse_indices(queue, shape, dtype);
  Shape whole = shape;
  whole.insert(whole.begin(), static_cast<std::int64_t>(shape.size()));
  Array result = empty(queue, whole, dtype);
  if (result.size() == 0) return result;
  for (std::size_t k = 0; k < lines.size(); ++k)
    assign(view(result, {Index(static_cast<std::int64_t>(k))}), lines[k]);
  return result;
}

namespace registry {
namespace {

// start, stop, num, endpoint, retstep, dtype, axis, device, queue
Result call_linspace(const Arguments& a) {
  const SpacingOptions options{
      .count = a.integer(2), .endpoint = a.flag(3), .dtype = a.find<DType>(5), .axis = *a.axis(6)};
  Spacing spacing = linspace(a.queue(), a.operand(0), a.operand(1), options);
  if (!a.flag(4)) return std::move(spacing.numbers);
  if (spacing.steps) return std::vector<Array>{std::move(spacing.numbers), std::move(*spacing.steps)};
  const bool has_step = a.integer(2) > (a.flag(3) ? 1 : 0);
  return std::pair(std::move(spacing.numbers),
                   TypedNumber{spacing.step, has_step ? std::optional(spacing.type) : std::nullopt});
}

constexpr std::string_view kEnds =
    "start: First number, or an array of them.\n"
    "stop: Last number; not included if `endpoint` is False.\n"
    "num: Number of samples.\n"
    "endpoint: Whether `stop` is the last sample.\n"
    "retstep: If True, also return the spacing between samples.\n"
    "dtype: Dtype of the result; the computation is in floating point.\n"
    "axis: Axis of the result that holds the samples, if `start` or `stop` is an array.";

const Function kSpacingRows[] = {
    {.name = "linspace",
     .parameters = "start: operand, stop: operand, num: int = 50, endpoint: bool = True, "
                   "retstep: bool = False, dtype: dtype = None, axis: int = 0, *, device: device = None, "
                   "queue: queue = None",
     .summary = "Make evenly spaced numbers over an interval.",
     .about = kEnds,
     .returns = "The samples; with `retstep` a tuple of samples and spacing.",
     .type = "Any",
     .example = ">>> print(qn.linspace(0, 1, 5))\n[0.   0.25 0.5  0.75 1.  ]",
     .call = call_linspace},
    {.name = "logspace",
     .parameters = "start: operand, stop: operand, num: int = 50, endpoint: bool = True, "
                   "base: operand = 10.0, dtype: dtype = None, axis: int = 0, *, device: device = None",
     .summary = "Make numbers that are evenly spaced on a log scale: base**start to base**stop.",
     .about = "start: Exponent of the first number, or an array of exponents.\n"
              "stop: Exponent of the last number; not included if `endpoint` is False.\n"
              "num: Number of samples.\n"
              "endpoint: Whether base**stop is the last sample.\n"
              "base: Base of the powers.\n"
              "dtype: Dtype of the result; the computation is in floating point.\n"
              "axis: Axis of the result that holds the samples, if `start`, `stop` or `base` is an array.",
     .returns = "The samples.",
     .example = ">>> print(qn.logspace(0, 2, 3))\n[  1.  10. 100.]",
     .call = [](const Arguments& a) -> Result {
       return logspace(
           a.queue(), a.operand(0), a.operand(1), a.operand(4),
           {.count = a.integer(2), .endpoint = a.flag(3), .dtype = a.find<DType>(5), .axis = *a.axis(6)});
     }},
    {.name = "geomspace",
     .parameters = "start: operand, stop: operand, num: int = 50, endpoint: bool = True, "
                   "dtype: dtype = None, axis: int = 0, *, device: device = None",
     .summary = "Make a geometric progression from `start` to `stop`.",
     .notes = "If `start` and `stop` are real and differ in sign, the samples between them are NaN. If one "
              "of them "
              "is 0, the call raises ValueError.",
     .about = kEnds,
     .returns = "The samples.",
     .example = ">>> print(qn.geomspace(1, 1000, 4))\n[   1.   10.  100. 1000.]",
     .call = [](const Arguments& a) -> Result {
       return geomspace(
           a.queue(), a.operand(0), a.operand(1),
           {.count = a.integer(2), .endpoint = a.flag(3), .dtype = a.find<DType>(4), .axis = *a.axis(5)});
     }},
    {.name = "meshgrid",
     .parameters = "*xi: array, copy: bool = True, sparse: bool = False, indexing: str = 'xy'",
     .summary = "Make coordinate grids from one-dimensional coordinate arrays.",
     .about = "xi: One-dimensional coordinates along each axis.\n"
              "copy: If False, the grids are views of the inputs.\n"
              "sparse: If True, the other axes of each grid have length 1, ready to broadcast.\n"
              "indexing: 'xy' (Cartesian): the first two axes are swapped; 'ij' (matrix): axes in the "
              "order of the arrays.",
     .returns = "Tuple with a grid for each array.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(qn.meshgrid([1, 2], [3, 4])[1])\n[[3 3]\n [4 4]]",
     .call = [](const Arguments& a) -> Result {
       const std::string_view indexing = a.text(3);
       if (indexing != "xy" && indexing != "ij")
         refuse("meshgrid: indexing is '" + std::string(indexing) + "', but must be 'xy' or 'ij'");
       return meshgrid(a.arrays(0), {.is_xy = indexing == "xy", .sparse = a.flag(2), .copies = a.flag(1)});
     }},
    {.name = "indices",
     .parameters = "dimensions: ints, dtype: dtype = None, sparse: bool = False, *, device: device = None",
     .summary = "Make an array of the indices of a grid, stacked along a new first axis.",
     .about = "dimensions: Shape of the grid.\n"
              "dtype: Dtype of the indices; int64 by default.\n"
              "sparse: If True, return a tuple of arrays that broadcast to the grid instead of one array.",
     .returns = "Array of shape (len(dimensions), *dimensions), or a tuple of arrays.",
     .type = "Any",
     .example = ">>> print(qn.indices((2, 2)).tolist())\n[[[0, 0], [1, 1]], [[0, 1], [0, 1]]]",
     .call = [](const Arguments& a) -> Result {
       const Shape shape(a.integers(0));
       const DType dtype = a.has(1) ? a.get<DType>(1) : DType::of(Scalar::int64);
       if (a.flag(2)) return sparse_indices(a.queue(), shape, dtype);
       return indices(a.queue(), shape, dtype);
     }},
};

}  // namespace

std::span<const Function> spacing_rows() {
  return kSpacingRows;
}

}  // namespace registry
}  // namespace quern
