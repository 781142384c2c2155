// SPDX-License-Identifier: MIT
// Where the elements of an array lie in memory, and what views do to that.
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

// What Python's slice.indices() says: the first index and how many there are.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> range_of(const Index& slice, std::int64_t length);

// The layout that a view has of one; whether there is such a view depends on the shape alone.
using ViewTransform = std::function<Layout(const Layout&)>;

[[nodiscard]] Layout layout_of(const detail::ArrayValue::Memory& memory, const Shape& shape);
// Of a shape that broadcasts to the other.
[[nodiscard]] Layout broadcast_layout(const Layout& layout, const Shape& shape);
[[nodiscard]] Array array_of(const Buffer& buffer, const DType& dtype, Layout layout);

}  // namespace quern::array
