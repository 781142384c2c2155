// SPDX-License-Identifier: MIT
// Other shapes and orders of the axes, rolling and joining of distributed arrays.
#include "quern/manipulation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"

namespace quern::distributed {
namespace {

// One axis of the grid for all ranks, which splits the first axis of the array.
Layout rows_layout(int ranks, const Shape& shape) {
  return Layout::block(ProcessGrid({ranks}), shape);
}

// The layout of the elements in C order; only the first axis is split.
Layout flat_layout(const Layout& rows) {
  const std::int64_t length = elements_of(rows.shape());
  if (!rows.axes().front().is_split()) return {rows.grid(), {AxisLayout::whole(length)}};
  std::vector<std::int64_t> lengths;
  for (int rank = 0; rank < rows.grid().size(); ++rank)
    lengths.push_back(elements_of(rows.local_shape(rank)));
  return {rows.grid(), {AxisLayout::irregular(std::move(lengths), 0)}};
}

}  // namespace

DistributedArray permute_dims(const DistributedArray& array, std::span<const int> axes) {
  const std::size_t rank = array.layout().axes().size();
  if (axes.size() != rank) refuse("permute_dims: axes don't match array");
  std::vector<std::size_t> order;
  for (const int axis : axes) {
    const std::size_t from = checked_axis(axis, rank);
    if (std::find(order.begin(), order.end(), from) != order.end()) refuse("permute_dims: repeated axis");
    order.push_back(from);
  }
  return {array.communicator(), array.layout().permuted(order),
          snapshot(quern::permute_dims(array.local(), axes))};
}

DistributedArray expand_dims(const DistributedArray& array, std::span<const int> axes) {
  const std::size_t rank = array.layout().axes().size() + axes.size();
  std::vector<std::size_t> places;
  for (const int axis : axes) places.push_back(checked_axis(axis, rank));
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) != places.end()) refuse("expand_dims: repeated axis");
  Layout layout = array.layout();
  for (const std::size_t place : places) layout = layout.with_new_axis(place, AxisLayout::whole(1));
  return {array.communicator(), layout,
          snapshot(reshaped(array.local(), layout, array.communicator().rank()))};
}

DistributedArray squeeze(const DistributedArray& array, std::span<const int> axes) {
  Layout whole = array.layout();
  std::vector<std::size_t> places;
  for (const int axis : axes) {
    places.push_back(checked_axis(axis, whole.axes().size()));
    if (whole.axes()[places.back()].length() != 1) {
      refuse("squeeze: cannot select an axis to squeeze out which has size not equal to one");
    }
    whole = whole.with_axis(places.back(), AxisLayout::whole(1));
  }
  std::sort(places.rbegin(), places.rend());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const DistributedArray moved = redistribute(array, whole);
  for (const std::size_t place : places) whole = whole.without_axis(place);
  return {array.communicator(), whole, snapshot(reshaped(moved.local(), whole, array.communicator().rank()))};
}

DistributedArray broadcast_to(const DistributedArray& array, const Shape& shape) {
  const Shape from = array.shape();
  bool fits = from.size() <= shape.size();
  for (std::size_t i = 0; fits && i < from.size(); ++i) {
    fits = from[i] == 1 || from[i] == shape[shape.size() - from.size() + i];
  }
  if (!fits)
    refuse("broadcast_to: an array of shape " + text_of(from) + " cannot have shape " + text_of(shape));
  std::vector<AxisLayout> kept, axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_new = i < shape.size() - from.size();
    const std::size_t own = i - (shape.size() - from.size());
    const bool repeats = is_new || from[own] != shape[i];
    axes.push_back(repeats ? AxisLayout::whole(shape[i]) : array.layout().axes()[own]);
    if (!is_new) kept.push_back(repeats ? AxisLayout::whole(1) : array.layout().axes()[own]);
  }
  const int ranks = array.communicator().size();
  const bool is_owned = array.layout().root() >= 0;
  const ProcessGrid& grid = array.layout().grid();
  const DistributedArray moved = is_owned ? redistribute(array, Layout::replicated(ranks, from))
                                          : redistribute(array, Layout(grid, std::move(kept)));
  const Layout after = is_owned ? Layout::replicated(ranks, shape) : Layout(grid, std::move(axes));
  return {array.communicator(), after,
          snapshot(quern::broadcast_to(moved.local(), after.local_shape(array.communicator().rank())))};
}

DistributedArray reshape(const DistributedArray& array, Shape shape) {
  const Shape before = array.shape();
  const std::int64_t size = elements_of(before);
  std::int64_t known = 1, open = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != -1) {
      known *= shape[i];
    } else if (open >= 0) {
      refuse("reshape: can only specify one unknown dimension");
    } else {
      open = static_cast<std::int64_t>(i);
    }
  }
  if (open >= 0 && known > 0 && size % known == 0) shape[static_cast<std::size_t>(open)] = size / known;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; }) ||
      elements_of(shape) != size) {
    refuse("cannot reshape array of size " + std::to_string(size) + " into shape " + text_of(shape));
  }
  const Communicator& communicator = array.communicator();
  const int ranks = communicator.size(), rank = communicator.rank();
  const auto with = [&](const Layout& layout, const Array& local) {
    return DistributedArray(communicator, layout, snapshot(reshaped(local, layout, rank)));
  };
  const Layout& layout = array.layout();
  if (layout.root() >= 0) return with(Layout::owned(ranks, shape, layout.root()), array.local());
  if (layout.is_replicated())
    return with(Layout(layout.grid(), Layout::replicated(ranks, shape).axes()), array.local());
  // Each rank keeps its rows if only the axes behind the first one change.
  const bool is_in_rows = std::none_of(layout.axes().begin() + 1, layout.axes().end(),
                                       [](const AxisLayout& axis) { return axis.is_split(); });
  if (is_in_rows && shape.size() > 0 && shape[0] == before[0]) {
    std::vector<AxisLayout> axes = {layout.axes().front()};
    for (std::size_t i = 1; i < shape.size(); ++i) axes.push_back(AxisLayout::whole(shape[i]));
    return with(Layout(layout.grid(), std::move(axes)), array.local());
  }
  const Layout after = shape.size() == 0 ? Layout::replicated(ranks, shape) : rows_layout(ranks, shape);
  if (size == 0)
    return {communicator, after, empty(array.local().queue(), after.local_shape(rank), array.dtype())};
  const Layout rows = rows_layout(ranks, before);
  const DistributedArray in_rows = redistribute(array, rows);
  const DistributedArray flat = with(flat_layout(rows), in_rows.local());
  const Layout flat_after = shape.size() == 0 ? Layout::replicated(ranks, {1}) : flat_layout(after);
  return with(after, redistribute(flat, flat_after).local());
}

DistributedArray roll(const DistributedArray& array, std::span<const std::int64_t> shifts,
                      std::span<const int> axes) {
  const Shape shape = array.shape();
  if (shifts.size() != axes.size()) refuse("roll: each axis needs one shift");
  std::vector<std::int64_t> by_axis(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) by_axis[checked_axis(axes[i], shape.size())] += shifts[i];
  // Each axis consists of two ranges, which exchange their places.
  std::vector<Section> from = {{}}, to = {{}};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t length = shape[axis];
    const std::int64_t shift = length == 0 ? 0 : ((by_axis[axis] % length) + length) % length;
    std::vector<std::pair<Range, Range>> parts = {{{0, 1, length - shift}, {shift, 1, length - shift}}};
    if (shift != 0) parts.push_back({{length - shift, 1, shift}, {0, 1, shift}});
    std::vector<Section> longer_from, longer_to;
    for (std::size_t i = 0; i < from.size(); ++i) {
      for (const auto& [source, target] : parts) {
        longer_from.push_back(from[i]);
        longer_from.back().push_back(source);
        longer_to.push_back(to[i]);
        longer_to.back().push_back(target);
      }
    }
    from = std::move(longer_from);
    to = std::move(longer_to);
  }
  const Array block = empty(array.local().queue(), array.local().shape(), array.dtype());
  std::vector<SectionCopy> copies;
  for (std::size_t i = 0; i < from.size(); ++i) {
    copies.push_back({array.local(), array.layout(), from[i], block, array.layout(), to[i]});
  }
  std::string text = agreed(array);
  for (const std::int64_t shift : by_axis) text += " " + std::to_string(shift);
  move(array.communicator(), call_of("roll", text), std::move(copies));
  return {array.communicator(), array.layout(), block};
}

DistributedArray concat(std::span<const DistributedArray> arrays, int axis) {
  if (arrays.empty()) refuse("concat: need at least one array to concatenate");
  const DistributedArray& first = arrays.front();
  const std::size_t along = checked_axis(axis, first.layout().axes().size());
  Shape shape = first.shape();
  DType dtype = first.dtype();
  std::string text;
  for (const DistributedArray& array : arrays) {
    const Shape other = array.shape();
    text += agreed(array);
    if (array.communicator() != first.communicator())
      refuse("concat: the arrays have different communicators");
    bool fits = other.size() == shape.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = i == along || other[i] == shape[i];
    if (!fits) {
      refuse("concat: arrays of shapes " + text_of(first.shape()) + " and " + text_of(other) +
             " cannot be joined along axis " + std::to_string(axis));
    }
    if (&array != &first) {
      shape[along] += other[along];
      dtype = result_type(dtype, array.dtype());
    }
  }
  const Communicator& communicator = first.communicator();
  const AxisLayout& split = first.layout().axes()[along];
  Layout after = Layout::for_shape(communicator.size(), shape);
  if (first.layout().root() < 0) {
    after = first.layout().with_axis(
        along, !split.is_split() ? AxisLayout::whole(shape[along])
               : split.cyclic_block() != 0
                   ? AxisLayout::cyclic(shape[along], split.grid_axis(), split.parts(), split.cyclic_block())
                   : AxisLayout::block(shape[along], split.grid_axis(), split.parts()));
  }
  const Array block = empty(first.local().queue(), after.local_shape(communicator.rank()), dtype);
  std::vector<SectionCopy> copies;
  std::int64_t start = 0;
  for (const DistributedArray& array : arrays) {
    Section to = whole_section(array.shape());
    to[along].start = start;
    start += array.shape()[along];
    copies.push_back({array.local(), array.layout(), whole_section(array.shape()), block, after, to});
  }
  move(communicator, call_of("concat", text + std::to_string(along)), std::move(copies));
  return {communicator, after, block};
}

}  // namespace quern::distributed
