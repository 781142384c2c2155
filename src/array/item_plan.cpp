// SPDX-License-Identifier: MIT
// Resolves an index that contains arrays.
#include "array/item_plan.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "array/write.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"
#include "quern/select.hpp"

namespace quern::array {
namespace {

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::index, text);
}

bool is_mask(const ItemIndex& part) {
  const auto* const array = std::get_if<Array>(&part);
  return array != nullptr && array->dtype().scalar == Scalar::boolean && array->dtype().lanes == 1;
}

bool is_kind(const ItemIndex& part, Index::Kind kind) {
  const auto* const index = std::get_if<Index>(&part);
  return index != nullptr && index->kind() == kind;
}

// The number of the array's axes that a part of the index consumes.
std::size_t axes_of(const ItemIndex& part) {
  if (const auto* const index = std::get_if<Index>(&part))
    return index->kind() == Index::Kind::integer || index->kind() == Index::Kind::slice ? 1 : 0;
  if (std::holds_alternative<bool>(part)) return 0;
  return is_mask(part) ? std::get<Array>(part).shape().size() : 1;
}

void check_positions(const Array& positions) {
  const DType& dtype = positions.dtype();
  if (dtype.lanes != 1 || dtype.scalar < Scalar::int8 || dtype.scalar > Scalar::uint64)
    reject("arrays used as indices must be of integers or booleans, got " + dtype.name());
}

void check_mask(const Array& array, const Array& mask, std::size_t axis) {
  for (std::size_t d = 0; d < mask.shape().size(); ++d) {
    // An axis of length 0 selects nothing, as in NumPy.
    if (mask.shape()[d] == array.shape()[axis + d] || mask.shape()[d] == 0) continue;
    reject("boolean index did not match indexed array along axis " + std::to_string(axis + d) +
           "; size of axis is " + std::to_string(array.shape()[axis + d]) +
           " but size of corresponding boolean axis is " + std::to_string(mask.shape()[d]));
  }
}

// The parts of an index. For the view, a part that is an array selects all of its axes.
struct Walk {
  struct Part {
    const ItemIndex* item;
    std::size_t axis;        // of the array
    std::size_t view_axis;   // of the view
    std::size_t axes_count;  // axes that it covers
  };
  std::vector<Index> basic;
  std::vector<Part> parts;           // arrays and single booleans
  std::size_t front = 0;             // axes of the view before the first array or integer
  bool is_separated = false;         // a slice lies between two arrays or integers
  std::vector<std::size_t> covered;  // axes of the view that arrays cover

  Walk(const Array& array, std::span<const ItemIndex> index) {
    std::size_t used = 0, ellipses = 0;
    for (const ItemIndex& part : index) {
      used += axes_of(part);
      ellipses += is_kind(part, Index::Kind::ellipsis) ? 1 : 0;
    }
    const std::size_t rank = array.shape().size();
    if (ellipses > 1) reject("an index can only have a single ellipsis ('...')");
    if (used > rank)
      reject("too many indices: the array has " + std::to_string(rank) + " dimensions, but " +
             std::to_string(used) + " were indexed");
    std::size_t axis = 0, view_axis = 0;
    bool has_begun = false, has_gap = false;
    for (const ItemIndex& part : index) {
      const std::size_t count = axes_of(part);
      const bool selects = !std::holds_alternative<Index>(part) || is_kind(part, Index::Kind::integer);
      if (selects && !std::exchange(has_begun, true)) front = view_axis;
      if (selects) is_separated |= has_gap;
      if (!selects) has_gap |= has_begun;
      if (const auto* const plain = std::get_if<Index>(&part)) {
        basic.push_back(*plain);
        const bool is_ellipsis = plain->kind() == Index::Kind::ellipsis;
        axis += is_ellipsis ? rank - used : count;
        if (plain->kind() != Index::Kind::integer) view_axis += is_ellipsis ? rank - used : 1;
        continue;
      }
      if (is_mask(part)) check_mask(array, std::get<Array>(part), axis);
      if (const auto* const positions = std::get_if<Array>(&part); positions != nullptr && !is_mask(part))
        check_positions(*positions);
      parts.push_back({&part, axis, view_axis, count});
      for (std::size_t d = 0; d < count; ++d) {
        basic.push_back(Index::slice());
        covered.push_back(view_axis++);
      }
      axis += count;
    }
  }
};

Array upload(const HostPositions& positions, const Queue& queue) {
  Array result = empty(queue, positions.shape, DType::of(Scalar::int64));
  // The queue keeps the values alive until they are copied.
  const auto kept = std::make_shared<std::vector<std::int64_t>>(positions.values);
  if (!kept->empty()) result.set(queue, kept->data(), {}, kept);
  return result;
}

void check_host(const HostPositions& positions, const IndexBound& bound) {
  for (const std::int64_t index : positions.values)
    if (index < -bound.length || index >= bound.length) throw_index_error(index, bound);
}

// Returns the steps along axes of the view. Neighbouring axes with compatible strides become one step.
std::vector<Selector::Step> steps_along(const Array& view, std::size_t first, std::size_t count) {
  std::vector<Selector::Step> steps;
  for (std::size_t d = first; d < first + count; ++d) {
    const std::int64_t length = view.shape()[d], stride = view.strides()[d];
    if (length == 1) continue;
    if (!steps.empty() && steps.back().stride == length * stride) {
      steps.back() = {steps.back().length * length, stride};
    } else {
      steps.push_back({length, stride});
    }
  }
  if (steps.empty()) steps.push_back({1, 0});
  return steps;
}

Array mask_positions(const Array& mask, const Queue& queue) {
  const Array flat = reshape(as_contiguous(mask, &queue), {-1}, &queue);
  return nonzero(queue, flat);
}

std::int64_t truth_of(const Array& mask, const Queue& queue) {
  const Array plain = as_contiguous(mask, &queue);
  plain.wait_for_elements(queue);
  std::uint8_t truth = 0;
  plain.get(queue, &truth).wait();
  return truth != 0 ? 1 : 0;
}

// Broadcasts positions to the common shape of all positions, as an array of the result's shape.
Array spread(const Array& positions, const Shape& together, const ItemPlan& plan) {
  const Array wide = broadcast_to(positions, together);
  const ArrayMemory& memory = wide.evaluate();
  Strides strides(plan.shape.size(), 0);
  std::copy(memory.strides.begin(), memory.strides.end(),
            strides.begin() + static_cast<std::ptrdiff_t>(plan.first));
  return {memory.buffer, wide.dtype(), plan.shape, std::move(strides), memory.offset};
}

Shape broadcast(const std::vector<Shape>& shapes) {
  std::size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  bool fits = true;
  for (const Shape& shape : shapes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t& length = result[rank - shape.size() + d];
      if (length == 1) length = shape[d];
      fits &= shape[d] == 1 || shape[d] == length;
    }
  }
  if (!fits) {
    std::string all;
    for (const Shape& shape : shapes) all += " " + shape_text(shape);
    reject("shape mismatch: indexing arrays could not be broadcast together with shapes" + all);
  }
  return result;
}

}  // namespace

bool has_arrays(std::span<const ItemIndex> index) {
  return std::any_of(index.begin(), index.end(),
                     [](const ItemIndex& part) { return !std::holds_alternative<Index>(part); });
}

std::vector<Index> basic_parts(std::span<const ItemIndex> index) {
  std::vector<Index> parts;
  parts.reserve(index.size());
  for (const ItemIndex& part : index) parts.push_back(std::get<Index>(part));
  return parts;
}

ItemPlan plan_of(const Array& array, std::span<const ItemIndex> index, const Queue& queue) {
  const Walk walk(array, index);
  ItemPlan plan{view(array, walk.basic), {}, 0, 0, array, {}};
  plan.view.evaluate();
  std::vector<Shape> shapes;
  std::vector<std::pair<const HostPositions*, IndexBound>> on_host;
  std::optional<IndexBound> no_elements;
  // Adds a selector for each part that has positions, with the positions as given.
  for (const Walk::Part& part : walk.parts) {
    if (const auto* const truth = std::get_if<bool>(part.item)) {
      shapes.push_back({*truth ? 1 : 0});
      continue;
    }
    if (is_mask(*part.item)) {
      const auto& mask = std::get<Array>(*part.item);
      if (mask.shape().empty()) {
        shapes.push_back({truth_of(mask, queue)});
        continue;
      }
      const Array positions = mask_positions(mask, queue);
      shapes.push_back(positions.shape());
      plan.selectors.push_back(
          {positions, steps_along(plan.view, part.view_axis, part.axes_count), false, part.axis});
      continue;
    }
    const IndexBound bound{part.axis, array.shape()[part.axis]};
    const std::vector<Selector::Step> steps = {{bound.length, plan.view.strides()[part.view_axis]}};
    if (const auto* const host = std::get_if<HostPositions>(part.item)) {
      on_host.emplace_back(host, bound);
      // Negative indices are resolved here, so that the kernel need not check them.
      HostPositions counted = *host;
      for (std::int64_t& at : counted.values) at += at < 0 ? bound.length : 0;
      plan.selectors.push_back({upload(counted, queue), steps, false, part.axis});
    } else {
      const auto& positions = std::get<Array>(*part.item);
      if (bound.length == 0) no_elements = bound;
      plan.selectors.push_back({positions, steps, true, part.axis});
    }
    shapes.push_back(plan.selectors.back().positions.shape());
  }
  const Shape together = broadcast(shapes);
  // If the result has no elements, no index is out of bounds. A single position is an exception: NumPy checks
  // it as an integer.
  const bool picks_none = element_count(together, 1) == 0;
  for (const auto& [positions, bound] : on_host)
    if (!picks_none || positions->shape.empty()) check_host(*positions, bound);
  if (!picks_none && no_elements) throw_index_error(0, *no_elements);
  plan.count = together.size();
  plan.first = walk.is_separated ? 0 : walk.front;
  Strides strides;
  for (std::size_t d = 0; d < plan.view.shape().size(); ++d) {
    if (std::find(walk.covered.begin(), walk.covered.end(), d) != walk.covered.end()) continue;
    plan.shape.push_back(plan.view.shape()[d]);
    strides.push_back(plan.view.strides()[d]);
  }
  const auto at = static_cast<std::ptrdiff_t>(plan.first);
  plan.shape.insert(plan.shape.begin() + at, together.begin(), together.end());
  strides.insert(strides.begin() + at, together.size(), 0);
  plan.base =
      Array(plan.view.buffer(), plan.view.dtype(), plan.shape, std::move(strides), plan.view.offset());
  for (Selector& selector : plan.selectors) selector.positions = spread(selector.positions, together, plan);
  return plan;
}

std::optional<MaskPlan> mask_plan_of(const Array& array, std::span<const ItemIndex> index) {
  const auto is_array = [](const ItemIndex& part) { return !std::holds_alternative<Index>(part); };
  const auto only = std::find_if(index.begin(), index.end(), is_array);
  if (only == index.end() || !is_mask(*only) || std::find_if(only + 1, index.end(), is_array) != index.end())
    return {};
  const auto& mask = std::get<Array>(*only);
  if (mask.shape().empty()) return {};
  const Walk walk(array, index);
  return MaskPlan{view(array, walk.basic), mask, walk.parts.front().view_axis, !walk.is_separated};
}

}  // namespace quern::array
