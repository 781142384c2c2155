// SPDX-License-Identifier: MIT
// Where the elements of an array lie in memory, and how views change that.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "quern/array.hpp"
#include "quern/views.hpp"

namespace quern::array {

struct Layout {
  Shape shape;
  Strides strides;          // bytes
  std::int64_t offset = 0;  // bytes, of the first element
};

// As Python's slice.indices(): returns the first index and the number of indices.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> range_of(const Index& slice, std::int64_t length);

// Maps the layout of an array to that of a view. Whether the view exists depends on the shape alone.
using ViewTransform = std::function<Layout(const Layout&)>;

[[nodiscard]] Layout layout_of(const ArrayMemory& memory, const Shape& shape);
// The layout's shape must broadcast to `shape`.
[[nodiscard]] Layout broadcast_layout(const Layout& layout, const Shape& shape);
[[nodiscard]] Array array_of(const Buffer& buffer, const DType& dtype, Layout layout);

}  // namespace quern::array
