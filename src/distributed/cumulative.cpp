// SPDX-License-Identifier: MIT
// Cumulative sums and the like along a split axis: those of the blocks, and the totals of the blocks before.
#include "quern/cumulative.hpp"

#include <vector>

#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"

namespace quern::distributed {
namespace {

// The operation of two results, by the name of the elementwise function.
const char* combination_of(ScanOperation operation) {
  switch (operation) {
    case ScanOperation::sum:
      return "add";
    case ScanOperation::product:
      return "multiply";
    case ScanOperation::maximum:
      return "maximum";
    case ScanOperation::minimum:
      return "minimum";
  }
  return "";
}

}  // namespace

DistributedArray cumulative(ScanOperation operation, const DistributedArray& array, int axis,
                            const std::optional<DType>& dtype) {
  const std::size_t along = checked_axis(axis, array.layout().axes().size());
  const AxisLayout split = array.layout().axes()[along];
  if (split.cyclic_block() != 0) {
    const AxisLayout blocks = AxisLayout::block(split.length(), split.grid_axis(), split.parts());
    return cumulative(operation, redistribute(array, array.layout().with_axis(along, blocks)), axis, dtype);
  }
  const CumulativeOptions options{.axis = static_cast<int>(along), .dtype = dtype};
  const Array own = quern::cumulative(operation, array.local(), options);
  if (!split.is_split() || split.parts() == 1) return {array.communicator(), array.layout(), own};

  // The totals of all blocks that have elements, as an array with one element for each along this axis.
  std::vector<std::int64_t> lengths;
  for (int part = 0; part < split.parts(); ++part) lengths.push_back(split.local_length(part) != 0 ? 1 : 0);
  const Layout totals_layout =
      array.layout().with_axis(along, AxisLayout::irregular(lengths, split.grid_axis()));
  const std::int64_t length = own.shape()[along];
  Section last = whole_section(own.shape());
  last[along] = {length == 0 ? 0 : length - 1, 1, length == 0 ? 0 : 1};
  const DistributedArray totals(array.communicator(), totals_layout, copy(part(own, last)));
  const Layout everywhere = totals_layout.with_axis(along, AxisLayout::whole(totals_layout.shape()[along]));
  const Array all = redistribute(totals, everywhere).local();

  const auto at = array.layout().grid().coordinates_of(array.communicator().rank());
  const int coordinate = at[static_cast<std::size_t>(split.grid_axis())];
  std::int64_t before = 0;
  for (int part = 0; part < coordinate; ++part) before += lengths[static_cast<std::size_t>(part)];
  if (before == 0 || length == 0) return {array.communicator(), array.layout(), own};
  Section preceding = whole_section(all.shape());
  preceding[along].count = before;
  const Array sums = quern::cumulative(operation, part(all, preceding), options);
  Section total = whole_section(sums.shape());
  total[along] = {before - 1, 1, 1};
  return {array.communicator(), array.layout(),
          quern::apply(combination_of(operation), {part(sums, total), own})};
}

}  // namespace quern::distributed
