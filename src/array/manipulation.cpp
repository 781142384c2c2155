// SPDX-License-Identifier: MIT
// Joins, rolls, repeats and rearranges arrays.
#include "quern/manipulation.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

// Returns for each axis whether it is among the given ones.
std::vector<bool> marked(const Axes& axes, std::size_t rank, const char* what) {
  std::vector<bool> result(rank, false);
  for (const int axis : axes) {
    const std::size_t at = checked_axis(axis, rank);
    if (result[at]) refuse(std::string(what) + ": axis " + std::to_string(axis) + " is repeated");
    result[at] = true;
  }
  return result;
}

Array other_view(const Array& array, Shape shape, Strides strides) {
  const ArrayMemory& memory = array.evaluate();
  return {memory.buffer, array.dtype(), std::move(shape), std::move(strides), memory.offset};
}

Queue queue_of_all(std::span<const Array> arrays, const Queue* queue, const char* what) {
  if (arrays.empty()) refuse(std::string(what) + ": expected at least one array");
  std::vector<Operand> operands(arrays.begin(), arrays.end());
  const Queue result = array::queue_of(operands, queue);
  array::check_place(operands, result, what);
  return result;
}

// Returns NumPy's type of all arrays together, to which promoting them pair by pair does not always lead.
// Each type is promoted together with the first one of the highest kind.
DType joined_type(std::span<const Array> arrays, const std::optional<DType>& wanted) {
  if (wanted) return *wanted;
  const DType* main = &arrays.front().dtype();
  bool is_alike = true;
  for (const Array& one : arrays) is_alike &= one.dtype() == *main;
  if (is_alike) return *main;
  for (const Array& one : arrays)
    if (codegen::kind_of(one.dtype()) > codegen::kind_of(*main)) main = &one.dtype();
  DType result = *main;
  for (const Array& one : arrays)
    if (!(one.dtype() == result)) result = result_type(result, result_type(*main, one.dtype()));
  return result;
}

// Returns the elements from `start` to `stop` along one axis.
Array part_of(const Array& array, std::size_t axis, std::int64_t start, std::int64_t stop) {
  std::vector<Index> index(axis, Index::slice());
  index.push_back(Index::slice(start, stop));
  return view(array, index);
}

// Copies a view and gives the copy another shape with as many elements.
Array copied_as(const Array& wide, Shape shape, const Queue* queue) {
  return reshape(copy(wide, queue), std::move(shape), queue);
}

}  // namespace

Array squeeze(const Array& array, const std::optional<Axes>& axes) {
  const std::size_t rank = array.shape().size();
  const std::vector<bool> goes = axes ? marked(*axes, rank, "squeeze") : std::vector<bool>(rank, false);
  const Strides& own = array.evaluate().strides;
  Shape shape;
  Strides strides;
  for (std::size_t d = 0; d < rank; ++d) {
    if (goes[d] && array.shape()[d] != 1)
      refuse("squeeze: axis " + std::to_string(d) + " has length " + std::to_string(array.shape()[d]) +
             ", expected 1");
    if (goes[d] || (!axes && array.shape()[d] == 1)) continue;
    shape.push_back(array.shape()[d]);
    strides.push_back(own[d]);
  }
  return other_view(array, std::move(shape), std::move(strides));
}

Array expand_dims(const Array& array, const Axes& axes) {
  const std::size_t rank = array.shape().size() + axes.size();
  const std::vector<bool> is_new = marked(axes, rank, "expand_dims");
  const Strides& own = array.evaluate().strides;
  Shape shape;
  Strides strides;
  for (std::size_t d = 0, from = 0; d < rank; ++d) {
    shape.push_back(is_new[d] ? 1 : array.shape()[from]);
    strides.push_back(is_new[d] ? 0 : own[from++]);
  }
  return other_view(array, std::move(shape), std::move(strides));
}

Array moveaxis(const Array& array, const Axes& from, const Axes& to) {
  const std::size_t rank = array.shape().size();
  if (from.size() != to.size())
    refuse("moveaxis: " + std::to_string(from.size()) + " source axes for " + std::to_string(to.size()) +
           " destination axes");
  const std::vector<bool> moves = marked(from, rank, "moveaxis"), taken = marked(to, rank, "moveaxis");
  std::vector<int> order(rank, 0);
  for (std::size_t k = 0; k < from.size(); ++k)
    order[checked_axis(to[k], rank)] = static_cast<int>(checked_axis(from[k], rank));
  for (std::size_t d = 0, next = 0; d < rank; ++d) {
    if (taken[d]) continue;
    while (moves[next]) ++next;
    order[d] = static_cast<int>(next++);
  }
  return permute_dims(array, order);
}

Array flip(const Array& array, const std::optional<Axes>& axes) {
  const std::size_t rank = array.shape().size();
  const std::vector<bool> turns = axes ? marked(*axes, rank, "flip") : std::vector<bool>(rank, true);
  std::vector<Index> index;
  for (std::size_t d = 0; d < rank; ++d)
    index.push_back(turns[d] ? Index::slice({}, {}, -1) : Index::slice());
  return view(array, index);
}

Array concat(std::span<const Array> arrays, std::optional<int> axis, const std::optional<DType>& dtype,
             const Queue* queue) {
  const Queue user = queue_of_all(arrays, queue, "concat");
  std::vector<Array> pieces(arrays.begin(), arrays.end());
  if (!axis)
    for (Array& piece : pieces) piece = reshape(piece, {-1}, &user);
  Shape shape = pieces.front().shape();
  if (shape.empty()) refuse("concat: expected arrays of at least one dimension");
  const std::size_t at = checked_axis(axis.value_or(0), shape.size());
  shape[at] = 0;
  for (const Array& piece : pieces) {
    Shape rest = piece.shape();
    const std::int64_t length = at < rest.size() ? rest[at] : 0;
    if (at < rest.size()) rest[at] = shape[at];
    if (rest != shape)
      refuse("concat: arrays of shapes " + shape_text(pieces.front().shape()) + " and " +
             shape_text(piece.shape()) + " differ in more than axis " + std::to_string(at));
    shape[at] += length;
  }
  const Array result = empty(user, shape, joined_type(arrays, dtype));
  std::int64_t start = 0;
  for (const Array& piece : pieces) {
    const std::int64_t stop = start + piece.shape()[at];
    if (piece.size() != 0) assign(part_of(result, at, start, stop), piece, &user);
    start = stop;
  }
  return result;
}

Array stack(std::span<const Array> arrays, int axis, const std::optional<DType>& dtype, const Queue* queue) {
  const Queue user = queue_of_all(arrays, queue, "stack");
  Shape shape = arrays.front().shape();
  for (const Array& one : arrays)
    if (one.shape() != shape)
      refuse("stack: arrays of shapes " + shape_text(shape) + " and " + shape_text(one.shape()) + " differ");
  const std::size_t at = checked_axis(axis, shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::int64_t>(arrays.size()));
  const Array result = empty(user, shape, joined_type(arrays, dtype));
  std::vector<Index> index(at, Index::slice());
  index.emplace_back(0);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    index.back() = Index(static_cast<std::int64_t>(k));
    if (arrays[k].size() != 0) assign(view(result, index), arrays[k], &user);
  }
  return result;
}

Array roll(const Array& array, std::span<const std::int64_t> shifts, const std::optional<Axes>& axes,
           const Queue* queue) {
  if (!axes) {
    const std::int64_t total = std::accumulate(shifts.begin(), shifts.end(), std::int64_t{0});
    const Array flat = reshape(array, {-1}, queue);
    return reshape(roll(flat, {&total, 1}, Axes{0}, queue), array.shape(), queue);
  }
  if (shifts.size() != axes->size() && shifts.size() != 1 && axes->size() != 1)
    refuse("roll: " + std::to_string(shifts.size()) + " shifts for " + std::to_string(axes->size()) +
           " axes");
  const Queue user = array::queue_of(array, queue);
  const std::size_t rank = array.shape().size();
  Shape moved(rank, 0);  // shift of each axis, from 0 to less than its length
  for (std::size_t k = 0; k < std::max(shifts.size(), axes->size()); ++k) {
    const std::size_t d = checked_axis((*axes)[axes->size() == 1 ? 0 : k], rank);
    const std::int64_t length = std::max<std::int64_t>(array.shape()[d], 1);
    const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : k] % length;
    moved[d] = (moved[d] + shift + length) % length;
  }
  const Array result = empty(user, array.shape(), array.dtype());
  if (result.size() == 0) return result;
  array.evaluate();
  // Each axis that is shifted is copied in two parts.
  std::vector<std::size_t> turning;
  for (std::size_t d = 0; d < rank; ++d)
    if (moved[d] != 0) turning.push_back(d);
  for (std::size_t which = 0; which < (std::size_t{1} << turning.size()); ++which) {
    Array from = array, to = result;
    for (std::size_t k = 0; k < turning.size(); ++k) {
      const std::size_t d = turning[k];
      const std::int64_t length = array.shape()[d], cut = length - moved[d];
      const bool comes_round = (which >> k & 1) != 0;
      from = part_of(from, d, comes_round ? cut : 0, comes_round ? length : cut);
      to = part_of(to, d, comes_round ? 0 : moved[d], comes_round ? moved[d] : length);
    }
    assign(to, from, &user);
  }
  return result;
}

Array repeat(const Array& array, std::int64_t count, std::optional<int> axis, const Queue* queue) {
  if (count < 0) refuse("repeat: counts must not be negative, got " + std::to_string(count));
  const Array whole = axis ? array : reshape(array, {-1}, queue);
  const std::size_t at = checked_axis(axis.value_or(0), whole.shape().size());
  Shape wide = whole.shape(), shape = whole.shape();
  Strides strides = whole.evaluate().strides;
  const auto behind = static_cast<std::ptrdiff_t>(at) + 1;
  wide.insert(wide.begin() + behind, count);
  strides.insert(strides.begin() + behind, 0);
  shape[at] *= count;
  return copied_as(other_view(whole, std::move(wide), std::move(strides)), std::move(shape), queue);
}

Array tile(const Array& array, std::vector<std::int64_t> counts, const Queue* queue) {
  Shape own = array.shape();
  Strides steps = array.evaluate().strides;
  const std::size_t rank = std::max(own.size(), counts.size());
  counts.insert(counts.begin(), rank - counts.size(), 1);
  steps.insert(steps.begin(), rank - own.size(), 0);
  own.insert(own.begin(), rank - own.size(), 1);
  Shape wide, shape;
  Strides strides;
  for (std::size_t d = 0; d < rank; ++d) {
    if (counts[d] < 0) refuse("tile: counts must not be negative, got " + std::to_string(counts[d]));
    wide.push_back(counts[d]);
    wide.push_back(own[d]);
    strides.push_back(0);
    strides.push_back(steps[d]);
    shape.push_back(counts[d] * own[d]);
  }
  return copied_as(other_view(array, std::move(wide), std::move(strides)), std::move(shape), queue);
}

}  // namespace quern
