// SPDX-License-Identifier: MIT
// Cuts a patch by the blocks of the ranks, and each part into contiguous runs.
#include "distributed/block_map.hpp"

#include <algorithm>
#include <string>

#include "distributed/parts.hpp"
#include "quern/error.hpp"

namespace quern::distributed {

Shape shape_of(const Patch& patch) {
  Shape shape;
  for (const Interval& interval : patch) shape.push_back(interval.length());
  return shape;
}
BlockMap::BlockMap(const Layout& layout, std::vector<std::pair<std::int64_t, std::int64_t>> widths,
                   std::size_t itemsize)
    : itemsize_(itemsize), ranks_(layout.grid().size()), first_rank_(std::max(layout.root(), 0)) {
  const std::vector<int>& grid = layout.grid().lengths();
  widths.resize(layout.axes().size());
  std::vector<bool> is_used(grid.size());
  for (std::size_t i = 0; i < layout.axes().size(); ++i) {
    const AxisLayout& axis = layout.axes()[i];
    Axis own;
    own.length = axis.length();
    std::tie(own.before, own.after) = widths[i];
    if (own.before < 0 || own.after < 0) refuse("the number of ghost cells must not be negative");
    if (layout.root() >= 0 || !axis.is_split()) {
      own.starts = {0, axis.length()};
    } else {
      const auto over = static_cast<std::size_t>(axis.grid_axis());
      if (axis.cyclic_block() != 0 && axis.parts() > 1)
        refuse("memory of all ranks needs a block layout, not " + layout.text());
      is_used[over] = true;
      own.starts = {0};
      for (int part = 0; part < axis.parts(); ++part)
        own.starts.push_back(own.starts.back() + axis.local_length(part));
      own.rank_step = 1;
      for (std::size_t later = over + 1; later < grid.size(); ++later) own.rank_step *= grid[later];
    }
    axes_.push_back(std::move(own));
  }
  for (std::size_t over = 0; over < grid.size() && layout.root() < 0; ++over) {
    if (!is_used[over] && grid[over] > 1)
      refuse("memory of all ranks has each element on one rank; the layout is " + layout.text());
  }
}

std::size_t BlockMap::Axis::part_of(std::int64_t index) const noexcept {
  // Of empty intervals that start at the same index, the last one is followed by the owner.
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), index) - starts.begin()) - 1;
}

std::size_t BlockMap::padded_length(std::size_t axis, std::size_t part) const noexcept {
  const Axis& of = axes_[axis];
  return static_cast<std::size_t>(of.before + of.starts[part + 1] - of.starts[part] + of.after);
}

Patch BlockMap::block_of(int rank) const {
  Patch box;
  int rest = rank - first_rank_;
  const bool takes_part = rest == 0 || std::any_of(axes_.begin(), axes_.end(),
                                                   [](const Axis& axis) { return axis.rank_step != 0; });
  for (const Axis& axis : axes_) {
    if (!takes_part) {
      box.push_back({0, 0});
      continue;
    }
    const auto parts = static_cast<int>(axis.starts.size()) - 1;
    const auto part = static_cast<std::size_t>(axis.rank_step == 0 ? 0 : rest / axis.rank_step % parts);
    box.push_back({axis.starts[part], axis.starts[part + 1]});
  }
  return box;
}

Shape BlockMap::padded_shape(int rank) const {
  Shape shape = shape_of(block_of(rank));
  for (std::size_t i = 0; i < axes_.size(); ++i) shape[i] += axes_[i].before + axes_[i].after;
  return shape;
}

BlockMap::Place BlockMap::place_of(std::span<const std::int64_t> index) const {
  if (index.size() != axes_.size())
    refuse("an index of " + std::to_string(index.size()) + " numbers for an array of " +
           std::to_string(axes_.size()) + " axes");
  Place place{first_rank_, 0};
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (index[i] < 0 || index[i] >= axis.length)
      throw ArgumentError(ArgumentError::Kind::index, "index " + std::to_string(index[i]) +
                                                          " is outside axis " + std::to_string(i) +
                                                          " of length " + std::to_string(axis.length));
    const std::size_t part = axis.part_of(index[i]);
    place.rank += static_cast<int>(part) * axis.rank_step;
    place.offset = place.offset * padded_length(i, part) +
                   static_cast<std::size_t>(index[i] - axis.starts[part] + axis.before);
  }
  place.offset *= itemsize_;
  return place;
}

void BlockMap::check(const Patch& patch, const char* operation) const {
  if (patch.size() != axes_.size())
    refuse(std::string(operation) + ": a patch of " + std::to_string(patch.size()) +
           " intervals for an array of " + std::to_string(axes_.size()) + " axes");
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (patch[i].start < 0 || patch[i].stop < patch[i].start || patch[i].stop > axes_[i].length)
      throw ArgumentError(ArgumentError::Kind::index,
                          std::string(operation) + ": the patch [" + std::to_string(patch[i].start) + ", " +
                              std::to_string(patch[i].stop) + ") is outside axis " + std::to_string(i) +
                              " of length " + std::to_string(axes_[i].length));
  }
}

std::vector<BlockMap::Segment> BlockMap::segments(const Axis& axis, const Interval& interval) const {
  std::vector<Segment> found;
  for (std::int64_t at = interval.start; at < interval.stop;) {
    const std::size_t part = axis.part_of(at);
    const std::int64_t stop = std::min(interval.stop, axis.starts[part + 1]);
    found.push_back({part, at, stop - at});
    at = stop;
  }
  return found;
}

template <class Function>
void BlockMap::for_each_block(const Patch& patch, const Function& function) const {
  std::vector<std::vector<Segment>> all;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    all.push_back(segments(axes_[i], patch[i]));
    if (all.back().empty()) return;
  }
  std::vector<std::size_t> at(axes_.size());
  std::vector<Segment> chosen(axes_.size());
  for (;;) {
    int rank = first_rank_;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      chosen[i] = all[i][at[i]];
      rank += static_cast<int>(chosen[i].part) * axes_[i].rank_step;
    }
    function(rank, chosen);
    std::size_t axis = axes_.size();
    while (axis > 0 && ++at[axis - 1] == all[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

void BlockMap::for_each_run(const Patch& patch, const std::function<void(const Run&)>& function) const {
  const std::size_t axes = axes_.size();
  std::vector<std::size_t> block_strides(axes), patch_strides(axes), at(axes);
  std::size_t stride = itemsize_;
  for (std::size_t i = axes; i-- > 0;) {
    patch_strides[i] = stride;
    stride *= static_cast<std::size_t>(patch[i].length());
  }
  for_each_block(patch, [&](int rank, const std::vector<Segment>& segments) {
    Run run{rank, 0, 0, itemsize_};
    stride = itemsize_;
    for (std::size_t i = axes; i-- > 0;) {
      const Segment& segment = segments[i];
      block_strides[i] = stride;
      stride *= padded_length(i, segment.part);
      run.in_block += block_strides[i] * static_cast<std::size_t>(
                                             segment.start - axes_[i].starts[segment.part] + axes_[i].before);
      run.in_patch += patch_strides[i] * static_cast<std::size_t>(segment.start - patch[i].start);
    }
    // The last axes, as long as they are contiguous on both sides, make up a run.
    std::size_t outer = axes;
    while (outer > 0 && block_strides[outer - 1] == run.nbytes && patch_strides[outer - 1] == run.nbytes)
      run.nbytes *= static_cast<std::size_t>(segments[--outer].length);
    std::fill(at.begin(), at.end(), 0);
    for (;;) {
      function(run);
      std::size_t axis = outer;
      for (; axis > 0; --axis) {
        const auto length = static_cast<std::size_t>(segments[axis - 1].length);
        run.in_block += block_strides[axis - 1];
        run.in_patch += patch_strides[axis - 1];
        if (++at[axis - 1] < length) break;
        run.in_block -= length * block_strides[axis - 1];
        run.in_patch -= length * patch_strides[axis - 1];
        at[axis - 1] = 0;
      }
      if (axis == 0) break;
    }
  });
}

std::vector<std::pair<int, Patch>> BlockMap::ranks_of(const Patch& patch) const {
  std::vector<std::pair<int, Patch>> parts;
  for_each_block(patch, [&](int rank, const std::vector<Segment>& segments) {
    Patch box;
    for (const Segment& segment : segments) box.push_back({segment.start, segment.start + segment.length});
    parts.emplace_back(rank, std::move(box));
  });
  return parts;
}

}  // namespace quern::distributed
