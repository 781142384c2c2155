// SPDX-License-Identifier: MIT
// Arrays whose elements come again: rolled, repeated, tiled, padded, resized.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

}  // namespace

Array repeat_each(const Array& array, std::span<const std::int64_t> counts, std::optional<int> axis) {
  const Array whole = axis ? array : reshape(array, {-1});
  const std::size_t at = checked_axis(axis.value_or(0), whole.shape().size());
  if (static_cast<std::int64_t>(counts.size()) != whole.shape()[at])
    refuse("repeat: counts of shape (" + std::to_string(counts.size()) + ",) for an axis of " +
           std::to_string(whole.shape()[at]) + " elements");
  HostPositions positions;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < 0) refuse("repeat: counts cannot be negative");
    positions.values.insert(positions.values.end(), static_cast<std::size_t>(counts[k]),
                            static_cast<std::int64_t>(k));
  }
  positions.shape = {static_cast<std::int64_t>(positions.values.size())};
  std::vector<ItemIndex> index(at, Index::slice());
  index.emplace_back(std::move(positions));
  return get_item(whole, index);
}

Array resize(const Array& array, const Shape& shape) {
  for (const std::int64_t length : shape)
    if (length < 0) refuse("resize: lengths must not be negative, got " + array::text_of(shape));
  const auto count = static_cast<std::int64_t>(element_count(shape, array.dtype().itemsize));
  const auto size = static_cast<std::int64_t>(array.size());
  if (size == 0) return zeros(array.queue(), shape, array.dtype());
  const Array flat = reshape(array, {-1});
  const Array enough = count > size ? tile(flat, {(count - 1) / size + 1}) : flat;
  const Array part = view(enough, {Index::slice(0, count)});
  return reshape(count > size ? part : copy(part), shape);
}

namespace registry {
namespace {

std::int64_t whole_number(const Number& number, const std::string& what) {
  const double value = number.value().real();
  if (number.is_huge() || value > 9e18 || value < -9e18)
    refuse(what + ": " + std::to_string(value) + " is more than an array can have");
  if (number.kind() != Number::Kind::floating && number.kind() != Number::Kind::complex)
    return static_cast<std::int64_t>(number.integer());
  if (value != static_cast<double>(static_cast<std::int64_t>(value)))
    throw ArgumentError(ArgumentError::Kind::type, what + " are integers");
  return static_cast<std::int64_t>(value);
}

// a, repeats, axis
Result call_repeat(const Arguments& a) {
  const Numbers& repeats = a.nested(1);
  if (repeats.kind != Number::Kind::integer && repeats.kind != Number::Kind::boolean)
    throw ArgumentError(ArgumentError::Kind::type, "repeat: counts are integers");
  std::vector<std::int64_t> counts;
  for (const Number& one : repeats.values) counts.push_back(whole_number(one, "repeat: counts"));
  // As in NumPy a number has an axis here.
  const Array x = a.has(2) && a.array(0).shape().empty() ? reshape(a.array(0), {1}) : a.array(0);
  if (counts.size() == 1 && repeats.shape.size() <= 1) return repeat(x, counts.front(), a.axis(2));
  if (repeats.shape.size() != 1) refuse("repeat: counts of shape " + array::text_of(repeats.shape));
  return repeat_each(x, counts, a.axis(2));
}

// Before and behind for each axis. One number is for all, one pair for all axes.
std::vector<std::pair<Number, Number>> pairs_of(const Numbers& given, std::size_t rank, const char* role) {
  const Shape& shape = given.shape;
  const auto rows = static_cast<std::int64_t>(given.keys.empty() ? rank : given.keys.size());
  const std::int64_t height = shape.size() == 2 ? shape[0] : 1, width = shape.empty() ? 1 : shape.back();
  const bool fits = shape.size() <= 2 && (height == 1 || height == rows) && (width == 1 || width == 2);
  if (!fits)
    refuse(std::string("pad: ") + role + " of shape " + array::text_of(shape) + " for " +
           std::to_string(rank) + " axes");
  std::vector<std::pair<Number, Number>> result(rank, {Number(0), Number(0)});
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = static_cast<std::size_t>(height == 1 ? 0 : row * width);
    const auto axis = given.keys.empty() ? static_cast<std::size_t>(row)
                                         : checked_axis(given.keys[static_cast<std::size_t>(row)], rank);
    result[axis] = {given.values[first], given.values[first + (width == 1 ? 0 : 1)]};
  }
  return result;
}

// array, pad_width, mode, constant_values
Result call_pad(const Arguments& a) {
  constexpr std::array kModes =
      std::to_array<std::pair<std::string_view, Padding>>({{"edge", Padding::edge},
                                                           {"reflect", Padding::reflect},
                                                           {"symmetric", Padding::symmetric},
                                                           {"wrap", Padding::wrap}});
  const Array& x = a.array(0);
  const std::size_t rank = x.shape().size();
  PadWidths widths;
  for (const auto& [before, behind] : pairs_of(a.nested(1), rank, "pad_width"))
    widths.emplace_back(whole_number(before, "pad: widths"), whole_number(behind, "pad: widths"));
  const std::string_view mode = a.text(2);
  if (mode == "constant" || mode == "empty") {
    const auto values = a.is<Numbers>(3) ? pairs_of(a.nested(3), rank, "constant_values")
                                         : std::vector(rank, std::pair(Number(0), Number(0)));
    return pad(x, widths, values);
  }
  for (const auto& [name, padding] : kModes)
    if (name == mode) return pad(x, widths, padding);
  refuse("pad: mode is 'constant', 'edge', 'reflect', 'symmetric', 'wrap' or 'empty', got '" +
         std::string(mode) + "'");
}

const Function kRows[] = {
    {.name = "roll",
     .parameters = "a: array, shift: ints, axis: ints = None",
     .summary = "Rolls elements along axes: those that leave at one end come in at the other.",
     .about = "shift: By how many places, for each axis or for all.\n"
              "axis: The axes to roll along; None: the flat array, which then gets its shape back.",
     .returns = "A new array.",
     .example = ">>> print(qn.roll([1, 2, 3, 4], 1))\n[4 1 2 3]",
     .call = [](const Arguments& a) -> Result { return roll(a.array(0), a.integers(1), a.axes(2)); }},
    {.name = "repeat",
     .parameters = "a: array, repeats: nested, axis: int = None",
     .summary = "Repeats each element of an array.",
     .about = "repeats: How often, for all elements or for each index along the axis.\n"
              "axis: The axis to repeat along; None: of the flat array.",
     .returns = "A new array.",
     .example = ">>> print(qn.repeat([1, 2], [1, 3]))\n[1 2 2 2]",
     .is_method = true,
     .call = call_repeat},
    {.name = "tile",
     .parameters = "A: array, reps: ints",
     .summary = "Repeats the whole array along each axis.",
     .about = "A: An array, or numbers that become one.\nreps: How often along each axis.",
     .returns = "A new array.",
     .example = ">>> print(qn.tile([1, 2], (2, 2)))\n[[1 2 1 2]\n [1 2 1 2]]",
     .call = [](const Arguments& a) -> Result { return tile(a.array(0), a.integers(1)); }},
    {.name = "pad",
     .parameters = "array: array, pad_width: nested, mode: str = 'constant', *, "
                   "constant_values: nested = None",
     .summary = "Pads an array on all sides with numbers, or with its own elements.",
     .about =
         "pad_width: How many elements before and behind: one number, a pair, a pair for each axis, or a "
         "dict of them.\n"
         "mode: 'constant', 'edge', 'reflect', 'symmetric', 'wrap' or 'empty'.\n"
         "constant_values: The numbers, as `pad_width` has them; 0 where none are given.",
     .returns = "A new array.",
     .example = ">>> print(qn.pad([1, 2], (1, 2), mode='edge'))\n[1 1 2 2 2]",
     .call = call_pad},
    {.name = "resize",
     .parameters = "a: array, new_shape: ints",
     .summary = "Fills a new shape with the elements in C order, over and over.",
     .about = "new_shape: The shape of the result.",
     .returns = "A new array.",
     .example = ">>> print(qn.resize([1, 2, 3], (2, 2)))\n[[1 2]\n [3 1]]",
     .call = [](const Arguments& a) -> Result { return resize(a.array(0), Shape(a.integers(1))); }},
};

}  // namespace

std::span<const Function> repetition_rows() {
  return kRows;
}

}  // namespace registry
}  // namespace quern
