// SPDX-License-Identifier: MIT
// Plans reductions: the loops, the number of work-items and the number of partial results.
#include "algorithms/reduction_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/arithmetic.hpp"
#include "quern/error.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

using codegen::IndexSpace;
using codegen::Inner;
using codegen::LoopStyle;
using codegen::Placement;
using codegen::ReductionScheme;
using codegen::ReductionVariant;

// Shorter rows do not get a work-group of their own.
constexpr std::int64_t kShortRow = 32;

// Adjacent elements that a work-item computes together if no operand is in memory.
constexpr std::uint8_t kTogether = 4;

// Chooses the layout of each operand and the loop along which vectors are loaded.
void choose_layouts(ReductionPass& pass, const codegen::ReductionSource& text,
                    const DeviceProperties& device) {
  ReductionVariant& variant = pass.variant;
  const bool rows = variant.scheme == ReductionScheme::rows;
  std::int64_t reach = std::max({pass.total * pass.outputs, pass.reduced.reach(), pass.kept.reach()});
  variant.operands.assign(text.operands.size(), {});
  for (std::size_t b = 0; b < pass.bound.size(); ++b) {
    const BoundOperand& operand = pass.bound[b];
    codegen::OperandLayout layout =
        layout_of(operand, rows || variant.kept_rank == 0 ? pass.reduced.strides[b] : pass.kept.strides[b],
                  variant.reduced_rank + variant.kept_rank, device);
    if (variant.kept_rank != 0) layout.placement = Placement::strided;
    const auto& steps = pass.reduced.strides[b];
    layout.is_fixed = !rows && variant.style == LoopStyle::grid && !variant.ranged &&
                      std::all_of(steps.begin(), steps.end(), [](auto step) { return step == 0; }) &&
                      can_be_fixed(text.operands, operand);
    variant.operands[operand.argument] = layout;
    std::int64_t far = static_cast<std::int64_t>(operand.offset / operand.itemsize);
    for (const IndexSpace* space : {&pass.reduced, &pass.kept})
      for (std::size_t d = 0; d < space->rank(); ++d)
        far += std::abs(space->strides[b][d]) * std::max<std::int64_t>(space->lengths[d] - 1, 0);
    reach = std::max(reach, far);
  }
  constexpr std::int64_t kMostNarrow = (std::int64_t{1} << 31) - (1 << 22);
  variant.wide = variant.style == LoopStyle::chunks || variant.ranged || reach > kMostNarrow;
  if (variant.style != LoopStyle::grid || variant.ranged || pass.bound.empty() ||
      (rows && variant.reduced_rank > 1))
    return;

  // For vector loads, each row or column block must start aligned.
  codegen::LoopVariant loop;
  loop.operands = variant.operands;
  loop.rank = variant.kept_rank == 0 ? 1 : 2;
  const IndexSpace& inner = rows || variant.kept_rank == 0 ? pass.reduced : pass.kept;
  const IndexSpace& outer = rows || variant.kept_rank == 0 ? pass.kept : pass.reduced;
  IndexSpace all = inner;
  for (std::size_t d = 0; d < outer.rank() && variant.kept_rank != 0; ++d) {
    all.lengths.push_back(outer.lengths[d]);
    for (std::size_t b = 0; b < pass.bound.size(); ++b) all.strides[b].push_back(outer.strides[b][d]);
  }
  if (rows) all.lengths[0] = 16;  // a row's last elements are loaded one at a time
  variant.vector = static_cast<std::uint8_t>(vector_width(text.operands, pass.bound, all, loop));
}

// Returns the largest power of two up to `wanted` that the device allows for a group whose work-items need
// `local_bytes` of local memory each.
std::uint16_t group_size(const DeviceProperties& device, std::size_t wanted, std::size_t local_bytes) {
  std::size_t most = std::min(wanted, device.max_work_group_size);
  if (local_bytes != 0) most = std::min(most, device.local_memory / local_bytes);
  return static_cast<std::uint16_t>(std::bit_floor(std::max<std::size_t>(most, 1)));
}

// Chooses the number of work-items per result and the number of segments.
void share_out(ReductionPass& pass, std::size_t item_size, const DeviceProperties& device) {
  ReductionVariant& variant = pass.variant;
  const std::int64_t units = device.compute_units;
  const auto tuned = [&](const char* form, const char* parameter, std::int64_t otherwise) {
    return tuning::value_of(
        device, form, [&] { return std::to_string(item_size); }, parameter, otherwise);
  };
  if (variant.style == LoopStyle::chunks) {
    const std::int64_t block = variant.scheme == ReductionScheme::columns && variant.kept_rank == 1
                                   ? codegen::columns_of_block(item_size)
                                   : 1;
    const std::int64_t items = divided_up(pass.outputs, block);
    // A few segments per core balance the load; short ones do not pay off.
    constexpr std::int64_t kWorthSharing = 1 << 13;
    pass.segments =
        std::clamp<std::int64_t>(divided_up(units * tuned("reduction_chunks", "segments_per_unit", 4), items),
                                 1, std::max<std::int64_t>(pass.total * block / kWorthSharing, 1));
    pass.chunk = rounded_up(divided_up(pass.total, pass.segments), 64);
  } else if (variant.scheme == ReductionScheme::rows) {
    const auto wanted =
        static_cast<std::uint64_t>(std::max<std::int64_t>(pass.total / (2 * variant.vector), 1));
    const auto group = static_cast<std::size_t>(tuned("reduction_rows", "group", 256));
    variant.group = group_size(device, group, item_size);
    variant.lanes = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(std::bit_ceil(wanted), 16), variant.group));
    const std::int64_t groups = divided_up(pass.outputs, variant.group / variant.lanes);
    const std::int64_t step = std::int64_t{variant.lanes} * variant.vector;
    pass.segments = std::clamp<std::int64_t>(units * tuned("reduction_rows", "groups_per_unit", 8) / groups,
                                             1, std::max<std::int64_t>(pass.total / (step * 8), 1));
    pass.chunk = rounded_up(divided_up(pass.total, pass.segments), step);
  } else {
    variant.group = group_size(device, 128, 0);
    const std::int64_t items = divided_up(pass.outputs, variant.vector);
    pass.segments =
        std::clamp<std::int64_t>(units * 1024 / items, 1, std::clamp<std::int64_t>(pass.total / 32, 1, 4096));
    pass.chunk = divided_up(pass.total, pass.segments);
  }
  pass.chunk = std::max<std::int64_t>(pass.chunk, 1);
  pass.segments = std::max<std::int64_t>(divided_up(pass.total, pass.chunk), 1);
}

// Returns for each axis whether it is reduced.
std::vector<bool> reduced_axes(const std::optional<std::vector<int>>& axes, std::size_t rank,
                               const std::string& name) {
  if (!axes) return std::vector<bool>(rank, true);
  std::vector<bool> result(rank, false);
  for (const int axis : *axes) {
    const int at = axis < 0 ? axis + static_cast<int>(rank) : axis;
    if (at < 0 || at >= static_cast<int>(rank)) {
      throw ArgumentError(ArgumentError::Kind::value, name + ": axis " + std::to_string(axis) +
                                                          " is out of bounds for arrays of " +
                                                          std::to_string(rank) + " dimensions");
    }
    if (result[static_cast<std::size_t>(at)])
      throw ArgumentError(ArgumentError::Kind::value,
                          name + ": axis " + std::to_string(axis) + " is given twice");
    result[static_cast<std::size_t>(at)] = true;
  }
  return result;
}

}  // namespace

std::pair<ReductionPass, Shape> first_pass(const codegen::ReductionSource& source, const Queue& queue,
                                           std::span<const KernelArgument> arguments,
                                           const ReductionKernel::Over& over,
                                           const std::optional<Shape>& given) {
  ReductionPass pass;
  pass.bound = bind_operands(source.name, source.operands, arguments, queue);
  if (over.range) {
    if (over.axes)
      throw ArgumentError(ArgumentError::Kind::value, source.name + ": takes axes or a range, not both");
    pass.reduced = ranged_space(source.name, pass.bound, *over.range);
    pass.kept = codegen::index_space({}, std::vector<codegen::View>(pass.bound.size()));
    pass.variant.ranged = true;
    return {std::move(pass), {}};
  }
  if (pass.bound.empty() && !given) {
    if (over.axes)
      throw ArgumentError(ArgumentError::Kind::value,
                          source.name + ": an axis needs an array among the operands");
    pass.reduced.lengths = {size_of_pointers(source.name, source.operands, arguments)};
    pass.kept.lengths = {1};
    return {std::move(pass), {}};
  }
  const auto views = views_of(pass.bound);
  const codegen::Lengths shape = given ? *given : codegen::broadcast_shapes(views, source.name);
  const std::vector<bool> reduced = reduced_axes(over.axes, shape.size(), source.name);
  std::vector<bool> kept(reduced.size());
  Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    kept[d] = !reduced[d];
    if (kept[d]) pass.outputs *= shape[d];
    if (kept[d] || over.keepdims) result.push_back(kept[d] ? shape[d] : 1);
  }
  // Without operands nothing is loaded, but adjacent elements may share computations.
  if (pass.bound.empty()) pass.variant.vector = kTogether;
  pass.reduced = codegen::index_space(shape, views, reduced);
  pass.kept = codegen::index_space(shape, views, kept);
  return {std::move(pass), std::move(result)};
}

void plan_pass(const codegen::ReductionSource& text, ReductionPass& pass,
               const DeviceProperties& properties) {
  ReductionVariant& variant = pass.variant;
  variant.style = codegen::loop_style(properties);
  variant.reduced_rank = static_cast<std::uint8_t>(pass.reduced.rank());
  variant.kept_rank = static_cast<std::uint8_t>(pass.outputs == 1 ? 0 : pass.kept.rank());
  pass.total = pass.reduced.size();
  // Adjacent work-items should read adjacent elements. They run along the kept axes if those have the smaller
  // strides.
  bool columns = variant.kept_rank > 0;
  if (columns) {
    std::int64_t along_kept = 0, along_reduced = 0;
    for (std::size_t b = 0; b < pass.bound.size(); ++b) {
      along_kept += std::abs(pass.kept.strides[b][0]);
      along_reduced += std::abs(pass.reduced.strides[b][0]);
    }
    columns = along_kept < along_reduced || pass.bound.empty() ||
              (variant.style == LoopStyle::grid && pass.total < kShortRow);
  }
  variant.scheme = columns ? ReductionScheme::columns : ReductionScheme::rows;
  choose_layouts(pass, text, properties);
  share_out(pass, text.item_size, properties);
}

Range launch_range(const ReductionPass& pass, std::size_t item_size, const DeviceProperties& device) {
  const ReductionVariant& variant = pass.variant;
  const auto outputs = static_cast<std::size_t>(pass.outputs),
             segments = static_cast<std::size_t>(pass.segments);
  const std::size_t group = variant.group;
  if (variant.style == LoopStyle::grid) {
    if (variant.scheme == ReductionScheme::rows) {
      const std::size_t rows = group / variant.lanes;
      return range(divided_up(outputs, rows) * segments * group).with_local(group);
    }
    const std::size_t items = divided_up(outputs, variant.vector);
    return range(rounded_up(items, group), segments).with_local(group, 1);
  }
  if (variant.scheme == ReductionScheme::rows) {
    const std::size_t items = outputs * segments;
    if (device.non_uniform_groups || items < 64)
      return range(items).with_local(items < 4096 ? 1 : std::min<std::size_t>(items, 64));
    return range(rounded_up(items, 64)).with_local(64);
  }
  const std::size_t block = variant.kept_rank == 1 ? codegen::columns_of_block(item_size) : 1;
  const std::size_t items = divided_up(outputs, block);
  if (items < 64) return range(items, segments).with_local(1, 1);
  return range(device.non_uniform_groups ? items : rounded_up(items, 64), segments)
      .with_local(block > 1 ? 1 : 64, 1);
}

}  // namespace quern::algorithms
