// SPDX-License-Identifier: MIT
// Basic indices as sections, and the layouts of what they select.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "distributed/movement.hpp"
#include "quern/array.hpp"
#include "quern/views.hpp"

namespace quern::distributed {

// What an index selects. Integers select one element of an axis, and the result omits the axis.
struct Selection {
  Section section;                               // one range for each axis of the array
  std::vector<bool> is_dropped;                  // for each axis of the array
  std::vector<std::optional<std::size_t>> axes;  // of the result: an axis of the array, or a new one

  [[nodiscard]] Shape shape() const;  // of the result
};
// Throws ArgumentError for an index out of bounds and for too many indices.
Selection select(const Shape& shape, std::span<const Index> index);

// The layout of a part of an axis, and whether every rank has all elements of it already.
struct SelectedAxis {
  AxisLayout layout;
  bool is_local = true;
};
SelectedAxis selected_axis(const AxisLayout& axis, const Range& range);

}  // namespace quern::distributed
