// SPDX-License-Identifier: MIT
// Insertion, deletion and overwriting of parts of arrays.
#include "quern/editing.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "array/layout.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "functions/output.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using Places = std::vector<std::int64_t>;

using functions::refuse;

[[noreturn]] void refuse_index(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::index, text);
}

// Indices along one axis, and all of the others.
std::vector<ItemIndex> at_positions(std::size_t axis, Places positions) {
  std::vector<ItemIndex> index(axis, Index::slice());
  const Shape shape{static_cast<std::int64_t>(positions.size())};
  index.emplace_back(HostPositions{shape, std::move(positions)});
  return index;
}

Array part_of(const Array& array, std::size_t axis, std::optional<std::int64_t> start,
              std::optional<std::int64_t> stop) {
  std::vector<Index> index(axis, Index::slice());
  index.push_back(Index::slice(start, stop));
  return view(array, index);
}

Array with_bytes(const Array& array) {
  const std::size_t part = array.dtype().scalar == Scalar::complex64    ? 4
                           : array.dtype().scalar == Scalar::complex128 ? 8
                                                                        : array.dtype().itemsize;
  Shape shape = array.shape();
  const ArrayMemory& memory = array.evaluate();
  Strides strides = memory.strides;
  shape.push_back(static_cast<std::int64_t>(array.dtype().itemsize / part));
  strides.push_back(static_cast<std::int64_t>(part));
  shape.push_back(static_cast<std::int64_t>(part));
  strides.push_back(1);
  return {memory.buffer, DType::of(Scalar::uint8), std::move(shape), std::move(strides), memory.offset};
}

}  // namespace

Array delete_at(const Array& array, std::span<const std::int64_t> positions, int axis) {
  const std::size_t at = checked_axis(axis, array.shape().size());
  const std::int64_t length = array.shape()[at];
  std::vector<bool> goes(static_cast<std::size_t>(length), false);
  for (const std::int64_t one : positions) {
    if (one < -length || one >= length)
      refuse_index("delete: index " + std::to_string(one) + " is out of bounds for axis " +
                   std::to_string(at) + " with size " + std::to_string(length));
    goes[static_cast<std::size_t>(one < 0 ? one + length : one)] = true;
  }
  Places left;
  for (std::int64_t k = 0; k < length; ++k)
    if (!goes[static_cast<std::size_t>(k)]) left.push_back(k);
  return get_item(array, at_positions(at, std::move(left)));
}

Array insert(const Array& array, std::int64_t position, const Array& values, int axis) {
  const std::size_t at = checked_axis(axis, array.shape().size());
  const std::int64_t length = array.shape()[at];
  if (position < -length || position > length)
    refuse_index("insert: index " + std::to_string(position) + " is out of bounds for axis " +
                 std::to_string(at) + " with size " + std::to_string(length));
  const std::int64_t start = position < 0 ? position + length : position;
  Array given = values;
  if (given.shape().size() < array.shape().size()) {
    Shape shape = given.shape();
    shape.insert(shape.begin(), array.shape().size() - shape.size(), 1);
    given = reshape(given, shape);
  }
  if (given.shape().size() <= at) refuse("insert: values of shape " + shape_text(values.shape()));
  const std::int64_t count = given.shape()[at];
  Shape shape = array.shape();
  shape[at] += count;
  Array result = empty(array.queue(), std::move(shape), array.dtype());
  if (start != 0) assign(part_of(result, at, 0, start), part_of(array, at, 0, start));
  assign(part_of(result, at, start, start + count), given);
  if (start != length) assign(part_of(result, at, start + count, {}), part_of(array, at, start, {}));
  return result;
}

Array insert_each(const Array& array, std::span<const std::int64_t> positions, const Array& values,
                  int axis) {
  const std::size_t at = checked_axis(axis, array.shape().size());
  const std::int64_t length = array.shape()[at];
  const std::size_t count = positions.size();
  Places places(positions.begin(), positions.end()), order(count);
  for (std::int64_t& one : places) {
    if (one < -length || one > length)
      refuse_index("insert: index " + std::to_string(one) + " is out of bounds for axis " +
                   std::to_string(at) + " with size " + std::to_string(length));
    if (one < 0) one += length;
  }
  // Each new element shifts those after it by one.
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return places[static_cast<std::size_t>(a)] < places[static_cast<std::size_t>(b)];
  });
  for (std::size_t k = 0; k < count; ++k)
    places[static_cast<std::size_t>(order[k])] += static_cast<std::int64_t>(k);
  Shape shape = array.shape();
  shape[at] += static_cast<std::int64_t>(count);
  std::vector<bool> is_new(static_cast<std::size_t>(shape[at]), false);
  for (const std::int64_t one : places) is_new[static_cast<std::size_t>(one)] = true;
  Places old;
  for (std::size_t k = 0; k < is_new.size(); ++k)
    if (!is_new[k]) old.push_back(static_cast<std::int64_t>(k));
  Array result = empty(array.queue(), std::move(shape), array.dtype());
  set_item(result, at_positions(at, std::move(old)), array);
  set_item(result, at_positions(at, std::move(places)), values);
  return result;
}

Array trim_zeros(const Array& array, std::string_view trim, const std::optional<Axes>& axes) {
  const std::size_t rank = array.shape().size();
  bool is_front = false, is_back = false;
  for (const char letter : trim) {
    is_front |= letter == 'f' || letter == 'F';
    is_back |= letter == 'b' || letter == 'B';
  }
  const auto letters = static_cast<std::size_t>(is_front) + static_cast<std::size_t>(is_back);
  if (trim.empty() || trim.size() != letters)
    refuse("trim_zeros: trim must be 'f', 'b' or 'fb', got '" + std::string(trim) + "'");
  std::vector<bool> is_trimmed(rank, !axes.has_value());
  for (const int axis : axes.value_or(Axes())) {
    const std::size_t at = checked_axis(axis, rank);
    if (is_trimmed[at]) refuse("trim_zeros: axis " + std::to_string(axis) + " is repeated");
    is_trimmed[at] = true;
  }
  if (std::find(is_trimmed.begin(), is_trimmed.end(), true) == is_trimmed.end()) return array;
  const std::vector<Array> places = nonzero_indices(array);
  std::vector<std::int64_t> bounds(2 * rank, 0);
  if (places.front().size() != 0) {
    std::vector<Array> ends;
    for (const Array& one : places) {
      ends.push_back(min(one, {.keepdims = true}));
      ends.push_back(max(one, {.keepdims = true}));
    }
    const Array all = concat(ends);
    bounds = all.to_vector<std::int64_t>(all.queue());
    for (std::size_t d = 0; d < rank; ++d) bounds[2 * d + 1] += 1;
  }
  const bool is_empty = places.front().size() == 0;
  std::vector<Index> index;
  for (std::size_t d = 0; d < rank; ++d) {
    using Bound = std::optional<std::int64_t>;
    const Bound start = is_front || is_empty ? Bound(bounds[2 * d]) : Bound();
    const Bound stop = is_back || is_empty ? Bound(bounds[2 * d + 1]) : Bound();
    index.push_back(is_trimmed[d] ? Index::slice(start, stop) : Index::slice());
  }
  return view(array, index);
}

void copyto(const Array& target, const Operand& source, Casting casting, const std::optional<Array>& where) {
  std::optional<Array> made;
  if (source.array() == nullptr) {
    const Number& number = source.number();
    const DType& dtype = target.dtype();
    const DType own = functions::default_type(number, target.queue());
    const bool is_weak = number.kind() != Number::Kind::boolean && result_type(dtype, number) == dtype;
    check_cast("copyto", is_weak && casting != Casting::equiv ? dtype : own, dtype, casting);
    const bool is_converted = casting == Casting::unsafe && !(result_type(dtype, number) == dtype);
    functions::warn_of_overflow(number, dtype);
    made = is_converted ? astype(full(target.queue(), {}, number, own), dtype)
                        : full(target.queue(), {}, number, dtype);
  } else {
    check_cast("copyto", source.array()->dtype(), target.dtype(), casting);
  }
  functions::written("copyto", made ? *made : *source.array(),
                     {&target, functions::address(where), Casting::unsafe});
}

void putmask(const Array& target, const Array& mask, const Array& values) {
  if (values.size() == 0) return;
  const Array chosen = astype(reshape(mask, target.shape()), DType::of(Scalar::boolean));
  assign(target, where(chosen, astype(resize(values, target.shape()), target.dtype()), target));
}

void fill_diagonal(const Array& target, const Array& values, bool wrap) {
  const Shape& shape = target.shape();
  const bool is_equal =
      std::all_of(shape.begin(), shape.end(), [&](std::int64_t length) { return length == shape[0]; });
  if (shape.size() < 2 || (shape.size() > 2 && !is_equal))
    refuse("fill_diagonal: expected a matrix or axes of equal length, got shape " + shape_text(shape));
  const std::int64_t rows = shape[0], width = shape[1], length = std::min(rows, width);
  const auto fitting = [&](std::int64_t count) {
    return values.size() == 1 ? reshape(values, {})
                              : astype(resize(reshape(values, {-1}), {count}), target.dtype());
  };
  if (wrap && shape.size() == 2 && rows > width + 1) {
    Places down, across;
    for (std::int64_t at = 0; at < rows; at += width + 1)
      for (std::int64_t k = 0; k < std::min(length, rows - at); ++k) {
        down.push_back(at + k);
        across.push_back(k);
      }
    const auto count = static_cast<std::int64_t>(down.size());
    const ItemIndex index[] = {HostPositions{{count}, std::move(down)},
                               HostPositions{{count}, std::move(across)}};
    set_item(target, index, fitting(count));
    return;
  }
  const ArrayMemory& memory = target.evaluate();
  const std::int64_t step = std::accumulate(memory.strides.begin(), memory.strides.end(), std::int64_t{0});
  const Array line(memory.buffer, target.dtype(), {length}, {step}, memory.offset);
  if (length != 0) assign(line, fitting(length));
}

Array byteswap(const Array& array, bool in_place) {
  if (array.size() == 0) return in_place ? array : copy(array);
  Array result = in_place ? array : empty(array.queue(), array.shape(), array.dtype());
  const Array bytes = with_bytes(array);
  const Array swapped = copy(flip(bytes, Axes{static_cast<int>(bytes.shape().size()) - 1}));
  if (!in_place) return {swapped.buffer(), array.dtype(), array.shape()};
  assign(with_bytes(result), swapped);
  return result;
}

namespace registry {
namespace {

// The array and the axis of a call: without an axis, the flattened array.
std::pair<Array, int> line_of(const Arguments& a, std::size_t axis) {
  if (!a.has(axis)) return {reshape(a.array(0), {-1}), 0};
  static_cast<void>(checked_axis(*a.axis(axis), a.array(0).shape().size()));
  return {a.array(0), *a.axis(axis)};
}

// The indices along an axis that a slice, integers or a mask select.
Places positions_of(const Arguments& a, std::size_t k, std::int64_t length) {
  Places result;
  if (a.is<Index>(k)) {
    const auto [start, count] = array::range_of(a.get<Index>(k), length);
    for (std::int64_t n = 0; n < count; ++n) result.push_back(start + n * a.get<Index>(k).step());
    return result;
  }
  const Numbers& numbers = a.nested(k);
  const std::string function(a.function().name);
  if (numbers.kind == Number::Kind::boolean) {
    if (numbers.shape.size() != 1 || (function == "delete" && numbers.shape[0] != length))
      refuse(function + ": a mask must have one dimension and the length of the axis, got shape " +
             shape_text(numbers.shape));
    for (std::size_t n = 0; n < numbers.values.size(); ++n)
      if (numbers.values[n].integer() != 0) result.push_back(static_cast<std::int64_t>(n));
    return result;
  }
  if (numbers.kind != Number::Kind::integer)
    refuse_index(function + ": arrays used as indices must be of integers or booleans");
  for (const Number& one : numbers.values) {
    if (one.is_huge()) refuse_index(function + ": an index is out of bounds for every axis");
    result.push_back(static_cast<std::int64_t>(one.integer()));
  }
  return result;
}

// arr, obj, values, axis
Result call_insert(const Arguments& a) {
  const auto [array, axis] = line_of(a, 3);
  const std::int64_t length = array.shape()[checked_axis(axis, array.shape().size())];
  const Array values = astype(a.array(2), array.dtype());
  if (a.is<Numbers>(1) && a.nested(1).kind != Number::Kind::boolean && a.nested(1).shape.size() > 1)
    refuse("insert: indices must have at most one dimension, got shape " + shape_text(a.nested(1).shape));
  const Places positions = positions_of(a, 1, length);
  if (positions.size() != 1) return insert_each(array, positions, values, axis);
  if (a.is<Index>(1) || !a.nested(1).shape.empty()) return insert(array, positions.front(), values, axis);
  // All at one index: as many as there are along the first axis.
  Shape shape = values.shape();
  if (shape.size() < array.shape().size())
    shape.insert(shape.begin(), array.shape().size() - shape.size(), 1);
  return insert(array, positions.front(), moveaxis(reshape(values, shape), {0}, {axis}), axis);
}

constexpr std::string_view kObject =
    "arr: Input array, or anything that can be converted to one.\n"
    "obj: Indices along the axis: an integer, a sequence of integers, a slice or a boolean "
    "mask.\n"
    "values: Values to insert; they are converted to the dtype of the array.\n"
    "axis: Axis of the indices; None: the flattened array.";

const Function kEditingRows[] = {
    {.name = "delete",
     .parameters = "arr: array, obj: nested | slice, axis: int = None",
     .summary = "Copy of an array with sub-arrays along an axis deleted.",
     .about = kObject,
     .returns = "A new array.",
     .example = ">>> print(qn.delete([1, 2, 3, 4], [0, 2]))\n[2 4]",
     .call = [](const Arguments& a) -> Result {
       const auto [array, axis] = line_of(a, 2);
       const std::int64_t length = array.shape()[checked_axis(axis, array.shape().size())];
       return delete_at(array, positions_of(a, 1, length), axis);
     }},
    {.name = "insert",
     .parameters = "arr: array, obj: nested | slice, values: values, axis: int = None",
     .summary = "Copy of an array with values inserted before the given indices along an axis.",
     .about = kObject,
     .returns = "A new array.",
     .example = ">>> print(qn.insert([1, 2, 3], 1, [8, 9]))\n[1 8 9 2 3]",
     .call = call_insert},
    {.name = "trim_zeros",
     .parameters = "filt: array, trim: str = 'fb', axis: ints = None",
     .summary = "Trim leading and trailing zeros; waits for the result.",
     .about = "filt: Input array, or anything that can be converted to one.\n"
              "trim: 'f' trims the front, 'b' the back, 'fb' both.\n"
              "axis: Axes to trim along; None: all of them.",
     .returns = "A view of the trimmed array.",
     .example = ">>> print(qn.trim_zeros([0, 0, 1, 2, 0]))\n[1 2]",
     .call = [](const Arguments& a) -> Result { return trim_zeros(a.array(0), a.text(1), a.axes(2)); }},
    {.name = "copyto",
     .parameters = "dst: out, src: operand, casting: str = 'same_kind', where: mask = True",
     .summary = "Copy values to an array, broadcast, where a mask is True.",
     .about = "dst: Array to write to.\n"
              "src: Values to write: an array or a number.\n"
              "where: Mask, broadcast; elements of `dst` where it is False keep their values.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.asarray([1, 2, 3])\n>>> qn.copyto(x, 9, where=x > 1)\n>>> print(x)\n[1 9 9]",
     .call = [](const Arguments& a) -> Result {
       copyto(a.array(0), a.operand(1), casting_of(a.text(2), "copyto"), a.mask(3));
       return std::monostate();
     }},
    {.name = "putmask",
     .parameters = "a: out, /, mask: array, values: values",
     .summary = "Set a.flat[i] = values[i] where mask.flat[i] is True; `values` is repeated to the size of "
                "`a`.",
     .about = "a: Array to write to.\n"
              "mask: Boolean mask with as many elements as the array.\n"
              "values: Values to write, repeated to the size of the array.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.asarray([1, 2, 3])\n>>> qn.putmask(x, x > 1, [7, 8, 9])\n>>> print(x)\n[1 8 9]",
     .call = [](const Arguments& a) -> Result {
       putmask(a.array(0), a.array(1), a.array(2));
       return std::monostate();
     }},
    {.name = "fill_diagonal",
     .parameters = "a: out, val: values, wrap: bool = False",
     .summary = "Fill the main diagonal of an array in place.",
     .about = "a: Array to write to: a matrix, or an array whose axes all have the same length.\n"
              "val: A number, or values to repeat along the diagonal.\n"
              "wrap: If True, the diagonal of a tall matrix starts again below its end.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.zeros((2, 2))\n>>> qn.fill_diagonal(x, 5)\n>>> print(x)\n[[5. 0.]\n [0. 5.]]",
     .call = [](const Arguments& a) -> Result {
       fill_diagonal(a.array(0), a.array(1), a.flag(2));
       return std::monostate();
     }},
    {.name = "Array.byteswap",
     .parameters = "a: array, inplace: bool = False",
     .summary = "Swap the bytes of each element; the dtype does not change.",
     .about = "inplace: If True, the array itself is modified and returned.",
     .returns = "A new array, or the array itself.",
     .example = ">>> print(qn.asarray([1, 256], dtype='int16').byteswap())\n[256   1]",
     .call = [](const Arguments& a) -> Result { return byteswap(a.array(0), a.flag(1)); }},
};

}  // namespace

std::span<const Function> editing_rows() {
  return kEditingRows;
}

}  // namespace registry
}  // namespace quern
