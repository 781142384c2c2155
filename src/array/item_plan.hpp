// SPDX-License-Identifier: MIT
// What an index with arrays in it stands for: which axes stay, where positions lead, and the shape of it all.
#pragma once

#include <span>
#include <vector>

#include "array/gather_nd.hpp"
#include "quern/indexing.hpp"

namespace quern::array {

struct ItemPlan {
  Array view;   // of the array, with all parts applied that are no arrays
  Shape shape;  // of the result
  // Of the result's axes, those from `first` on that positions stand for.
  std::size_t first = 0, count = 0;
  Array place;  // where positions of zero lead, in the result's shape
  std::vector<Selector> selectors;
};

[[nodiscard]] bool has_arrays(std::span<const ItemIndex> index);
// Views only, where there are no arrays.
std::vector<Index> basic_parts(std::span<const ItemIndex> index);
// Counts masks, which waits. Throws ArgumentError for what does not fit.
ItemPlan plan_of(const Array& array, std::span<const ItemIndex> index, const Queue& queue);

// One mask, other parts being what views take: the axes of the view that it covers.
struct MaskPlan {
  Array view;
  Array mask;
  std::size_t first = 0;     // the axis of the view where it begins
  bool is_in_place = false;  // its elements are where its axes were
};
std::optional<MaskPlan> mask_plan_of(const Array& array, std::span<const ItemIndex> index);

}  // namespace quern::array
