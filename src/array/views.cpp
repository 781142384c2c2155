// SPDX-License-Identifier: MIT
// Views: other shapes and strides of the same elements.
#include "quern/views.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/graph.hpp"
#include "array/layout.hpp"
#include "base/text.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

}  // namespace

std::size_t checked_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) throw AxisError(axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

namespace array {

std::pair<std::int64_t, std::int64_t> range_of(const Index& slice, std::int64_t length) {
  const std::int64_t step = slice.step();
  if (step == 0) reject("slice step cannot be zero");
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? length : length - 1;
  const auto bound = [&](std::optional<std::int64_t> at, std::int64_t otherwise) {
    if (!at) return otherwise;
    const std::int64_t from_start = *at < 0 ? *at + length : *at;
    return std::clamp(from_start, lowest, highest);
  };
  const std::int64_t start = bound(slice.start(), step > 0 ? lowest : highest);
  const std::int64_t stop = bound(slice.stop(), step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  // The step may be the least integer, whose negative overflows.
  const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  const std::int64_t count =
      distance <= 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride) + 1;
  return {start, count};
}

namespace {

// Makes a view of the memory of an array, which is evaluated first.
template <class F>
Array changed_in_memory(const Array& array, F&& change) {
  const ArrayMemory& memory = array.evaluate();
  return array_of(memory.buffer, array.dtype(), change(layout_of(memory, array.shape())));
}

// Makes a view of an array in memory, or of a pending expression. `change` is called now, or kept as a
// ViewTransform.
template <class F>
Array changed(const Array& array, F change) {
  if (const Node* const node = pending_node(*array.value()); node != nullptr && !node->has_index()) {
    Shape shape = change({array.shape(), contiguous_strides(array.shape(), array.dtype().itemsize), 0}).shape;
    return lazy(std::make_shared<Node>(node->queue(), array.value(), shape, std::move(change)));
  }
  return changed_in_memory(array, change);
}

Layout indexed(const Layout& array, std::span<const Index> index) {
  std::size_t used = 0;
  bool has_ellipsis = false;
  for (const Index& part : index) {
    if (part.kind() == Index::Kind::ellipsis) {
      if (has_ellipsis)
        throw ArgumentError(ArgumentError::Kind::index, "an index can only have a single ellipsis ('...')");
      has_ellipsis = true;
    }
    used += part.kind() == Index::Kind::integer || part.kind() == Index::Kind::slice ? 1 : 0;
  }
  const std::size_t rank = array.shape.size();
  if (used > rank) {
    throw ArgumentError(ArgumentError::Kind::index, "too many indices: the array has " +
                                                        std::to_string(rank) + " dimensions, but " +
                                                        std::to_string(used) + " were indexed");
  }
  Layout result;
  result.offset = array.offset;
  std::size_t axis = 0;
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count, ++axis) {
      result.shape.push_back(array.shape[axis]);
      result.strides.push_back(array.strides[axis]);
    }
  };
  for (const Index& part : index) {
    switch (part.kind()) {
      case Index::Kind::ellipsis:
        keep(rank - used);
        break;
      case Index::Kind::new_axis:
        result.shape.push_back(1);
        result.strides.push_back(0);
        break;
      case Index::Kind::integer: {
        const std::int64_t length = array.shape[axis], at = *part.start();
        if (at < -length || at >= length) {
          throw ArgumentError(ArgumentError::Kind::index,
                              "index " + std::to_string(at) + " is out of bounds for axis " +
                                  std::to_string(axis) + " with size " + std::to_string(length));
        }
        result.offset += (at < 0 ? at + length : at) * array.strides[axis++];
        break;
      }
      case Index::Kind::slice: {
        const auto [start, count] = array::range_of(part, array.shape[axis]);
        if (count > 0) result.offset += start * array.strides[axis];
        result.shape.push_back(count);
        // A slice of one element does not use its step.
        result.strides.push_back(array.strides[axis] * (count > 1 ? part.step() : 1));
        ++axis;
        break;
      }
    }
  }
  keep(rank - axis);
  return result;
}

}  // namespace

Layout layout_of(const ArrayMemory& memory, const Shape& shape) {
  return {shape, memory.strides, static_cast<std::int64_t>(memory.offset)};
}

Layout broadcast_layout(const Layout& layout, const Shape& shape) {
  const Shape& own = layout.shape;
  bool fits = own.size() <= shape.size();
  Layout result{shape, Strides(shape.size(), 0), layout.offset};
  const std::size_t added = shape.size() - own.size();
  for (std::size_t d = 0; fits && d < own.size(); ++d) {
    if (own[d] == shape[added + d]) {
      result.strides[added + d] = layout.strides[d];
    } else {
      fits = own[d] == 1;
    }
  }
  if (!fits) {
    reject("an array of shape " + shape_text(own) + " does not broadcast to " + shape_text(shape));
  }
  return result;
}

Array array_of(const Buffer& buffer, const DType& dtype, Layout layout) {
  return Array(std::make_shared<detail::ArrayValue>(
      ArrayMemory{buffer, std::move(layout.strides), static_cast<std::size_t>(layout.offset)}, dtype,
      std::move(layout.shape)));
}

}  // namespace array

Array view(const Array& array, std::span<const Index> index) {
  if (array.in_memory())
    return array::changed_in_memory(
        array, [&](const array::Layout& layout) { return array::indexed(layout, index); });
  return array::changed(array, [parts = std::vector<Index>(index.begin(), index.end())](
                                   const array::Layout& layout) { return array::indexed(layout, parts); });
}

Array permute_dims(const Array& array, std::span<const int> axes) {
  const std::size_t rank = array.shape().size();
  if (!axes.empty() && axes.size() != rank)
    reject("axes: expected " + std::to_string(rank) + " axes, got " + std::to_string(axes.size()));
  InlineVector<std::size_t, 4> order;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t from = axes.empty() ? rank - 1 - d : checked_axis(axes[d], rank);
    if (std::find(order.begin(), order.end(), from) != order.end())
      reject("axes: axis " + std::to_string(from) + " is repeated");
    order.push_back(from);
  }
  return array::changed(array, [order = std::move(order)](const array::Layout& layout) {
    array::Layout result;
    result.offset = layout.offset;
    for (const std::size_t from : order) {
      result.shape.push_back(layout.shape[from]);
      result.strides.push_back(layout.strides[from]);
    }
    return result;
  });
}

Array broadcast_to(const Array& array, const Shape& shape) {
  return array::changed(
      array, [shape](const array::Layout& layout) { return array::broadcast_layout(layout, shape); });
}

namespace {

// For a layout that is not contiguous.
std::optional<Strides> strides_of_reshaped(const array::Layout& layout, std::size_t itemsize,
                                           const Shape& shape) {
  // Neighbouring axes with compatible strides can be divided differently.
  Strides strides(shape.size(), 0);
  std::size_t to = 0, from = 0;
  const Shape& own = layout.shape;
  while (from < own.size() || to < shape.size()) {
    std::int64_t old_count = from < own.size() ? own[from] : 1, new_count = to < shape.size() ? shape[to] : 1;
    std::size_t from_end = std::min(from + 1, own.size()), to_end = std::min(to + 1, shape.size());
    while (old_count != new_count) {
      if (old_count < new_count) {
        old_count *= own[from_end++];
      } else {
        new_count *= shape[to_end++];
      }
    }
    std::int64_t stride = 0;
    bool has_stride = false;
    for (std::size_t d = from_end; d-- > from;) {
      if (own[d] == 1) continue;
      if (has_stride && layout.strides[d] != stride) return {};
      stride = layout.strides[d] * own[d];
      has_stride = true;
    }
    std::int64_t step = static_cast<std::int64_t>(itemsize);
    for (std::size_t d = from_end; d-- > from;) {
      if (own[d] == 1) continue;
      step = layout.strides[d];
      break;
    }
    for (std::size_t d = to_end; d-- > to;) {
      strides[d] = step;
      step *= shape[d];
    }
    from = from_end;
    to = to_end;
  }
  return strides;
}

// Returns the layout of a view if the whole expression were in memory. The caller holds Graph::mutex.
array::Layout layout_in_whole(const detail::ArrayValue& value) {
  const array::Node* const node = array::pending_node(value);
  if (node != nullptr && node->kind() == array::Node::Kind::view)
    return node->transform()(layout_in_whole(*node->inputs()[0]));
  return {value.shape(), contiguous_strides(value.shape(), value.dtype().itemsize), 0};
}

// Whether a reshape copies must not depend on which part of the expression is stored: a part is stored
// without gaps.
bool is_copied_when_reshaped(const Array& array, const Shape& shape) {
  const std::lock_guard lock(array::Graph::instance().mutex);
  const array::Node* const node = array::pending_node(*array.value());
  if (node == nullptr || node->kind() != array::Node::Kind::view) return false;
  const array::Layout layout = layout_in_whole(*array.value());
  const std::size_t itemsize = array.dtype().itemsize;
  return layout.strides != contiguous_strides(array.shape(), itemsize) &&
         !strides_of_reshaped(layout, itemsize, shape);
}

}  // namespace

std::optional<Strides> strides_of_reshaped(const Array& array, const Shape& shape) {
  if (array.contiguous()) return contiguous_strides(shape, array.dtype().itemsize);
  return strides_of_reshaped({array.shape(), array.strides(), 0}, array.dtype().itemsize, shape);
}

Array reshape(const Array& array, Shape shape, const Queue* queue) {
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (open) reject("reshape: only one length can be -1");
      open = d;
    } else if (shape[d] < 0) {
      reject("reshape: lengths must not be negative, got " + std::to_string(shape[d]));
    } else if (__builtin_mul_overflow(known, shape[d], &known)) {
      reject("reshape: the shape has more elements than an array can have");
    }
  }
  const auto size = static_cast<std::int64_t>(array.size());
  if (open && known > 0) shape[*open] = size / known;
  if ((open && (known == 0 || size % known != 0)) || (!open && known != size)) {
    reject("cannot reshape an array of " + std::to_string(size) + " elements to " + shape_text(shape));
  }
  if (array.size() == 0) return {array.evaluate().buffer, array.dtype(), std::move(shape)};
  const bool is_copied = is_copied_when_reshaped(array, shape);
  array.evaluate();
  if (auto strides = strides_of_reshaped(array, shape); strides && !is_copied)
    return {array.buffer(), array.dtype(), std::move(shape), std::move(*strides), array.offset()};
  const Array flat = copy(array, queue);
  return {flat.buffer(), flat.dtype(), std::move(shape)};
}

}  // namespace quern
