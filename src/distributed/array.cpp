// SPDX-License-Identifier: MIT
// Distributing, redistributing and gathering arrays; elementwise functions and reductions of their blocks.
#include "quern/distributed/array.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern::distributed {
DistributedArray::DistributedArray(Communicator communicator, Layout layout, Array local)
    : communicator_(std::move(communicator)), layout_(std::move(layout)), local_(std::move(local)) {
  if (layout_.grid().size() != communicator_.size()) {
    throw ArgumentError(ArgumentError::Kind::value, "a layout of " + std::to_string(layout_.grid().size()) +
                                                        " ranks for " + std::to_string(communicator_.size()));
  }
  const Shape expected = layout_.local_shape(communicator_.rank());
  if (local_.shape() != expected) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the block of rank " + std::to_string(communicator_.rank()) + " has shape " +
                            text_of(local_.shape()) + ", and its layout, " + layout_.text() + " of " +
                            text_of(layout_.shape()) + ", says " + text_of(expected));
  }
}

DistributedArray distribute(const Communicator& communicator, const Layout& layout, const Array& whole) {
  if (whole.shape() != layout.shape()) {
    throw ArgumentError(ArgumentError::Kind::value, "an array of shape " + text_of(whole.shape()) +
                                                        " for a layout of shape " + text_of(layout.shape()));
  }
  const Layout everywhere = Layout::replicated(communicator.size(), layout.shape());
  return redistribute({communicator, everywhere, whole}, layout);
}

DistributedArray redistribute(const DistributedArray& array, const Layout& layout) {
  const Communicator& communicator = array.communicator();
  if (layout.shape() != array.shape() || layout.grid().size() != communicator.size()) {
    throw ArgumentError(ArgumentError::Kind::value, "an array of shape " + text_of(array.shape()) + " on " +
                                                        std::to_string(communicator.size()) +
                                                        " ranks cannot have the layout " + layout.text() +
                                                        " of shape " + text_of(layout.shape()) + " on " +
                                                        std::to_string(layout.grid().size()));
  }
  if (layout == array.layout()) return array;
  if (layout.is_replicated() && array.layout().is_replicated()) return {communicator, layout, array.local()};
  DistributedArray result =
      DistributedArray::empty(communicator, layout, array.dtype(), array.local().queue());
  const Section all = whole_section(array.shape());
  const SectionCopy copy{array.local(), array.layout(), all, result.local(), layout, all};
  move(communicator, call_of("redistribute", agreed(array) + " to " + agreed(layout)), {copy});
  return result;
}

Array gather(const DistributedArray& array) {
  return redistribute(array, Layout::replicated(array.communicator().size(), array.shape())).local();
}

Array gather(const DistributedArray& array, int root) {
  return redistribute(array, Layout::owned(array.communicator().size(), array.shape(), root)).local();
}

namespace {

Shape broadcast_shape(const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    while (result.size() < shape.size()) result.insert(result.begin(), 1);
  }
  for (const Shape& shape : shapes) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& length = result[result.size() - shape.size() + i];
      if (length == 1) length = shape[i];
      if (shape[i] != 1 && shape[i] != length) {
        throw ArgumentError(ArgumentError::Kind::value, "operands of shapes that do not broadcast: " +
                                                            text_of(result) + " and " + text_of(shape));
      }
    }
  }
  return result;
}

// The layout in which each rank has just the elements that broadcast into its block of the result.
Layout aligned_layout(const Layout& result, const Shape& shape) {
  std::vector<AxisLayout> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const AxisLayout& axis = result.axes()[result.axes().size() - shape.size() + i];
    axes.push_back(shape[i] == axis.length() ? axis : AxisLayout::whole(shape[i]));
  }
  return {result.grid(), std::move(axes)};
}

}  // namespace

Aligned align(std::string_view name, std::span<const DistributedArray> arrays) {
  if (arrays.empty()) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(name) + ": at least one operand must be a distributed array");
  }
  const Communicator& communicator = arrays.front().communicator();
  std::vector<Shape> shapes;
  for (const DistributedArray& array : arrays) {
    if (array.communicator() != communicator) {
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(name) + ": the operands belong to different communicators");
    }
    shapes.push_back(array.shape());
  }
  const Shape shape = broadcast_shape(shapes);
  std::optional<Layout> layout;
  // Layouts whose elements are spread over the ranks come before replicated ones.
  for (const bool is_replicated : {false, true}) {
    for (const DistributedArray& array : arrays) {
      if (layout || array.shape() != shape || array.layout().root() >= 0) continue;
      if (array.layout().is_replicated() == is_replicated) layout = array.layout();
    }
  }
  if (!layout) layout = Layout::for_shape(communicator.size(), shape);
  Aligned aligned{communicator, *layout, {}};
  for (const DistributedArray& array : arrays) {
    aligned.blocks.push_back(redistribute(array, aligned_layout(*layout, array.shape())).local());
  }
  return aligned;
}

DistributedArray apply(std::string_view name, std::span<const DistributedOperand> operands) {
  std::vector<DistributedArray> arrays;
  for (const DistributedOperand& operand : operands) {
    if (const auto* array = std::get_if<DistributedArray>(&operand)) arrays.push_back(*array);
  }
  const Aligned aligned = align(name, arrays);
  std::vector<Operand> local;  // they borrow the blocks
  std::size_t next = 0;
  for (const DistributedOperand& operand : operands) {
    if (const auto* number = std::get_if<Number>(&operand)) {
      local.emplace_back(*number);
    } else {
      local.emplace_back(aligned.blocks[next++]);
    }
  }
  return {aligned.communicator, aligned.layout, quern::apply(name, local)};
}

namespace {

// The partial results of the givers among a group of ranks, in order. All ranks call it, also those of a
// group without givers, so that their operations have the same numbers.
Bytes gathered(CommunicatorState& communicator, const Call& call, const std::vector<int>& group,
               const std::vector<int>& givers, const std::optional<Array>& partial, std::size_t nbytes) {
  Bytes own(nbytes), result(givers.size() * nbytes);
  if (partial) read(*partial, own);
  const auto put = [&](std::size_t at, std::span<const std::byte> from) {
    if (nbytes != 0) std::memcpy(result.data() + at * nbytes, from.data(), nbytes);
  };
  if (group.size() == static_cast<std::size_t>(communicator.size())) {
    const Bytes all = all_gather(communicator, call, own);  // in log2(ranks) rounds
    for (std::size_t i = 0; i < givers.size(); ++i) {
      put(i, std::span(all).subspan(static_cast<std::size_t>(givers[i]) * nbytes, nbytes));
    }
    return result;
  }
  Exchange exchange = communicator.begin(call);
  std::vector<std::size_t> numbers(givers.size());
  for (std::size_t i = 0; i < givers.size(); ++i) {
    if (givers[i] != communicator.rank()) numbers[i] = exchange.receive(givers[i], nbytes);
  }
  if (partial) {
    for (const int to : group) {
      if (to == communicator.rank()) continue;
      Message message(nbytes);
      if (nbytes != 0) std::memcpy(message.payload().data(), own.data(), nbytes);
      exchange.send(to, std::move(message));
    }
  }
  exchange.finish();
  for (std::size_t i = 0; i < givers.size(); ++i) {
    put(i,
        givers[i] == communicator.rank() ? std::span<const std::byte>(own) : exchange.received(numbers[i]));
  }
  return result;
}

}  // namespace

DistributedArray reduce(std::string_view name, const DistributedArray& array, const ReduceOptions& options) {
  if (options.where || options.out || options.initial) {
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(name) + ": where, out and initial are not taken for distributed arrays");
  }
  const Layout& before = array.layout();
  if (before.root() >= 0) {
    const Shape shape = array.shape();
    return reduce(name, redistribute(array, Layout::for_shape(before.grid().size(), shape)), options);
  }
  std::vector<bool> is_reduced(before.axes().size(), options.over.all());
  if (!options.over.all()) {
    for (const int axis : *options.over.axes()) is_reduced[checked_axis(axis, is_reduced.size())] = true;
  }

  std::vector<AxisLayout> axes;
  std::vector<bool> is_joined(before.grid().lengths().size());  // axes of the grid along which partials are
  for (std::size_t i = 0; i < is_reduced.size(); ++i) {
    const AxisLayout& axis = before.axes()[i];
    if (!is_reduced[i]) axes.push_back(axis);
    if (is_reduced[i] && options.keepdims) axes.push_back(AxisLayout::whole(1));
    if (is_reduced[i] && axis.is_split()) is_joined[static_cast<std::size_t>(axis.grid_axis())] = true;
  }
  const Layout after(before.grid(), std::move(axes));

  // The ranks that hold the other parts of what this rank reduces, in order; of replicas the first ones.
  CommunicatorState& communicator = *array.communicator().state();
  std::vector<int> group;
  const std::vector<int> own = before.grid().coordinates_of(communicator.rank());
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const std::vector<int> other = before.grid().coordinates_of(rank);
    bool is_member = true;
    for (std::size_t i = 0; i < own.size(); ++i)
      is_member = is_member && (is_joined[i] || own[i] == other[i]);
    if (is_member) group.push_back(rank);
  }
  if (group.size() == 1) {
    return {array.communicator(), after, quern::reduce(name, array.local(), options)};
  }

  // Blocks without elements take no part: minima and maxima of nothing do not exist.
  const auto has_elements = [&](int rank) { return elements_of(before.local_shape(rank)) != 0; };
  std::vector<int> givers;
  std::copy_if(group.begin(), group.end(), std::back_inserter(givers), has_elements);
  std::optional<Array> partial;
  if (has_elements(communicator.rank())) partial = quern::reduce(name, array.local(), options);
  const Queue queue = array.local().queue();
  const DType dtype =
      partial ? partial->dtype()
              : quern::reduce(name, zeros(queue, {1}, array.dtype()), {.dtype = options.dtype}).dtype();
  const Shape shape = after.local_shape(communicator.rank());
  const Call call = call_of(std::string(name), agreed(array) + agreed(after));
  const Bytes all = gathered(communicator, call, group, givers, partial,
                             static_cast<std::size_t>(elements_of(shape)) * dtype.itemsize);
  if (givers.empty()) {
    // This rank has no results, or results of no elements.
    return {
        array.communicator(), after,
        elements_of(shape) == 0 ? empty(queue, shape, dtype) : quern::reduce(name, array.local(), options)};
  }
  Shape stacked = shape;
  stacked.insert(stacked.begin(), static_cast<std::int64_t>(givers.size()));
  // A count is a sum of counts; any other result is reduced in the same way again.
  const Array combined =
      quern::reduce(name == "count_nonzero" ? "sum" : name, array_of(queue, all, stacked, dtype),
                    {.over = Over(0), .dtype = options.dtype});
  return {array.communicator(), after, combined};
}

Array global_indices(const DistributedArray& array, std::size_t axis) {
  const Queue queue = array.local().queue();
  const DType dtype = DType::of(Scalar::int64);
  std::vector<Array> runs;
  const auto intervals = array.layout().intervals(array.communicator().rank());
  for (const Interval& run : intervals[axis]) {
    runs.push_back(quern::arange(queue, run.start, 1, run.length(), dtype));
  }
  Shape shape;
  for (std::size_t i = 0; i < array.layout().axes().size(); ++i) shape.push_back(1);
  shape[axis] = array.local().shape()[axis];
  if (runs.empty() || shape[axis] == 0) return empty(queue, shape, dtype);
  return reshape(runs.size() == 1 ? runs.front() : concat(runs), shape);
}

}  // namespace quern::distributed
