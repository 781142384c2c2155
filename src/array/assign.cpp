// SPDX-License-Identifier: MIT
// In-place writes to arrays.
#include <array>
#include <string>
#include <utility>

#include "algorithms/copy.hpp"
#include "array/at_once.hpp"
#include "array/build.hpp"
#include "array/evaluate.hpp"
#include "array/graph.hpp"
#include "array/lazy_reads.hpp"
#include "array/types.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "codegen/ops.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern {
namespace array {

void check_broadcast(const Shape& from, const Shape& to, std::string_view what) {
  bool fits = true;
  // Leading axes of length 1 are ignored.
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::size_t back = from.size() - d;
    fits &= from[d] == 1 || (back <= to.size() && from[d] == to[to.size() - back]);
  }
  if (!fits) {
    throw ArgumentError(ArgumentError::Kind::value, std::string(what) + ": values of shape " +
                                                        shape_text(from) + " do not broadcast to " +
                                                        shape_text(to));
  }
}

void check_writable(const Array& target, std::string_view what) {
  if (target.size() == 0) return;
  for (std::size_t d = 0; d < target.shape().size(); ++d) {
    if (target.strides()[d] == 0 && target.shape()[d] > 1) {
      throw ArgumentError(
          ArgumentError::Kind::value,
          std::string(what) +
              ": several elements of the array share memory, as in a broadcast view; copy the array first");
    }
  }
}

Array converted(const Array& array, const DType& dtype, const Queue& queue, std::string_view what) {
  if (array.dtype() == dtype) return array;
  if (is_number(array.dtype()) && is_number(dtype)) return astype(array, dtype, &queue);
  throw ArgumentError(ArgumentError::Kind::type, std::string(what) + ": cannot convert elements of " +
                                                     array.dtype().name() + " to " + dtype.name());
}

}  // namespace array

namespace {

using array::check_broadcast;
using array::check_writable;
using array::Node;
using array::ValuePtr;

// Returns whether a value in memory is the target itself.
bool is_same(const detail::ArrayValue& value, const detail::ArrayValue& target, const ArrayMemory& read,
             const ArrayMemory& memory) {
  return read.buffer.allocation() == memory.buffer.allocation() &&
         read.buffer.offset() + read.offset == memory.buffer.offset() + memory.offset &&
         value.shape() == target.shape() && read.strides == memory.strides && value.dtype() == target.dtype();
}

// Returns whether the expression reads memory of the target at other elements than it writes, or may do so
// through a view.
bool reads_elsewhere(const detail::ArrayValue& value, const detail::ArrayValue& target,
                     const ArrayMemory& memory, bool in_view = false) {
  if (const Node* const node = array::pending_node(value)) {
    in_view |= node->kind() == Node::Kind::view || node->is_product() || node->kind() == Node::Kind::fft;
    for (const ValuePtr& input : node->inputs())
      if (reads_elsewhere(*input, target, memory, in_view)) return true;
    return false;
  }
  const ArrayMemory& read = value.memory();
  return read.buffer.allocation() == memory.buffer.allocation() &&
         (in_view || !is_same(value, target, read, memory));
}

// Writes elements that are not numbers.
void write_raw_elements(const Array& target, const Array& value, const Queue& queue) {
  if (target.size() == 0) return;
  const bool shares = value.evaluate().buffer.allocation() == target.buffer().allocation();
  algorithms::copy_elements(queue, shares ? copy(value, &queue) : value, target);
}

// Writes an expression to the target by calling write(), which returns whether it wrote. `spare` is the
// number of handles of the expression that its owner does not need afterwards, as in assign(). If only those
// hold the expression, it is not first stored in memory of its own. It becomes a copy of the target instead,
// in case the owner uses it after all.
template <class Write>
bool write_expression(const Array& target, const ValuePtr& value, long spare, const Write& write) {
  array::Graph& graph = array::Graph::instance();
  const bool is_alike = value->shape() == target.shape() && value->dtype() == target.dtype();
  // `value` is one more handle.
  const auto withdrawn = spare > 0 && is_alike ? graph.withdraw(value, spare + 1) : array::Graph::Withdrawn();
  bool is_written = false;
  try {
    is_written = write();
  } catch (...) {
    graph.restore(withdrawn);
    throw;
  }
  if (!is_written) {
    graph.restore(withdrawn);
    return false;
  }
  Node* const node = withdrawn.empty() ? nullptr : array::pending_node(*value);
  if (node != nullptr && !graph.replace_by_copy(*node, target.value())) value->evaluate();
  return true;
}

void write_elements(const Array& target, ValuePtr value, const Queue& queue, std::string_view what,
                    long spare) {
  check_broadcast(value->shape(), target.shape(), what);
  check_writable(target, what);
  if (const std::size_t rank = target.shape().size(); value->shape().size() > rank) {
    // Drops leading axes of length 1.
    const Array given{std::move(value)};
    value =
        reshape(given, Shape(given.shape().end() - static_cast<std::ptrdiff_t>(rank), given.shape().end()),
                &queue)
            .value();
    spare = 0;  // the caller's handles are of the array, not of this view
  }
  // `x[1:] += 1` ends with x[1:] = x[1:].
  if (value->in_memory() && is_same(*value, *target.value(), value->memory(), target.value()->memory()))
    return;
  if (array::copy_now(target, Array(value))) return;
  if (array::is_written_at_once(target, *value) &&
      write_expression(target, value, spare, [&] { return array::write_at_once(target, value); }))
    return;
  if (!array::is_number(target.dtype()) || !array::is_number(value->dtype())) {
    write_raw_elements(target, array::converted(Array(value), target.dtype(), queue, what), queue);
    return;
  }
  if (value->dtype() != target.dtype()) spare = 0;
  value = array::cast_node(queue, value, target.dtype());
  if (const Node* const node = array::pending_node(*value);
      node != nullptr && node->has_index() && value->shape() != target.shape())
    value->evaluate();
  bool must_copy = false;
  {
    const std::lock_guard lock(array::Graph::instance().mutex);
    must_copy = reads_elsewhere(*value, *target.value(), target.value()->memory());
  }
  // A view of an array that is in memory by now has no memory of its own.
  if (must_copy && value->evaluate().buffer.allocation() == target.buffer().allocation())
    value = copy(Array(value), &queue).value();
  if (target.size() == 0) return;
  write_expression(target, value, must_copy ? 0 : spare, [&] {
    array::evaluate_into(target, value, queue);
    return true;
  });
}

void write(const Array& target, ValuePtr value, const Queue& queue, std::string_view what, long spare = 0) {
  write_elements(target, std::move(value), queue, what, spare);
  array::wait_for_shared(*target.value(), queue);
}

}  // namespace

void assign(const Array& target, const Operand& value, const Queue* queue, long spare) {
  const std::array<Operand, 2> all = {target, value};
  target.evaluate();
  const Queue user = array::queue_of({all.data(), 1}, queue);
  array::check_place(all, user, "assignment");
  if (value.array() == nullptr) {
    if (!array::is_number(target.dtype()))
      throw ArgumentError(ArgumentError::Kind::type,
                          "assignment: cannot convert a number to " + target.dtype().name());
    write(target, array::number_node(user, value.number(), target.dtype(), {}), user, "assignment");
  } else {
    write(target, value.array()->value(), user, "assignment", spare);
  }
}

void update(Array& target, const codegen::Op& operation, const Operand& value, const Queue* queue,
            long handles) {
  const std::string_view name = operation.name;
  const std::array<Operand, 2> operands = {target, value};
  const Queue user = array::queue_of(operands, queue);
  const std::shared_ptr<Node> node = array::apply_node(operation, operands, user);
  if (node->shape() != target.shape()) {
    throw ArgumentError(ArgumentError::Kind::value, std::string(name) + " in place: the result has shape " +
                                                        shape_text(node->shape()) + ", the array " +
                                                        shape_text(target.shape()));
  }
  if (!array::is_same_kind(node->dtype(), target.dtype())) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(name) + " in place: cannot cast the result from " + node->dtype().name() +
                            " to " + target.dtype().name() + " with the casting rule 'same_kind'");
  }
  // A view is written in memory, because its base must see the change.
  const Node* const expression = array::pending_node(*target.value());
  if (expression != nullptr && expression->kind() != Node::Kind::view &&
      !array::is_held_elsewhere(target.value(), handles + 1)) {
    // Only the new node holds the old expression, so the array becomes the new node.
    if (node->dtype() == target.dtype()) {
      target = array::lazy(node);
    } else {
      target = array::lazy(std::make_shared<Node>(Node::Kind::cast, nullptr, user, target.dtype(),
                                                  node->shape(), array::Inputs{node}));
    }
    return;
  }
  target.evaluate();
  node->prepare();
  write(target, node, user, name);
}

Array copy(const Array& array, const Queue* queue) {
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  const Array result = empty(user, array.shape(), array.dtype());
  if (array.size() == 0) return result;
  if (array.evaluate().contiguous) {
    user.copy(array.elements(), result.elements());
  } else {
    algorithms::copy_elements(user, array, result);
  }
  return result;
}

Array as_contiguous(const Array& array, const Queue* queue) {
  return array.evaluate().contiguous ? array : copy(array, queue);
}

}  // namespace quern
