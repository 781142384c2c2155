// SPDX-License-Identifier: MIT
// Resolves an index that contains arrays: which axes remain, which elements the positions select, and the
// shape of the result.
#pragma once

#include <span>
#include <vector>

#include "array/gather_nd.hpp"
#include "quern/indexing.hpp"

namespace quern::array {

struct ItemPlan {
  Array view;   // of the array, with all parts applied that are not arrays
  Shape shape;  // of the result
  // The result's axes from `first` on, `count` of them, are those of the positions.
  std::size_t first = 0, count = 0;
  Array base;  // the elements that positions of 0 select, in the result's shape
  std::vector<Selector> selectors;
};

[[nodiscard]] bool has_arrays(std::span<const ItemIndex> index);
// Converts an index without arrays to the parts of a view.
std::vector<Index> basic_parts(std::span<const ItemIndex> index);
// Counts the true elements of masks, which waits for the device. Throws ArgumentError if the index does not
// fit the array.
ItemPlan plan_of(const Array& array, std::span<const ItemIndex> index, const Queue& queue);

// An index with one mask and otherwise parts of a view. The mask covers axes of the view.
struct MaskPlan {
  Array view;
  Array mask;
  std::size_t first = 0;     // the first axis of the view that it covers
  bool is_in_place = false;  // the selected elements replace the mask's axes at their position
};
std::optional<MaskPlan> mask_plan_of(const Array& array, std::span<const ItemIndex> index);

}  // namespace quern::array
