// SPDX-License-Identifier: MIT
// Elements by index: take, put, nonzero, choose, select, clip, with NumPy's keywords.
#include "quern/indexing.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "array/write.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/manipulation.hpp"

namespace quern {

IndexMode index_mode_of(std::string_view name, std::string_view function) {
  if (name == "raise") return IndexMode::raise;
  if (name == "wrap") return IndexMode::wrap;
  if (name == "clip") return IndexMode::clip;
  functions::value_error(std::string(function) + ": mode must be 'raise', 'wrap' or 'clip', got '" +
                         std::string(name) + "'");
}

namespace {

std::size_t count_of(const IndexPositions& positions) {
  const auto* const array = std::get_if<Array>(&positions);
  return array != nullptr ? array->size() : std::get<HostPositions>(positions).values.size();
}

ItemIndex item_of(const IndexPositions& positions) {
  const auto* const array = std::get_if<Array>(&positions);
  if (array != nullptr) return *array;
  return std::get<HostPositions>(positions);
}

IndexPositions flattened(IndexPositions positions) {
  if (const auto* const array = std::get_if<Array>(&positions)) return functions::flattened(*array);
  auto& host = std::get<HostPositions>(positions);
  host.shape = {static_cast<std::int64_t>(host.values.size())};
  return positions;
}

std::int64_t within(std::int64_t position, std::int64_t length, IndexMode mode) {
  if (mode == IndexMode::clip) return std::clamp<std::int64_t>(position, 0, length - 1);
  const std::int64_t rest = position % length;
  return rest < 0 ? rest + length : rest;
}

// The indices as an index expression takes them: to be checked, or reduced to the length.
IndexPositions prepared(std::string_view function, const IndexPositions& positions, std::int64_t length,
                        IndexMode mode) {
  const auto* const array = std::get_if<Array>(&positions);
  if (array != nullptr && !functions::is_integer(array->dtype()))
    functions::index_error(std::string(function) + ": indices must be integers, got " +
                           array->dtype().name());
  if (mode == IndexMode::raise || count_of(positions) == 0) return positions;
  if (length == 0) functions::index_error(std::string(function) + ": cannot take from an empty axis");
  if (array == nullptr) {
    HostPositions host = std::get<HostPositions>(positions);
    for (std::int64_t& one : host.values) one = within(one, length, mode);
    return host;
  }
  const Array wide = astype(*array, functions::index_type());
  if (mode == IndexMode::wrap) return apply("remainder", {wide, length});
  return apply("minimum", {apply("maximum", {wide, 0}), length - 1});
}

// Indices along each axis for flat indices in C order.
std::vector<ItemIndex> unravelled(const IndexPositions& positions, const Shape& shape, const Queue& queue) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  const auto* const array = std::get_if<Array>(&positions);
  Array rest = array != nullptr ? astype(*array, functions::index_type())
                                : asarray(queue, std::get<HostPositions>(positions).values);
  // An index that is out of bounds must remain so after the division.
  rest = where(rest < -size, size, where(rest < 0, rest + size, rest));
  std::vector<ItemIndex> parts(shape.size(), rest);
  for (std::size_t d = shape.size(); d-- > 1;) {
    parts[d] = apply("remainder", {rest, shape[d]});
    rest = apply("floor_divide", {rest, shape[d]});
  }
  parts[0] = rest;
  return parts;
}

// The values, repeated as often as needed.
Array repeated(const Array& values, std::int64_t count) {
  const Array flat = functions::flattened(values);
  if (functions::size_of(flat) == 1 || functions::size_of(flat) == count) return flat;
  const Array counter = arange(values.queue(), 0, 1, count, functions::index_type());
  const std::array<ItemIndex, 1> at = {apply("remainder", {counter, functions::size_of(flat)})};
  return get_item(flat, at);
}

}  // namespace

Array take(const Array& array, const IndexPositions& positions, std::optional<int> axis, IndexMode mode) {
  const Array whole = axis ? functions::as_vector(array) : functions::flattened(array);
  const std::size_t at = checked_axis(axis.value_or(0), whole.shape().size());
  std::vector<ItemIndex> index(at, Index::slice());
  index.push_back(item_of(prepared("take", positions, whole.shape()[at], mode)));
  return get_item(whole, index);
}

void put(const Array& array, const IndexPositions& positions, const Array& values, IndexMode mode) {
  const IndexPositions inside = flattened(prepared("put", positions, functions::size_of(array), mode));
  const auto count = static_cast<std::int64_t>(count_of(inside));
  if (count == 0 || values.size() == 0) return;
  const Array given = repeated(values, count);
  array.evaluate();
  if (strides_of_reshaped(array, {functions::size_of(array)})) {
    const std::array<ItemIndex, 1> at = {item_of(inside)};
    set_item(functions::flattened(array), at, given);
    return;
  }
  set_item(array, unravelled(inside, array.shape(), array.queue()), given);
}

Array flatnonzero(const Array& array) {
  return nonzero_indices(functions::flattened(array))[0];
}

Array argwhere(const Array& array) {
  if (array.shape().empty())
    return empty(array.queue(), {functions::truth_of(array) ? 1 : 0, 0}, functions::index_type());
  return stack(nonzero_indices(array), 1);
}

Array extract(const Array& condition, const Array& array) {
  const std::array<ItemIndex, 1> mask = {astype(functions::flattened(condition), DType::of(Scalar::boolean))};
  return get_item(functions::flattened(array), mask);
}

Array compress(const Array& condition, const Array& array, std::optional<int> axis) {
  if (condition.shape().size() != 1)
    functions::value_error("compress: the condition must have one dimension, got " +
                           std::to_string(condition.shape().size()));
  return take(array, flatnonzero(condition), axis);
}

void place(const Array& array, const Array& mask, const Array& values) {
  if (mask.size() != array.size())
    functions::value_error("place: a mask of " + std::to_string(mask.size()) + " elements for an array of " +
                           std::to_string(array.size()));
  const Array positions = flatnonzero(mask);
  if (positions.size() == 0) return;
  if (values.size() == 0)
    functions::value_error("place: values must not be empty if the mask selects elements");
  put(array, positions, values);
}

Array choose(const Array& positions, std::span<const Array> choices, IndexMode mode) {
  if (choices.empty()) functions::value_error("choose: expected at least one choice");
  Array like = positions;
  for (const Array& choice : choices) like = where(true, like, choice);  // for its shape
  std::vector<Array> wide;
  for (const Array& choice : choices) wide.push_back(broadcast_to(choice, like.shape()));
  const Array broad = broadcast_to(positions, like.shape());
  const IndexPositions inside = prepared("choose", broad, static_cast<std::int64_t>(choices.size()), mode);
  const Array row = view(std::get<Array>(inside), {Index::new_axis(), Index::ellipsis()});
  return view(take_along_axis(stack(wide, 0, functions::common_type(choices)), row, 0), {0});
}

Array select(std::span<const Array> conditions, std::span<const Operand> choices, const Operand& otherwise,
             const Queue* queue) {
  if (conditions.size() != choices.size() || conditions.empty())
    functions::value_error("select: " + std::to_string(conditions.size()) + " conditions for " +
                           std::to_string(choices.size()) + " choices");
  const Queue user = queue != nullptr ? *queue : conditions[0].queue();
  std::vector<Operand> all = {otherwise};
  all.insert(all.end(), choices.begin(), choices.end());
  const DType dtype = functions::common_type(all, user);
  const auto converted = [&](const Operand& one) { return astype(functions::array_of(one, user), dtype); };
  Array result = converted(otherwise);
  for (std::size_t k = conditions.size(); k-- > 0;) {
    if (!functions::is_boolean(conditions[k].dtype()))
      functions::type_error("select: conditions must be booleans, got " + conditions[k].dtype().name());
    result = where(conditions[k], converted(choices[k]), result);
  }
  return result;
}

namespace {

struct IntegerLimits {
  std::int64_t least;
  std::uint64_t greatest;
};
IntegerLimits integer_limits_of(const DType& dtype) {
  const auto bits = static_cast<unsigned>(8 * dtype.itemsize);
  const bool is_signed = dtype.scalar == Scalar::int8 || dtype.scalar == Scalar::int16 ||
                         dtype.scalar == Scalar::int32 || dtype.scalar == Scalar::int64;
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  return {is_signed ? -static_cast<std::int64_t>(most) - 1 : 0, most};
}

// Whether no integer of this dtype can exceed the bound, so that clipping has no effect.
bool is_beyond(const Operand& bound, const DType& dtype, bool is_least) {
  if (bound.array() != nullptr || bound.number().kind() != Number::Kind::integer ||
      !functions::is_integer(dtype))
    return false;
  const Number& number = bound.number();
  if (number.is_huge()) return number.is_negative() == is_least;
  const IntegerLimits limits = integer_limits_of(dtype);
  const auto value = static_cast<std::int64_t>(number.integer());
  if (is_least)
    return number.is_negative() ? value <= limits.least : number.integer() == 0 && limits.least == 0;
  return !number.is_negative() && number.integer() >= limits.greatest;
}

}  // namespace

Array clip(const Array& array, const std::optional<Operand>& least, const std::optional<Operand>& most,
           const ClipOptions& options) {
  std::vector<Operand> all = {array};
  const bool has_least = least && !is_beyond(*least, array.dtype(), true);
  const bool has_most = most && !is_beyond(*most, array.dtype(), false);
  if (has_least) all.push_back(*least);
  if (has_most) all.push_back(*most);
  const auto check = [&](const DType& from) {
    check_cast("clip: dtype", from, *options.dtype, options.casting);
  };
  for (const Operand& one : all)
    if (options.dtype && one.array() != nullptr) check(one.array()->dtype());
  // All three have a common dtype.
  const DType dtype = options.dtype.value_or(functions::common_type(all, array.queue()));
  Array result = astype(array, dtype);
  const auto bounded = [&](std::string_view name, const Operand& bound) {
    if (bound.array() == nullptr) return apply(name, {result, bound});
    return apply(name, {result, astype(*bound.array(), dtype)});
  };
  if (has_least) result = bounded("maximum", *least);
  if (has_most) result = bounded("minimum", *most);
  if (all.size() == 1) result = copy(apply("positive", {result}));
  if (options.in_fortran_order && !options.out) result = permute_dims(copy(permute_dims(result)));
  return functions::written(
      "clip", std::move(result),
      {functions::address(options.out), functions::address(options.where), options.casting});
}

namespace registry {
namespace {

IndexPositions positions_of(const Arguments& a, std::size_t k) {
  if (a.is<Array>(k)) return a.array(k);
  return a.get<HostPositions>(k);
}

Result stored(const Arguments& a, Array result, std::size_t out) {
  return functions::written(a.function().name, std::move(result),
                            {.array = functions::address(a.find<Array>(out)), .broadcasts = false});
}

// out, where, casting, order, dtype, with `min` and `max` behind `out` where they are
ClipOptions clip_options(const Arguments& a, std::size_t out, std::size_t where) {
  return {.out = a.find<Array>(out),
          .where = a.mask(where),
          .casting = casting_of(a.text(where + 1), "clip"),
          .dtype = a.find<DType>(where + 3),
          .in_fortran_order = is_fortran(a, where + 2)};
}

// a, min, max, out, a_min, a_max, where, casting, order, dtype
Result call_clip(const Arguments& a) {
  if ((a.has(1) && a.has(4)) || (a.has(2) && a.has(5)))
    functions::type_error("clip: min and a_min, and max and a_max, are aliases; give one of each");
  return clip(a.array(0), find_operand(a, a.has(4) ? 4 : 1), find_operand(a, a.has(5) ? 5 : 2),
              clip_options(a, 3, 6));
}

Result call_where(const Arguments& a) {
  if (!a.has(1) && !a.has(2)) return nonzero_indices(functions::array_of(a.operand(0), a.queue()));
  if (!a.has(1) || !a.has(2)) functions::type_error("where: expected both x and y, or neither");
  if (a.is<Array>(0) || a.is<Array>(1) || a.is<Array>(2))
    return where(a.operand(0), a.operand(1), a.operand(2));
  return where(functions::array_of(a.operand(0), a.queue()), a.operand(1), a.operand(2));
}

Result call_put(const Arguments& a) {
  put(a.array(0), positions_of(a, 1), a.array(2), index_mode_of(a.text(3), "put"));
  return std::monostate();
}

Result call_take_along(const Arguments& a) {
  if (!a.has(2))
    return take_along_axis(functions::flattened(a.array(0)), functions::flattened(a.array(1)), 0);
  static_cast<void>(checked_axis(*a.axis(2), a.array(0).shape().size()));
  return take_along_axis(a.array(0), a.array(1), *a.axis(2));
}

Result call_put_along(const Arguments& a) {
  const Array& x = a.array(0);
  if (a.has(3)) {
    static_cast<void>(checked_axis(*a.axis(3), x.shape().size()));
    put_along_axis(x, a.array(1), a.operand(2), *a.axis(3));
    return std::monostate();
  }
  x.evaluate();
  if (!strides_of_reshaped(x, {functions::size_of(x)}))
    functions::value_error("put_along_axis: axis=None does not support a strided view");
  put_along_axis(functions::flattened(x), functions::flattened(a.array(1)), a.operand(2), 0);
  return std::monostate();
}

Result call_searchsorted(const Arguments& a) {
  const std::string_view side = a.text(2);
  if (side != "left" && side != "right")
    functions::value_error("searchsorted: side must be 'left' or 'right', got '" + std::string(side) + "'");
  return searchsorted(a.array(0), a.array(1), side == "right", a.has(3) ? &a.array(3) : nullptr);
}

const Function kIndexingRows[] = {
    {.name = "take",
     .parameters = "a: array, indices: positions, axis: int = None, out: out = None, mode: str = 'raise'",
     .summary = "Take elements along an axis by index.",
     .notes = "Indices on the host are checked at once. Out-of-bounds indices in a device array raise "
              "IndexError when "
              "the result is read.",
     .about = "indices: Integer indices, in any shape.\n"
              "axis: Axis to take from; None: the flattened array.\n"
              "mode: How to treat out-of-bounds indices: 'raise' an IndexError, 'wrap' around, or 'clip' "
              "to the range.",
     .returns = "The elements; the shape of `indices` replaces the axis.",
     .example = ">>> print(qn.take([10, 20, 30], [2, 0]))\n[30 10]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result {
       return stored(a, take(a.array(0), positions_of(a, 1), a.axis(2), index_mode_of(a.text(4), "take")), 3);
     }},
    {.name = "put",
     .parameters = "a: out, ind: positions, v: values, mode: str = 'raise'",
     .summary = "Set a.flat[ind] = v; `v` is repeated if it is shorter.",
     .notes = "Indices on the host are checked at once. Out-of-bounds indices in a device array raise "
              "IndexError when "
              "the array is read.",
     .about = "a: Array to write to.\n"
              "ind: Indices into the flattened array, in C order.\n"
              "v: Values to write.\n"
              "mode: How to treat out-of-bounds indices: 'raise' an IndexError, 'wrap' around, or 'clip' "
              "to the range.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.zeros(4, 'int32')\n>>> qn.put(x, [0, 2], [7, 8])\n>>> print(x)\n[7 0 8 0]",
     .call = call_put},
    {.name = "Array.put",
     .parameters = "a: out, indices: positions, values: values, mode: str = 'raise'",
     .summary = "Set x.flat[indices] = values; `values` is repeated if it is shorter.",
     .notes = "Indices on the host are checked at once. Out-of-bounds indices in a device array raise "
              "IndexError when "
              "the array is read.",
     .about = "a: Array to write to.\n"
              "indices: Indices into the flattened array, in C order.\n"
              "values: Values to write.\n"
              "mode: How to treat out-of-bounds indices: 'raise' an IndexError, 'wrap' around, or 'clip' "
              "to the range.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.zeros(4, 'int32')\n>>> x.put([0, 2], 7)\n>>> print(x)\n[7 0 7 0]",
     .call = call_put},
    {.name = "take_along_axis",
     .parameters = "arr: array, indices: array, axis: int | None = -1",
     .summary = "Take elements by matching one-dimensional slices of indices and data along an axis.",
     .notes = "Out-of-bounds indices raise IndexError when the result is read.",
     .about = "arr: Input array, or anything that can be converted to one.\n"
              "indices: Integer indices along the axis; the other axes are broadcast against `arr`.\n"
              "axis: Axis to index along; None: the flattened array.",
     .returns = "The elements, in the broadcast shape of `indices`.",
     .example = ">>> x = qn.asarray([[3, 1, 2]])\n>>> print(qn.take_along_axis(x, qn.argsort(x), axis=1))\n"
                "[[1 2 3]]",
     .call = call_take_along},
    {.name = "put_along_axis",
     .parameters = "arr: out, indices: array, values: operand, axis: int | None",
     .summary = "Write values by matching one-dimensional slices of indices and data along an axis.",
     .notes = "Out-of-bounds indices raise IndexError when the array is read.",
     .about = "arr: Array to write to.\n"
              "indices: Integer indices along the axis; the other axes are broadcast against `arr`.\n"
              "values: Values to write, broadcast to `indices`.\n"
              "axis: Axis to index along; None: the flattened array.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.zeros((2, 2), 'int32')\n>>> qn.put_along_axis(x, qn.asarray([[1], [0]]), 5, "
                "axis=1)\n>>> print(x)\n[[0 5]\n [5 0]]",
     .call = call_put_along},
    {.name = "where",
     .parameters = "condition: operand, x: operand = None, y: operand = None, /, *, queue: queue = None",
     .summary = "Choose elements from `x` where a condition is True and from `y` elsewhere.",
     .notes = "where(condition) is nonzero(condition).",
     .about = "condition: Where it is nonzero, the element comes from `x`.\n"
              "x: Array or number; it is given together with `y`.\n"
              "y: Array or number.",
     .returns =
         "The elements, in the broadcast shape of the arguments; for a condition only, a tuple of index "
         "arrays.",
     .type = "Any",
     .example = ">>> print(qn.where(qn.asarray([True, False]), [1, 2], 0))\n[1 0]",
     .call = call_where},
    {.name = "nonzero",
     .parameters = "a: array",
     .summary = "Indices of the nonzero elements, one array for each axis; waits for their number.",
     .returns = "int64 indices, one array for each axis.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.nonzero([[0, 2], [3, 0]]))\n[0 1] [1 0]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result { return nonzero_indices(a.array(0)); }},
    {.name = "flatnonzero",
     .parameters = "a: array",
     .summary = "Indices of the nonzero elements in the flattened array; waits for their number.",
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.flatnonzero([[0, 2], [3, 0]]))\n[1 2]",
     .call = [](const Arguments& a) -> Result { return flatnonzero(a.array(0)); }},
    {.name = "argwhere",
     .parameters = "a: array",
     .summary = "Indices of the nonzero elements, one element in each row; waits for their number.",
     .returns = "Array of int64 indices, of shape (number of nonzero elements, a.ndim).",
     .example = ">>> print(qn.argwhere([[0, 2], [3, 0]]))\n[[0 1]\n [1 0]]",
     .call = [](const Arguments& a) -> Result { return argwhere(a.array(0)); }},
    {.name = "searchsorted",
     .parameters = "a: array, v: array, side: str = 'left', sorter: array = None",
     .summary = "Indices at which to insert values into a sorted array so that it stays sorted.",
     .about = "a: One-dimensional array, sorted unless `sorter` is given.\n"
              "v: Values.\n"
              "side: 'left': before equal elements; 'right': after them.\n"
              "sorter: Indices that sort `a`, as argsort() returns them.",
     .returns = "Array of int64 indices, in the shape of `v`.",
     .example = ">>> print(qn.searchsorted([1, 3, 5], [3, 4], side='right'))\n[2 2]",
     .is_method = true,
     .call = call_searchsorted},
    {.name = "clip",
     .parameters = "a: array, min: operand = None, max: operand = None, out: out = None, *, "
                   "a_min: operand = None, a_max: operand = None, where: mask = True, "
                   "casting: str = 'same_kind', order: str = 'K', dtype: dtype = None, subok: bool = True",
     .summary = "Clip (limit) the elements to an interval.",
     .about = "min: Minimum, broadcast; None: no lower limit.\n"
              "max: Maximum, broadcast; None: no upper limit.\n"
              "a_min: NumPy's older name for `min`.\n"
              "a_max: NumPy's older name for `max`.\n"
              "where: Mask, broadcast. Where it is False, `out` keeps its elements, and a new array holds "
              "0.",
     .returns = "The clipped elements.",
     .example = ">>> print(qn.clip([1, 5, 9], 2, 6))\n[2 5 6]",
     .call = call_clip},
    {.name = "Array.clip",
     .parameters = "a: array, min: operand = None, max: operand = None, out: out = None, *, "
                   "where: mask = True, casting: str = 'same_kind', order: str = 'K', dtype: dtype = None, "
                   "subok: bool = True",
     .summary = "Clip (limit) the elements to an interval.",
     .about = "min: Minimum, broadcast; None: no lower limit.\n"
              "max: Maximum, broadcast; None: no upper limit.\n"
              "where: Mask, broadcast. Where it is False, `out` keeps its elements, and a new array holds "
              "0.",
     .returns = "The clipped elements.",
     .example = ">>> print(qn.asarray([1, 5, 9]).clip(2, 6))\n[2 5 6]",
     .call = [](const Arguments& a) -> Result {
       return clip(a.array(0), find_operand(a, 1), find_operand(a, 2), clip_options(a, 3, 4));
     }},
    {.name = "extract",
     .parameters = "condition: array, arr: array",
     .summary = "Elements of the flattened array where a condition is True; waits for their number.",
     .about = "condition: Mask with as many elements as `arr`; nonzero selects the element.\n"
              "arr: Array to take elements from.",
     .returns = "The selected elements in C order, as a one-dimensional array.",
     .example = ">>> print(qn.extract([True, False, True], [1, 2, 3]))\n[1 3]",
     .call = [](const Arguments& a) -> Result { return extract(a.array(0), a.array(1)); }},
    {.name = "compress",
     .parameters = "condition: array, a: array, axis: int = None, out: out = None",
     .summary = "Select slices along an axis where a condition is True; waits for their number.",
     .about = "condition: One-dimensional mask; nonzero selects the slice.\n"
              "axis: Axis to select along; None: the flattened array.",
     .returns = "The selected slices, joined along the axis.",
     .example = ">>> print(qn.compress([True, False], [[1, 2], [3, 4]], axis=0))\n[[1 2]]",
     .call = [](const Arguments& a) -> Result {
       return stored(a, compress(a.array(0), a.array(1), a.axis(2)), 3);
     }},
    {.name = "Array.compress",
     .parameters = "a: array, condition: array, axis: int = None, out: out = None",
     .summary = "Select slices along an axis where a condition is True; waits for their number.",
     .about = "condition: One-dimensional mask; nonzero selects the slice.\n"
              "axis: Axis to select along; None: the flattened array.",
     .returns = "The selected slices, joined along the axis.",
     .example = ">>> print(qn.asarray([[1, 2], [3, 4]]).compress([True, False], axis=0))\n[[1 2]]",
     .call = [](const Arguments& a) -> Result {
       return stored(a, compress(a.array(1), a.array(0), a.axis(2)), 3);
     }},
    {.name = "place",
     .parameters = "arr: out, mask: array, vals: values",
     .summary = "Set arr[mask] = vals; `vals` is repeated or cut to the number of selected elements.",
     .about = "arr: Array to write to.\n"
              "mask: Mask in the shape of `arr`; nonzero selects the element.\n"
              "vals: Values to write, one after another.",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.arange(4)\n>>> qn.place(x, x > 1, [7])\n>>> print(x)\n[0 1 7 7]",
     .call = [](const Arguments& a) -> Result {
       place(a.array(0), a.array(1), a.array(2));
       return std::monostate();
     }},
    {.name = "choose",
     .parameters = "a: array, choices: arrays, out: out = None, mode: str = 'raise'",
     .summary = "Build an array by choosing, for each element, from a list of arrays by index.",
     .notes = "Out-of-bounds indices raise IndexError when the result is read. NumPy raises ValueError.",
     .about = "a: Indices into `choices`.\n"
              "choices: Arrays to choose from, broadcast against `a`.\n"
              "mode: How to treat out-of-bounds indices: 'raise' an IndexError, 'wrap' around, or 'clip' "
              "to the range.",
     .returns = "The chosen elements, in the broadcast shape.",
     .example = ">>> print(qn.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]))\n[ 1 20  3]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result {
       return stored(a, choose(a.array(0), a.arrays(1), index_mode_of(a.text(3), "choose")), 2);
     }},
    {.name = "select",
     .parameters = "condlist: arrays, choicelist: operands, default: operand = 0",
     .summary = "Choose each element by the first condition that is True, or take the default.",
     .about = "condlist: Boolean arrays.\n"
              "choicelist: An array or a number for each condition.\n"
              "default: Value where no condition is True.",
     .returns = "The elements, in the broadcast shape of the arguments.",
     .example = ">>> x = qn.arange(4)\n>>> print(qn.select([x < 1, x > 2], [x, x * 10], -1))\n[ 0 -1 -1 30]",
     .call = [](const Arguments& a) -> Result {
       return select(a.arrays(0), a.operands(1), a.operand(2), &a.queue());
     }},
};

}  // namespace

std::span<const Function> indexing_rows() {
  return kIndexingRows;
}

}  // namespace registry
}  // namespace quern
