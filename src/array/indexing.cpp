// SPDX-License-Identifier: MIT
// Indexing with arrays, for reading and writing.
#include "quern/indexing.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "array/build.hpp"
#include "array/cumulative.hpp"
#include "array/item_plan.hpp"
#include "array/lazy_reads.hpp"
#include "array/types.hpp"
#include "array/write.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"
#include "quern/manipulation.hpp"
#include "quern/search.hpp"
#include "quern/select.hpp"
#include "quern/sorting.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using array::ItemPlan;
using array::Selector;
using array::ValuePtr;

void check_places(const Array& array, std::span<const ItemIndex> index, const Queue& queue) {
  std::vector<Operand> all = {array};
  for (const ItemIndex& part : index)
    if (const auto* const given = std::get_if<Array>(&part)) all.emplace_back(*given);
  array::check_place(all, queue, "indexing");
}

// Copies a part that would keep more than twice its own memory alive.
Array trimmed(const Array& part, std::size_t whole, const Queue& queue) {
  return part.size() < whole / 2 ? copy(part, &queue) : part;
}

bool shares_memory(const Array& a, const Array& b) {
  return a.buffer().allocation() == b.buffer().allocation();
}

// Makes an array of one element by a fill instead of a kernel.
Array single_element(const Number& number, const DType& dtype, const Queue& queue) {
  if (!array::is_number(dtype))
    throw ArgumentError(ArgumentError::Kind::type, "assignment: cannot convert a number to " + dtype.name());
  const array::NumberBytes bytes = array::bytes_of(number, dtype);
  const Array result = empty(queue, {}, dtype);
  queue.fill(result.buffer(), std::span(bytes.data(), dtype.itemsize));
  return result;
}

// Returns the values in memory, in the target's type and the given shape. They share no memory with the
// target.
Array values_for(const Operand& value, const Array& target, const Shape& shape, const Queue& queue,
                 std::string_view what) {
  Array values = value.array() != nullptr ? array::converted(*value.array(), target.dtype(), queue, what)
                                          : single_element(value.number(), target.dtype(), queue);
  array::check_broadcast(values.shape(), shape, what);
  if (values.shape().size() > shape.size()) {  // drops leading axes of length 1
    const auto extra = static_cast<std::ptrdiff_t>(values.shape().size() - shape.size());
    values = reshape(values, Shape(values.shape().begin() + extra, values.shape().end()), &queue);
  }
  values.evaluate();
  if (shares_memory(values, target)) values = copy(values, &queue);
  return broadcast_to(values, shape);
}

void put_values(const Array& base, std::vector<Selector> selectors, const Array& values, const Queue& queue) {
  for (Selector& selector : selectors)
    if (shares_memory(selector.positions, base)) selector.positions = copy(selector.positions, &queue);
  array::scatter_nd(base, selectors, values, queue);
}

// Assigns where a mask is true, if the value does not depend on the number of true elements. One kernel does
// it without counting them.
bool assign_where(const Array& array, std::span<const ItemIndex> index, const Operand& value,
                  const Queue& queue) {
  if (!array::is_number(array.dtype())) return false;
  const auto plan = array::mask_plan_of(array, index);
  if (!plan) return false;
  const std::size_t mask_rank = plan->mask.shape().size();
  const std::size_t behind = plan->view.shape().size() - plan->first - mask_rank;
  const Array* const values = value.array();
  if (values != nullptr && !array::is_number(values->dtype())) return false;
  if (values != nullptr && values->size() != 1 && (!plan->is_in_place || values->shape().size() > behind))
    return false;
  if (values != nullptr && values->size() == 1 &&
      values->shape().size() > plan->view.shape().size() - mask_rank + 1)
    return false;  // too many dimensions: the general path drops leading ones or throws
  Shape shape = plan->mask.shape();
  shape.insert(shape.end(), behind, 1);
  const Array mask = behind == 0 ? plan->mask : reshape(plan->mask, shape, &queue);
  std::optional<Array> single;
  if (values != nullptr && values->size() == 1) single = reshape(*values, {}, &queue);
  if (values != nullptr && values->size() != 1) {
    const Shape rest(plan->view.shape().end() - static_cast<std::ptrdiff_t>(behind),
                     plan->view.shape().end());
    array::check_broadcast(values->shape(), rest, "assignment");
  }
  if (mask.size() == 0) return true;
  // The node is not added to the graph, because only the target holds its elements.
  const Array result{
      ValuePtr(array::where_node(mask, single ? Operand(*single) : value, plan->view, array.dtype(), queue))};
  assign(plan->view, result, &queue);
  return true;
}

// The array's elements in the shape to which array and positions broadcast, except along the axis.
struct Along {
  Array base;
  std::vector<Selector> selectors;
};
Along along(const Array& array, const Array& positions, std::int64_t axis, const char* what) {
  const std::size_t rank = array.shape().size();
  const std::size_t at = checked_axis(axis, rank);
  const DType& dtype = positions.dtype();
  if (dtype.lanes != 1 || dtype.scalar < Scalar::int8 || dtype.scalar > Scalar::uint64)
    throw ArgumentError(ArgumentError::Kind::index,
                        std::string(what) + ": indices must be integers, got " + dtype.name());
  if (positions.shape().size() != rank)
    throw ArgumentError(ArgumentError::Kind::value, std::string(what) + ": the array has " +
                                                        std::to_string(rank) + " dimensions, the indices " +
                                                        std::to_string(positions.shape().size()));
  Shape shape = positions.shape();
  const ArrayMemory& memory = array.evaluate();
  Strides strides = memory.strides;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d == at) continue;
    if (shape[d] != array.shape()[d] && shape[d] != 1 && array.shape()[d] != 1)
      throw ArgumentError(ArgumentError::Kind::index,
                          std::string(what) + ": along axis " + std::to_string(d) + " the array has " +
                              std::to_string(array.shape()[d]) + " elements, the indices " +
                              std::to_string(shape[d]));
    if (array.shape()[d] == 1) strides[d] = 0;
    if (shape[d] == 1) shape[d] = array.shape()[d];
  }
  strides[at] = 0;
  const array::IndexBound bound{at, array.shape()[at]};
  const Array wide = broadcast_to(positions, shape);
  wide.evaluate();
  if (bound.length == 0 && wide.size() != 0) array::throw_index_error(0, bound);
  std::vector<Selector> selectors = {{wide, {{bound.length, memory.strides[at]}}, true, at}};
  return {Array(memory.buffer, array.dtype(), shape, std::move(strides), memory.offset),
          std::move(selectors)};
}

// Returns the ranks of complex numbers in the sorted order of both arrays, so that integers can be compared
// instead. Equal numbers share a rank. As in a sort, all NaNs are equal.
std::pair<Array, Array> ranks_of(const Array& keys, const Array& values, const Queue& queue) {
  const Array all = concat(std::array{keys, values}, 0, {}, &queue);
  const auto count = static_cast<std::int64_t>(all.size());
  const auto first_values = static_cast<std::int64_t>(keys.size());
  if (count == 0)
    return {zeros(queue, {0}, DType::of(Scalar::int64)), zeros(queue, {0}, DType::of(Scalar::int64))};
  const Array order = argsort(all, 0, {}, &queue);
  const Array sorted = gather(queue, all, order);
  const auto differs = [&](const char* part) {
    const Array numbers = apply(part, {sorted}, &queue);
    const Array here = view(numbers, {Index::slice(1)}), before = view(numbers, {Index::slice({}, -1)});
    const Array is_number =
        apply("logical_or", {apply("equal", {here, here}, &queue), apply("equal", {before, before}, &queue)},
              &queue);
    return apply("logical_and", {is_number, apply("not_equal", {here, before}, &queue)}, &queue);
  };
  const Array starts = zeros(queue, {count}, DType::of(Scalar::boolean));
  assign(view(starts, {Index::slice(1)}), apply("logical_or", {differs("real"), differs("imag")}, &queue),
         &queue);
  const Array ranks = empty(queue, {count}, DType::of(Scalar::int64));
  scatter(queue, ranks, order, array::accumulate_elements(ScanOperation::sum, starts, {.axis = 0}, &queue));
  return {as_contiguous(view(ranks, {Index::slice({}, first_values)}), &queue),
          as_contiguous(view(ranks, {Index::slice(first_values)}), &queue)};
}

}  // namespace

Array get_item(const Array& array, std::span<const ItemIndex> index, const Queue* queue) {
  if (!array::has_arrays(index)) return view(array, array::basic_parts(index));
  const Queue user = array::queue_of(array, queue);
  check_places(array, index, user);
  if (const auto mask = array::mask_plan_of(array, index); mask && mask->mask.shape() == array.shape() &&
                                                           mask->view.shape() == array.shape() &&
                                                           array.evaluate().contiguous) {
    const Array where = reshape(as_contiguous(mask->mask, &user), {-1}, &user);
    const Array flat = reshape(array, {-1}, &user);
    return trimmed(copy_if(user, flat, Predicate(where)), flat.size(), user);
  }
  const ItemPlan plan = array::plan_of(array, index, user);
  const Array out = empty(user, plan.shape, array.dtype());
  if (out.size() == 0) return out;
  array::gather_nd(plan.base, plan.selectors, out, user);
  return out;
}

Array snapshot(const Array& array, const Queue* queue) {
  const DType& dtype = array.dtype();
  if (dtype.scalar == Scalar::structure || dtype.lanes != 1) return copy(array, queue);
  return array::lazy(std::make_shared<array::Node>(array::Node::Kind::cast, nullptr,
                                                   array::queue_of(array, queue), dtype, array.shape(),
                                                   array::Inputs{array.value()}));
}

void set_item(const Array& array, std::span<const ItemIndex> index, const Operand& value, const Queue* queue,
              long spare) {
  // The whole array: a part of a broadcast view need not show that its elements share memory with others.
  array.evaluate();
  array::check_writable(array, "assignment");
  if (!array::has_arrays(index)) {
    assign(view(array, array::basic_parts(index)), value, queue, spare);
    return;
  }
  const Queue user = array::queue_of(array, queue);
  check_places(array, index, user);
  array::check_place({&value, 1}, user, "assignment");
  if (assign_where(array, index, value, user)) return;
  const ItemPlan plan = array::plan_of(array, index, user);
  const Array values = values_for(value, array, plan.shape, user, "assignment");
  if (values.size() != 0) put_values(plan.base, plan.selectors, values, user);
  array::wait_for_shared(*array.value(), user);
}

Array take_along_axis(const Array& array, const Array& positions, std::int64_t axis, const Queue* queue) {
  const Queue user = array::queue_of(array, queue);
  array::check_place(std::array<Operand, 2>{array, positions}, user, "take_along_axis");
  const Along plan = along(array, positions, axis, "take_along_axis");
  const Array out = empty(user, plan.base.shape(), array.dtype());
  if (out.size() != 0) array::gather_nd(plan.base, plan.selectors, out, user);
  return out;
}

void put_along_axis(const Array& array, const Array& positions, const Operand& values, std::int64_t axis,
                    const Queue* queue) {
  const Queue user = array::queue_of(array, queue);
  array::check_place(std::array<Operand, 3>{array, positions, values}, user, "put_along_axis");
  const Along plan = along(array, positions, axis, "put_along_axis");
  array::check_writable(array, "put_along_axis");
  const Array wide = values_for(values, array, plan.base.shape(), user, "put_along_axis");
  if (wide.size() != 0) put_values(plan.base, plan.selectors, wide, user);
}

std::vector<Array> nonzero_indices(const Array& array, const Queue* queue) {
  const Queue user = array::queue_of(array, queue);
  const Shape& shape = array.shape();
  if (shape.empty())
    throw ArgumentError(ArgumentError::Kind::value, "nonzero: expected an array of at least one dimension");
  const Array flat = reshape(as_contiguous(array, &user), {-1}, &user);
  const Array positions = trimmed(nonzero(user, flat), flat.size(), user);
  std::vector<Array> result(shape.size(), positions);
  Array rest = positions;
  for (std::size_t d = shape.size(); d-- > 1;) {
    const std::int64_t length = std::max<std::int64_t>(shape[d], 1);
    result[d] = apply("remainder", {rest, length}, &user);
    rest = apply("floor_divide", {rest, length}, &user);
  }
  result[0] = rest;
  evaluate(result);  // one kernel computes all of them
  return result;
}

Array searchsorted(const Array& sorted, const Array& values, bool is_right, const Array* sorter,
                   const Queue* queue) {
  const Queue user = array::queue_of(sorted, queue);
  std::vector<Operand> all = {sorted, values};
  if (sorter != nullptr) all.emplace_back(*sorter);
  array::check_place(all, user, "searchsorted");
  if (sorted.shape().size() != 1)
    throw ArgumentError(ArgumentError::Kind::value,
                        "searchsorted: the sorted array must have one "
                        "dimension, got " +
                            std::to_string(sorted.shape().size()));
  if (sorter != nullptr && sorter->shape() != sorted.shape())
    throw ArgumentError(ArgumentError::Kind::value,
                        "searchsorted: the sorter must have as many elements as the sorted array");
  const DType common = detail::without_bfloat16(result_type(sorted.dtype(), values.dtype()));
  Array keys = sorted;
  if (sorter != nullptr) {
    const std::array<ItemIndex, 1> at = {*sorter};
    keys = get_item(sorted, at, &user);
  }
  keys = as_contiguous(astype(keys, common, &user), &user);
  Array wanted = reshape(as_contiguous(astype(values, common, &user), &user), {-1}, &user);
  if (codegen::kind_of(common) == codegen::Kinds::complex)
    std::tie(keys, wanted) = ranks_of(keys, wanted, user);
  const Array found = is_right ? upper_bound(user, keys, wanted) : lower_bound(user, keys, wanted);
  return reshape(found, values.shape(), &user);
}

}  // namespace quern
