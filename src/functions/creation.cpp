// SPDX-License-Identifier: MIT
// New arrays: filled with a value, like another array, ranges, and matrices by their diagonals.
#include "quern/creation.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "functions/output.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/memory_order.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

__extension__ typedef __int128 Wide;  // not a type of ISO C++

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();

using functions::refuse;

bool is_whole(const Number& number) {
  if (number.is_huge()) return std::fabs(number.value().real()) < 1e30;
  return number.kind() <= Number::Kind::integer;
}

Wide whole(const Number& number) {
  if (number.is_huge()) {
    // The nearest double determines which number with these lowest bits it is.
    const double high = (number.value().real() - static_cast<double>(number.integer())) * 0x1p-64;
    return (static_cast<Wide>(std::round(high)) * (Wide{1} << 64)) + static_cast<Wide>(number.integer());
  }
  if (!number.is_negative()) return static_cast<Wide>(number.integer());
  return static_cast<Wide>(static_cast<std::int64_t>(number.integer()));
}

// A number truncated to an integer; throws if it is out of range.
Wide truncated(double value) {
  if (!(std::fabs(value) < 1e30))
    throw NumberError("arange: infinity and NaN cannot be converted to an integer");
  return static_cast<Wide>(value);
}

std::string text_of(Wide value) {
  const bool is_negative = value < 0;
  std::string digits;
  do {
    digits.insert(digits.begin(),
                  static_cast<char>('0' + static_cast<int>(is_negative ? -(value % 10) : value % 10)));
    value /= 10;
  } while (value != 0);
  return is_negative ? "-" + digits : digits;
}

std::int64_t count_of(const Number& start, const Number& stop, const Number& step) {
  double quotient = 0;
  if (is_whole(start) && is_whole(stop)) {
    const Wide distance = whole(stop) - whole(start);
    if (is_whole(step)) {
      // Integers are divided exactly: their quotient as a float may round to one more or less.
      const Wide by = whole(step);
      const Wide count = (distance / by) + (distance % by != 0 && (distance < 0) == (by < 0) ? 1 : 0);
      if (count <= 0) return 0;
      if (count > kMost) refuse("arange: the number of elements is more than an array can have");
      return static_cast<std::int64_t>(count);
    }
    quotient = static_cast<double>(distance) / step.value().real();
  } else {
    quotient = (stop.value().real() - start.value().real()) / step.value().real();
  }
  if (std::isnan(quotient)) refuse("arange: the number of elements is undefined for these numbers");
  if (quotient >= 9.2e18) refuse("arange: the number of elements is more than an array can have");
  return quotient <= 0 ? 0 : static_cast<std::int64_t>(std::ceil(quotient));
}

void check_within(Wide value, const DType& dtype) {
  const bool is_signed = dtype.scalar >= Scalar::int8 && dtype.scalar <= Scalar::int64;
  const auto bits = static_cast<unsigned>(dtype.itemsize * 8);
  const Wide most = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
  if (value < (is_signed ? -most - 1 : Wide{0}) || value > most)
    throw NumberError("arange: " + text_of(value) + " is out of range for " + dtype.name());
}

// As signed 64-bit integers, which wrap around to the same bits as in NumPy.
std::int64_t wrapped(Wide value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}

}  // namespace

Array arange_between(const Queue& queue, const Number& start, const Number& stop, const Number& step,
                     const std::optional<DType>& dtype) {
  for (const Number* one : {&start, &stop, &step})
    if (one->kind() == Number::Kind::complex)
      throw ArgumentError(ArgumentError::Kind::type, "arange: expected real numbers, got complex");
  if (step.value() == 0.0) refuse("arange: the step must not be 0");
  const bool are_whole = is_whole(start) && is_whole(stop) && is_whole(step);
  const auto is_signed = [](const Number& one) { return whole(one) >= kLeast && whole(one) <= kMost; };
  const bool are_signed = are_whole && is_signed(start) && is_signed(stop) && is_signed(step);
  const DType wanted = dtype ? *dtype : are_signed ? DType::of(Scalar::int64) : array::default_float(queue);
  const codegen::Kinds kind = codegen::kind_of(wanted);
  const std::int64_t count = count_of(start, stop, step);
  if (kind == codegen::Kinds::boolean && count > 2)
    throw ArgumentError(ArgumentError::Kind::type, "arange: dtype bool allows at most two elements, got " +
                                                       std::to_string(count) + " elements");
  if (kind != codegen::Kinds::integer) {
    const auto fitting = [&](const Number& one) {
      return are_whole && !is_signed(one) ? Number(one.value().real()) : one;
    };
    return arange(queue, fitting(start), fitting(step), count, wanted);
  }
  // As in NumPy, the step between integers is that between the first two of them.
  const Wide first = are_whole ? whole(start) : truncated(start.value().real());
  const Wide by = are_whole ? whole(step) : truncated(start.value().real() + step.value().real()) - first;
  if (count > 0) check_within(first, wanted);
  if (count > 1) check_within(first + by, wanted);
  return arange(queue, Number(wrapped(first)), Number(wrapped(by)), count, wanted);
}

Array full_of(const Queue& queue, const Shape& shape, const Operand& value, const std::optional<DType>& dtype,
              MemoryOrder order) {
  if (value.array() == nullptr) {
    const DType wanted = dtype ? *dtype : functions::default_type(value.number(), queue);
    functions::warn_of_overflow(value.number(), wanted);
    return full(queue, shape, value.number(), wanted, order);
  }
  const DType wanted = dtype ? *dtype : value.array()->dtype();
  Array result = empty(queue, shape, wanted, order);
  const ItemIndex all[] = {Index::ellipsis()};
  set_item(result, all, *value.array());
  return result;
}

Array diag(const Array& array, std::int64_t offset) {
  const std::size_t rank = array.shape().size();
  if (rank == 2) return copy(diagonal(array, offset));
  if (rank != 1) refuse("diag: expected one or two dimensions, got " + std::to_string(rank));
  const std::int64_t length = array.shape()[0] + std::abs(offset);
  Array result = zeros(array.queue(), {length, length}, array.dtype());
  if (array.size() != 0) assign(diagonal(result, offset), array);
  return result;
}

Array diagflat(const Array& array, std::int64_t offset) {
  return diag(reshape(array, {-1}), offset);
}

Array tri(const Queue& queue, std::int64_t rows, std::int64_t columns, std::int64_t offset,
          const DType& dtype) {
  return tril(full(queue, {rows, columns}, Number(1), dtype), offset);
}

Array trace(const Array& array, std::int64_t offset, int axis1, int axis2, const ReduceOptions& options) {
  ReduceOptions own = options;
  own.over = -1;
  return sum(diagonal(array, offset, axis1, axis2), own);
}

Array empty_like(const Array& array, const LikeOptions& options) {
  return empty(array::queue_of(array, options.queue), options.shape.value_or(array.shape()),
               options.dtype.value_or(array.dtype()), options.order);
}

Array zeros_like(const Array& array, const LikeOptions& options) {
  return zeros(array::queue_of(array, options.queue), options.shape.value_or(array.shape()),
               options.dtype.value_or(array.dtype()), options.order);
}

Array ones_like(const Array& array, const LikeOptions& options) {
  return full(array::queue_of(array, options.queue), options.shape.value_or(array.shape()), Number(1),
              options.dtype.value_or(array.dtype()), options.order);
}

Array full_like(const Array& array, const Operand& value, const LikeOptions& options) {
  return full_of(array::queue_of(array, options.queue), options.shape.value_or(array.shape()), value,
                 options.dtype.value_or(array.dtype()), options.order);
}

namespace registry {
namespace {

DType type_of(const Arguments& a, std::size_t k) {
  return a.has(k) ? a.get<DType>(k) : array::default_float(a.queue());
}

Shape shape_of(const Arguments& a, std::size_t k) {
  if (a.is<std::int64_t>(k)) return {a.integer(k)};
  return Shape(a.get<std::vector<std::int64_t>>(k));
}

// shape, dtype, order, device, queue
Result call_empty(const Arguments& a) {
  const MemoryOrder order = a.order(2);
  if (order != MemoryOrder::fortran) return empty(a.queue(), shape_of(a, 0), type_of(a, 1));
  return empty(a.queue(), shape_of(a, 0), type_of(a, 1), order);
}

Result call_zeros(const Arguments& a) {
  const MemoryOrder order = a.order(2);
  if (order != MemoryOrder::fortran) return zeros(a.queue(), shape_of(a, 0), type_of(a, 1));
  return zeros(a.queue(), shape_of(a, 0), type_of(a, 1), order);
}

// a, dtype, order, subok, shape, device
LikeOptions like_of(const Arguments& a, std::size_t first) {
  return {.shape = a.has(first + 3) ? std::optional(shape_of(a, first + 3)) : std::nullopt,
          .dtype = a.find<DType>(first),
          .order = a.order(first + 1),
          .queue = &a.queue()};
}

constexpr std::string_view kNew =
    "shape: ints, dtype: dtype = None, order: str | device | None = 'C', *, device: device = None, "
    "queue: queue = None, like: array = None";
constexpr std::string_view kLike =
    "a: array, dtype: dtype = None, order: str | None = 'K', subok: bool = True, shape: ints = None, *, "
    "device: device = None";
constexpr std::string_view kCreationAbout =
    "prototype: Array that gives the shape and the dtype.\n"
    "shape: Shape of the new array.\n"
    "dtype: Dtype of the elements; float64 by default, or float32 on devices without float64.\n"
    "order: Memory layout: 'C' or 'F' (Fortran order). A device is accepted here, too.";
constexpr std::string_view kAboutLike =
    "prototype: Array that gives the shape and the dtype.\n"
    "shape: Overrides the shape.\n"
    "dtype: Overrides the dtype.\n"
    "device: Overrides the device.\n"
    "fill_value: Fill value, or an array that is broadcast to the shape.";
constexpr std::string_view kDiagonal =
    "offset: Offset of the diagonal from the main one: positive above it, negative below.\n"
    "k: Offset of the diagonal from the main one: positive above it, negative below.\n"
    "axis1: First axis of the matrices, the rows.\n"
    "axis2: Second axis of the matrices, the columns.\n"
    "N: Number of rows.\n"
    "M: Number of columns; as many as rows by default.\n"
    "n: Number of rows and of columns.\n"
    "dtype: Dtype of the elements; float64 by default, or float32 on devices without float64.";

template <Array (*triangle)(const Array&, std::int64_t, const Queue*)>
Result call_triangle(const Arguments& a) {
  const Array& x = a.array(0);
  if (x.shape().size() != 1) return triangle(x, a.integer(1), nullptr);
  // As in NumPy, a vector is each row of a square matrix.
  const std::int64_t length = x.shape()[0];
  return triangle(broadcast_to(x, {length, length}), a.integer(1), nullptr);
}

// N, M, k, dtype, order, device, queue
Result call_eye(const Arguments& a) {
  const std::int64_t rows = a.integer(0), columns = a.has(1) ? a.integer(1) : rows;
  if (a.order(4) != MemoryOrder::fortran) return eye(a.queue(), rows, columns, type_of(a, 3), a.integer(2));
  const std::int64_t offset = a.integer(2) == kLeast ? kMost : -a.integer(2);
  return permute_dims(eye(a.queue(), columns, rows, type_of(a, 3), offset));
}

const Function kCreationRows[] = {
    {.name = "empty",
     .parameters = kNew,
     .summary = "Make an array without initialising its elements.",
     .about = kCreationAbout,
     .returns = "A new array.",
     .example = ">>> print(qn.empty((2, 3), 'float32').shape)\n(2, 3)",
     .is_brief = true,
     .call = call_empty},
    {.name = "zeros",
     .parameters = kNew,
     .summary = "Make an array filled with zeros.",
     .about = kCreationAbout,
     .returns = "A new array.",
     .example = ">>> print(qn.zeros(3))\n[0. 0. 0.]",
     .call = call_zeros},
    {.name = "ones",
     .parameters = kNew,
     .summary = "Make an array filled with ones.",
     .about = kCreationAbout,
     .returns = "A new array.",
     .example = ">>> print(qn.ones(3, 'int32'))\n[1 1 1]",
     .call = [](const Arguments& a) -> Result {
       return full(a.queue(), shape_of(a, 0), Number(1), type_of(a, 1), a.order(2));
     }},
    {.name = "full",
     .parameters = "shape: ints, fill_value: operand, dtype: dtype = None, order: str | device | None = 'C', "
                   "*, device: device = None, queue: queue = None, like: array = None",
     .summary = "Make an array filled with a value, or with values that are broadcast.",
     .about = "shape: Shape of the new array.\n"
              "fill_value: Fill value, or an array that is broadcast to the shape.\n"
              "dtype: Dtype of the elements; by default that of the fill value.\n"
              "order: Memory layout: 'C' or 'F' (Fortran order). A device is accepted here, too.",
     .returns = "A new array.",
     .example = ">>> print(qn.full((2, 2), [1, 2]))\n[[1 2]\n [1 2]]",
     .call = [](const Arguments& a) -> Result {
       return full_of(a.queue(), shape_of(a, 0), a.operand(1), a.find<DType>(2), a.order(3));
     }},
    {.name = "empty_like",
     .parameters = "prototype: array, /, dtype: dtype = None, order: str | None = 'K', subok: bool = True, "
                   "shape: ints = None, *, device: device = None",
     .summary = "Make an uninitialised array with the shape and dtype of another.",
     .about = kAboutLike,
     .returns = "A new array.",
     .example = ">>> print(qn.empty_like([[1, 2, 3]]).shape)\n(1, 3)",
     .call = [](const Arguments& a) -> Result { return empty_like(a.array(0), like_of(a, 1)); }},
    {.name = "zeros_like",
     .parameters = kLike,
     .summary = "Make an array of zeros with the shape and dtype of another.",
     .about = kAboutLike,
     .returns = "A new array.",
     .example = ">>> print(qn.zeros_like([1, 2, 3]))\n[0 0 0]",
     .call = [](const Arguments& a) -> Result { return zeros_like(a.array(0), like_of(a, 1)); }},
    {.name = "ones_like",
     .parameters = kLike,
     .summary = "Make an array of ones with the shape and dtype of another.",
     .about = kAboutLike,
     .returns = "A new array.",
     .example = ">>> print(qn.ones_like([1, 2, 3]))\n[1 1 1]",
     .call = [](const Arguments& a) -> Result { return ones_like(a.array(0), like_of(a, 1)); }},
    {.name = "full_like",
     .parameters = "a: array, fill_value: operand, dtype: dtype = None, order: str | None = 'K', "
                   "subok: bool = True, shape: ints = None, *, device: device = None",
     .summary = "Make an array filled with a value, with the shape and dtype of another.",
     .about = kAboutLike,
     .returns = "A new array.",
     .example = ">>> print(qn.full_like([1, 2, 3], 7))\n[7 7 7]",
     .call = [](const Arguments& a) -> Result { return full_like(a.array(0), a.operand(1), like_of(a, 2)); }},
    {.name = "arange",
     .parameters = "start: number, stop: number = None, step: number = 1, dtype: dtype = None, *, "
                   "device: device = None, queue: queue = None, like: array = None",
     .summary = "Make an array of evenly spaced numbers in the half-open interval [start, stop).",
     .about = "start: First number. If it is the only argument, it is `stop`, and the numbers start at 0.\n"
              "stop: End of the interval, not included.\n"
              "step: Spacing between numbers.\n"
              "dtype: Dtype of the elements; by default int64 if all arguments are integers, otherwise "
              "float64, or float32 on devices without float64.",
     .returns = "A new one-dimensional array.",
     .example = ">>> print(qn.arange(4), qn.arange(1, 2, 0.25))\n[0 1 2 3] [1.   1.25 1.5  1.75]",
     .call = [](const Arguments& a) -> Result {
       const bool is_alone = !a.has(1);
       return arange_between(a.queue(), is_alone ? Number(0) : a.get<Number>(0),
                             a.get<Number>(is_alone ? 0 : 1), a.has(2) ? a.get<Number>(2) : Number(1),
                             a.find<DType>(3));
     }},
    {.name = "eye",
     .parameters = "N: int, M: int = None, k: offset = 0, dtype: dtype = None, order: str | None = 'C', *, "
                   "device: device = None, queue: queue = None, like: array = None",
     .summary = "Make a matrix with ones on a diagonal and zeros elsewhere.",
     .about = kDiagonal,
     .returns = "A new two-dimensional array.",
     .example = ">>> print(qn.eye(2, 3, k=1))\n[[0. 1. 0.]\n [0. 0. 1.]]",
     .call = call_eye},
    {.name = "identity",
     .parameters = "n: int, dtype: dtype = None, *, device: device = None, like: array = None",
     .summary = "Make an identity matrix.",
     .about = kDiagonal,
     .returns = "A new two-dimensional array.",
     .example = ">>> print(qn.identity(2))\n[[1. 0.]\n [0. 1.]]",
     .call = [](const Arguments& a) -> Result {
       return eye(a.queue(), a.integer(0), a.integer(0), type_of(a, 1));
     }},
    {.name = "tri",
     .parameters = "N: int, M: int = None, k: offset = 0, dtype: dtype = None, *, device: device = None, "
                   "like: array = None",
     .summary = "Make a matrix with ones on and below a diagonal and zeros above it.",
     .about = kDiagonal,
     .returns = "A new two-dimensional array.",
     .example = ">>> print(qn.tri(2, 3))\n[[1. 0. 0.]\n [1. 1. 0.]]",
     .call = [](const Arguments& a) -> Result {
       return tri(a.queue(), a.integer(0), a.has(1) ? a.integer(1) : a.integer(0), a.integer(2),
                  type_of(a, 3));
     }},
    {.name = "tril",
     .parameters = "m: array, k: offset = 0",
     .summary = "Lower triangle of an array: a copy with the elements above a diagonal set to zero.",
     .about = kDiagonal,
     .returns = "A new array.",
     .example = ">>> print(qn.tril([[1, 2], [3, 4]]))\n[[1 0]\n [3 4]]",
     .call = call_triangle<tril>},
    {.name = "triu",
     .parameters = "m: array, k: offset = 0",
     .summary = "Upper triangle of an array: a copy with the elements below a diagonal set to zero.",
     .about = kDiagonal,
     .returns = "A new array.",
     .example = ">>> print(qn.triu([[1, 2], [3, 4]]))\n[[1 2]\n [0 4]]",
     .call = call_triangle<triu>},
    {.name = "diagonal",
     .parameters = "a: array, offset: offset = 0, axis1: int = 0, axis2: int = 1",
     .summary = "View of the diagonals of matrices.",
     .notes = "Unlike in NumPy, writes to the view change the array.",
     .about = kDiagonal,
     .returns = "A view; the diagonals lie along its last axis.",
     .example = ">>> print(qn.diagonal([[1, 2], [3, 4]]))\n[1 4]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result {
       return diagonal(a.array(0), a.integer(1), *a.axis(2), *a.axis(3));
     }},
    {.name = "trace",
     .parameters = "a: array, offset: offset = 0, axis1: int = 0, axis2: int = 1, dtype: dtype = None, "
                   "out: out = None",
     .summary = "Sum along a diagonal of an array.",
     .about = "offset: Offset of the diagonal from the main one: positive above it, negative below.\n"
              "axis1: First axis of the matrices, the rows.\n"
              "axis2: Second axis of the matrices, the columns.",
     .returns = "The sums: `axis1` and `axis2` are removed from the shape.",
     .example = ">>> print(qn.trace([[1, 2], [3, 4]]))\n5",
     .is_method = true,
     .call = [](const Arguments& a) -> Result {
       return trace(a.array(0), a.integer(1), *a.axis(2), *a.axis(3),
                    {.dtype = a.find<DType>(4), .out = a.find<Array>(5)});
     }},
    {.name = "diag",
     .parameters = "v: array, k: offset = 0",
     .summary = "Make a matrix from a diagonal, or copy the diagonal of a matrix.",
     .about = "v: A vector to put on the diagonal, or a matrix to take the diagonal of.\n"
              "k: Offset of the diagonal from the main one: positive above it, negative below.",
     .returns = "A new array.",
     .example = ">>> print(qn.diag([1, 2]))\n[[1 0]\n [0 2]]",
     .call = [](const Arguments& a) -> Result { return diag(a.array(0), a.integer(1)); }},
    {.name = "diagflat",
     .parameters = "v: array, k: offset = 0",
     .summary = "Make a matrix with the flattened input on a diagonal.",
     .about = "v: Elements of the diagonal; they are flattened.\n"
              "k: Offset of the diagonal from the main one: positive above it, negative below.",
     .returns = "A new two-dimensional array.",
     .example = ">>> print(qn.diagflat([[1], [2]]))\n[[1 0]\n [0 2]]",
     .call = [](const Arguments& a) -> Result { return diagflat(a.array(0), a.integer(1)); }},
};

}  // namespace

std::span<const Function> creation_rows() {
  return kCreationRows;
}

}  // namespace registry
}  // namespace quern
