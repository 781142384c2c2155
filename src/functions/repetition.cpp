// SPDX-License-Identifier: MIT
// Rolled, repeated, tiled and resized arrays.
#include <string>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "base/text.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "functions/whole_number.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using functions::refuse;

}  // namespace

Array repeat_each(const Array& array, std::span<const std::int64_t> counts, std::optional<int> axis) {
  const Array whole = axis ? array : reshape(array, {-1});
  const std::size_t at = checked_axis(axis.value_or(0), whole.shape().size());
  if (static_cast<std::int64_t>(counts.size()) != whole.shape()[at])
    refuse("repeat: counts of shape (" + std::to_string(counts.size()) + ",) for an axis of " +
           std::to_string(whole.shape()[at]) + " elements");
  HostPositions positions;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < 0) refuse("repeat: counts must not be negative");
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
    if (length < 0) refuse("resize: lengths must not be negative, got " + shape_text(shape));
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

// a, repeats, axis
Result call_repeat(const Arguments& a) {
  const Numbers& repeats = a.nested(1);
  if (repeats.kind != Number::Kind::integer && repeats.kind != Number::Kind::boolean)
    throw ArgumentError(ArgumentError::Kind::type, "repeat: counts must be integers");
  std::vector<std::int64_t> counts;
  for (const Number& one : repeats.values) counts.push_back(functions::whole_number(one, "repeat: counts"));
  // As in NumPy, a 0-d array has an axis here.
  const Array x = a.has(2) && a.array(0).shape().empty() ? reshape(a.array(0), {1}) : a.array(0);
  if (counts.size() == 1 && repeats.shape.size() <= 1) return repeat(x, counts.front(), a.axis(2));
  if (repeats.shape.size() != 1) refuse("repeat: counts of shape " + shape_text(repeats.shape));
  return repeat_each(x, counts, a.axis(2));
}

const Function kRepetitionRows[] = {
    {.name = "roll",
     .parameters = "a: array, shift: ints, axis: ints = None",
     .summary = "Roll elements along axes; elements that leave at one end reappear at the other.",
     .about = "shift: Number of places to shift by: one for all axes, or one for each.\n"
              "axis: Axes to roll along; None: roll the flattened array and restore its shape.",
     .returns = "A new array.",
     .example = ">>> print(qn.roll([1, 2, 3, 4], 1))\n[4 1 2 3]",
     .call = [](const Arguments& a) -> Result { return roll(a.array(0), a.integers(1), a.axes(2)); }},
    {.name = "repeat",
     .parameters = "a: array, repeats: nested, axis: int = None",
     .summary = "Repeat each element of an array.",
     .about = "repeats: Number of repetitions: one for all elements, or one for each index along the "
              "axis.\n"
              "axis: Axis to repeat along; None: the flattened array.",
     .returns = "A new array.",
     .example = ">>> print(qn.repeat([1, 2], [1, 3]))\n[1 2 2 2]",
     .is_method = true,
     .call = call_repeat},
    {.name = "tile",
     .parameters = "A: array, reps: ints",
     .summary = "Repeat the whole array along each axis.",
     .about = "A: Input array, or anything that can be converted to one.\n"
              "reps: Number of repetitions along each axis.",
     .returns = "A new array.",
     .example = ">>> print(qn.tile([1, 2], (2, 2)))\n[[1 2 1 2]\n [1 2 1 2]]",
     .call = [](const Arguments& a) -> Result { return tile(a.array(0), a.integers(1)); }},
    {.name = "resize",
     .parameters = "a: array, new_shape: ints",
     .summary = "New array of a given shape, filled with repeated copies of the elements in C order.",
     .about = "new_shape: Shape of the result.",
     .returns = "A new array.",
     .example = ">>> print(qn.resize([1, 2, 3], (2, 2)))\n[[1 2]\n [3 1]]",
     .call = [](const Arguments& a) -> Result { return resize(a.array(0), Shape(a.integers(1))); }},
};

}  // namespace

std::span<const Function> repetition_rows() {
  return kRepetitionRows;
}

}  // namespace registry
}  // namespace quern
