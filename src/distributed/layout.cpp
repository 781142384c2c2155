// SPDX-License-Identifier: MIT
// Arithmetic of process grids and layouts.
#include "quern/distributed/layout.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "distributed/parts.hpp"

namespace quern::distributed {
namespace {

// Lists the ways to write `ranks` as a product of as many factors as `lengths` has entries.
template <class Function>
void for_each_factorisation(int ranks, std::vector<int>& lengths, std::size_t axis,
                            const Function& function) {
  if (axis + 1 == lengths.size()) {
    lengths[axis] = ranks;
    function();
    return;
  }
  for (int factor = 1; factor <= ranks; ++factor) {
    if (ranks % factor != 0) continue;
    lengths[axis] = factor;
    for_each_factorisation(ranks / factor, lengths, axis + 1, function);
  }
}

}  // namespace

ProcessGrid::ProcessGrid(std::vector<int> lengths) : lengths_(std::move(lengths)) {
  for (const int length : lengths_) {
    if (length < 1) refuse("the lengths of a process grid must be at least 1");
    size_ *= length;
  }
}

ProcessGrid ProcessGrid::for_shape(int ranks, const Shape& shape) {
  if (shape.size() == 0) return ProcessGrid({});
  std::vector<int> lengths(shape.size()), best;
  // The largest block decides how long a step takes, then the surface of the blocks how much they exchange.
  std::pair<double, double> lowest{std::numeric_limits<double>::infinity(), 0};
  for_each_factorisation(ranks, lengths, 0, [&] {
    double volume = 1, surface = 0;
    std::vector<double> sides(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      sides[axis] = static_cast<double>((shape[axis] + lengths[axis] - 1) / lengths[axis]);
      volume *= sides[axis];
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (lengths[axis] > 1 && sides[axis] > 0) surface += volume / sides[axis];
    }
    const std::pair cost{volume, surface};
    if (cost < lowest) lowest = cost, best = lengths;
  });
  return ProcessGrid(std::move(best));
}

int ProcessGrid::rank_at(const std::vector<int>& coordinates) const noexcept {
  int rank = 0;
  for (std::size_t axis = 0; axis < lengths_.size(); ++axis) rank = rank * lengths_[axis] + coordinates[axis];
  return rank;
}

std::vector<int> ProcessGrid::coordinates_of(int rank) const {
  std::vector<int> coordinates(lengths_.size());
  for (std::size_t axis = lengths_.size(); axis-- > 0; rank /= lengths_[axis]) {
    coordinates[axis] = rank % lengths_[axis];
  }
  return coordinates;
}

// ---- AxisLayout

AxisLayout AxisLayout::whole(std::int64_t length) {
  AxisLayout layout;
  layout.length_ = length;
  layout.starts_ = {0, length};
  return layout;
}

AxisLayout AxisLayout::block(std::int64_t length, int grid_axis, int parts) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part) {
    lengths[static_cast<std::size_t>(part)] = length / parts + (part < length % parts ? 1 : 0);
  }
  return irregular(std::move(lengths), grid_axis);
}

AxisLayout AxisLayout::irregular(std::vector<std::int64_t> lengths, int grid_axis) {
  AxisLayout layout;
  layout.grid_axis_ = grid_axis;
  layout.parts_ = static_cast<int>(lengths.size());
  layout.starts_ = {0};
  for (const std::int64_t length : lengths) {
    if (length < 0) refuse("the lengths of blocks must not be negative");
    layout.starts_.push_back(layout.starts_.back() + length);
  }
  layout.length_ = layout.starts_.back();
  return layout;
}

AxisLayout AxisLayout::cyclic(std::int64_t length, int grid_axis, int parts, std::int64_t block) {
  if (block < 1) refuse("the block of a cyclic layout must have at least one element");
  AxisLayout layout;
  layout.length_ = length;
  layout.grid_axis_ = grid_axis;
  layout.parts_ = parts;
  layout.cyclic_block_ = block;
  return layout;
}

int AxisLayout::owner(std::int64_t index) const noexcept {
  if (cyclic_block_ != 0) return static_cast<int>(index / cyclic_block_ % parts_);
  // Of empty intervals that start at the same index, the last one is followed by the owner.
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), index) - starts_.begin()) - 1;
}

std::int64_t AxisLayout::local_index(std::int64_t index) const noexcept {
  if (cyclic_block_ == 0) return index - starts_[static_cast<std::size_t>(owner(index))];
  return index / (cyclic_block_ * parts_) * cyclic_block_ + index % cyclic_block_;
}

std::int64_t AxisLayout::local_length(int coordinate) const noexcept {
  if (!is_split()) return length_;
  const auto part = static_cast<std::size_t>(coordinate);
  if (cyclic_block_ == 0) return starts_[part + 1] - starts_[part];
  const std::int64_t round = cyclic_block_ * parts_, rest = length_ % round;
  return length_ / round * cyclic_block_ +
         std::clamp<std::int64_t>(rest - coordinate * cyclic_block_, 0, cyclic_block_);
}

std::vector<Interval> AxisLayout::intervals(int coordinate) const {
  std::vector<Interval> result;
  if (!is_split()) {
    if (length_ != 0) result.push_back({0, length_});
  } else if (cyclic_block_ == 0) {
    const auto part = static_cast<std::size_t>(coordinate);
    const Interval own{starts_[part], starts_[part + 1]};
    if (!own.empty()) result.push_back(own);
  } else if (parts_ == 1) {
    if (length_ != 0) result.push_back({0, length_});
  } else {
    for (std::int64_t start = coordinate * cyclic_block_; start < length_; start += cyclic_block_ * parts_) {
      result.push_back({start, std::min(start + cyclic_block_, length_)});
    }
  }
  return result;
}

// ---- Layout

Layout::Layout(ProcessGrid grid, std::vector<AxisLayout> axes)
    : grid_(std::move(grid)), axes_(std::move(axes)) {
  std::vector<bool> is_used(grid_.lengths().size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const AxisLayout& axis = axes_[i];
    if (!axis.is_split()) continue;
    const auto over = static_cast<std::size_t>(axis.grid_axis());
    if (over >= is_used.size()) {
      refuse("axis " + std::to_string(i) + " is split over axis " + std::to_string(axis.grid_axis()) +
             " of a process grid of " + std::to_string(is_used.size()) + " dimensions");
    }
    if (is_used[over]) {
      refuse("two axes are split over axis " + std::to_string(axis.grid_axis()) + " of the process grid");
    }
    if (axis.parts() != grid_.lengths()[over]) {
      refuse("axis " + std::to_string(i) + " has " + std::to_string(axis.parts()) +
             " parts, and its axis of the process grid has length " + std::to_string(grid_.lengths()[over]));
    }
    is_used[over] = true;
  }
}

Layout Layout::block(const ProcessGrid& grid, const Shape& shape) {
  if (grid.lengths().size() > shape.size()) {
    refuse("a process grid of " + std::to_string(grid.lengths().size()) + " dimensions for an array of " +
           std::to_string(shape.size()));
  }
  std::vector<AxisLayout> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_split = axis < grid.lengths().size() && grid.lengths()[axis] > 1;
    axes.push_back(is_split ? AxisLayout::block(shape[axis], static_cast<int>(axis), grid.lengths()[axis])
                            : AxisLayout::whole(shape[axis]));
  }
  return {grid, std::move(axes)};
}

Layout Layout::for_shape(int ranks, const Shape& shape) {
  return shape.size() == 0 ? replicated(ranks, shape) : block(ProcessGrid::for_shape(ranks, shape), shape);
}

Layout Layout::replicated(int ranks, const Shape& shape) {
  std::vector<AxisLayout> axes;
  for (const std::int64_t length : shape) axes.push_back(AxisLayout::whole(length));
  return {ProcessGrid({ranks}), std::move(axes)};
}

Layout Layout::owned(int ranks, const Shape& shape, int root) {
  if (root < 0 || root >= ranks) {
    refuse("rank " + std::to_string(root) + " does not exist among " + std::to_string(ranks));
  }
  Layout layout = replicated(ranks, shape);
  layout.root_ = root;
  return layout;
}

Layout Layout::permuted(const std::vector<std::size_t>& axes) const {
  Layout result = *this;
  for (std::size_t i = 0; i < axes.size(); ++i) result.axes_[i] = axes_[axes[i]];
  return result;
}

Layout Layout::with_axis(std::size_t axis, AxisLayout layout) const {
  Layout result = *this;
  result.axes_[axis] = std::move(layout);
  return result;
}

Layout Layout::without_axis(std::size_t axis) const {
  Layout result = *this;
  result.axes_.erase(result.axes_.begin() + static_cast<std::ptrdiff_t>(axis));
  return result;
}

Layout Layout::with_new_axis(std::size_t axis, AxisLayout layout) const {
  Layout result = *this;
  result.axes_.insert(result.axes_.begin() + static_cast<std::ptrdiff_t>(axis), std::move(layout));
  return result;
}

Shape Layout::shape() const {
  Shape shape;
  for (const AxisLayout& axis : axes_) shape.push_back(axis.length());
  return shape;
}

bool Layout::is_replicated() const noexcept {
  return root_ < 0 && std::none_of(axes_.begin(), axes_.end(), [](const AxisLayout& axis) {
           return axis.is_split() && axis.parts() > 1;
         });
}

Shape Layout::local_shape(int rank) const {
  const std::vector<int> at = grid_.coordinates_of(rank);
  Shape shape;
  for (const AxisLayout& axis : axes_) {
    if (root_ >= 0) {
      shape.push_back(rank == root_ ? axis.length() : 0);
    } else {
      shape.push_back(axis.is_split() ? axis.local_length(at[static_cast<std::size_t>(axis.grid_axis())])
                                      : axis.length());
    }
  }
  return shape;
}

int Layout::owner(const std::vector<std::int64_t>& index) const {
  if (root_ >= 0) return root_;
  std::vector<int> coordinates(grid_.lengths().size());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!axes_[axis].is_split()) continue;
    coordinates[static_cast<std::size_t>(axes_[axis].grid_axis())] = axes_[axis].owner(index[axis]);
  }
  return grid_.rank_at(coordinates);
}

bool Layout::is_first_replica(int rank) const {
  if (root_ >= 0) return rank == root_;
  const std::vector<int> at = grid_.coordinates_of(rank);
  for (std::size_t grid_axis = 0; grid_axis < at.size(); ++grid_axis) {
    const bool is_split = std::any_of(axes_.begin(), axes_.end(), [&](const AxisLayout& axis) {
      return axis.grid_axis() == static_cast<int>(grid_axis);
    });
    if (!is_split && at[grid_axis] != 0) return false;
  }
  return true;
}

std::vector<std::vector<Interval>> Layout::intervals(int rank) const {
  std::vector<std::vector<Interval>> result;
  const std::vector<int> at = grid_.coordinates_of(rank);
  for (const AxisLayout& axis : axes_) {
    if (root_ >= 0 && rank != root_) {
      result.emplace_back();
    } else {
      result.push_back(axis.intervals(axis.is_split() ? at[static_cast<std::size_t>(axis.grid_axis())] : 0));
    }
  }
  return result;
}

std::string Layout::text() const {
  if (root_ >= 0) return "owned by rank " + std::to_string(root_);
  if (is_replicated()) return "replicated";
  std::string text;
  for (const AxisLayout& axis : axes_) {
    text += text.empty() ? "" : ", ";
    if (!axis.is_split()) {
      text += "whole";
    } else {
      text += std::to_string(axis.parts());
      if (axis.cyclic_block() != 0) text += " cyclic by " + std::to_string(axis.cyclic_block());
    }
  }
  return "block(" + text + ")";
}

}  // namespace quern::distributed
