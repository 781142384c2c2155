// SPDX-License-Identifier: MIT
// Resolution of NumPy's basic indices against a shape, and where the selected elements should lie.
#include "distributed/selection.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "quern/error.hpp"

namespace quern::distributed {
namespace {

// Python's rules for the ends of slices.
Range range_of(const Index& slice, std::int64_t length) {
  const std::int64_t step = slice.step();
  if (step == 0) throw ArgumentError(ArgumentError::Kind::value, "slice step must not be 0");
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? length : length - 1;
  const auto bound = [&](std::optional<std::int64_t> at, std::int64_t otherwise) {
    if (!at) return otherwise;
    return std::clamp(*at < 0 ? *at + length : *at, lowest, highest);
  };
  const std::int64_t start = bound(slice.start(), step > 0 ? lowest : highest);
  const std::int64_t stop = bound(slice.stop(), step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop, size = step > 0 ? step : -step;
  const std::int64_t count = distance > 0 ? (distance - 1) / size + 1 : 0;
  return count == 0 ? Range{0, 1, 0} : Range{start, count == 1 ? 1 : step, count};
}

}  // namespace

Shape Selection::shape() const {
  Shape shape;
  for (const auto& axis : axes) shape.push_back(axis ? section[*axis].count : 1);
  return shape;
}

Selection select(const Shape& shape, std::span<const Index> index) {
  std::size_t used = 0;
  bool has_ellipsis = false;
  for (const Index& one : index) {
    if (one.kind() == Index::Kind::ellipsis) {
      if (has_ellipsis) throw ArgumentError(ArgumentError::Kind::index, "an index has at most one ellipsis");
      has_ellipsis = true;
    } else if (one.kind() != Index::Kind::new_axis) {
      ++used;
    }
  }
  if (used > shape.size()) {
    throw ArgumentError(ArgumentError::Kind::index, "too many indices: the array has " +
                                                        std::to_string(shape.size()) + " axes, but " +
                                                        std::to_string(used) + " were indexed");
  }
  Selection selection;
  const auto take_whole = [&](std::size_t count) {
    for (; count > 0; --count) {
      selection.axes.emplace_back(selection.section.size());
      selection.section.push_back({0, 1, shape[selection.section.size()]});
      selection.is_dropped.push_back(false);
    }
  };
  for (const Index& one : index) {
    const std::size_t axis = selection.section.size();
    switch (one.kind()) {
      case Index::Kind::ellipsis:
        take_whole(shape.size() - used);
        break;
      case Index::Kind::new_axis:
        selection.axes.emplace_back(std::nullopt);
        break;
      case Index::Kind::integer: {
        const std::int64_t length = shape[axis], given = *one.start(),
                           at = given < 0 ? given + length : given;
        if (at < 0 || at >= length) {
          throw ArgumentError(ArgumentError::Kind::index,
                              "index " + std::to_string(given) + " is out of bounds for axis " +
                                  std::to_string(axis) + " with size " + std::to_string(length));
        }
        selection.section.push_back({at, 1, 1});
        selection.is_dropped.push_back(true);
        break;
      }
      case Index::Kind::slice:
        selection.axes.emplace_back(axis);
        selection.section.push_back(range_of(one, shape[axis]));
        selection.is_dropped.push_back(false);
        break;
    }
  }
  take_whole(shape.size() - selection.section.size());
  return selection;
}

SelectedAxis selected_axis(const AxisLayout& axis, const Range& range) {
  if (!axis.is_split()) return {AxisLayout::whole(range.count), true};
  if (range == Range{0, 1, axis.length()}) return {axis, true};
  const int parts = axis.parts();
  if (axis.cyclic_block() != 0) {
    return {AxisLayout::cyclic(range.count, axis.grid_axis(), parts, axis.cyclic_block()), parts == 1};
  }
  if (range.step < 0) return {AxisLayout::block(range.count, axis.grid_axis(), parts), parts == 1};
  // Slices that omit few elements get the layout of the middle one of them.
  const std::int64_t omitted = axis.length() - range.count;
  const bool is_shifted = range.step == 1 && 2 * omitted <= axis.length() / parts;
  const std::int64_t start = is_shifted ? omitted / 2 : range.start;
  std::vector<std::int64_t> lengths;
  for (int part = 0; part < parts; ++part) {
    std::int64_t length = 0;
    for (const Interval& own : axis.intervals(part)) {
      const auto before = [&](std::int64_t end) {  // elements of the range below an index
        return std::clamp<std::int64_t>((end - start + range.step - 1) / range.step, 0, range.count);
      };
      length += (own.stop <= start ? 0 : before(own.stop)) - (own.start <= start ? 0 : before(own.start));
    }
    lengths.push_back(length);
  }
  return {AxisLayout::irregular(std::move(lengths), axis.grid_axis()), start == range.start || parts == 1};
}

}  // namespace quern::distributed
