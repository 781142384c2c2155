// SPDX-License-Identifier: MIT
// Arithmetic on arrays: each operation makes a node. Its operands are checked when it is recorded.
#include "quern/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/graph.hpp"
#include "array/scheduler.hpp"
#include "array/types.hpp"
#include "codegen/index_space.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern {
namespace array {
namespace {

Shape broadcast(std::span<const Operand> operands, std::string_view what) {
  std::vector<codegen::View> views;
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) views.push_back({operand.array()->shape(), {}});
  return codegen::broadcast_shapes(views, std::string(what));
}

// The shape of a result: that of the arrays if they have the same shape, which is the usual case and copies
// nothing, or the shape that they broadcast to.
class ResultShape {
 public:
  ResultShape(std::span<const Operand> operands, std::string_view what) {
    for (const Operand& operand : operands) {
      if (operand.array() == nullptr) continue;
      const Shape& own = operand.array()->shape();
      if (shape_ != &mixed_ && !(own == *shape_)) {
        mixed_ = broadcast(operands, what);
        shape_ = &mixed_;
        return;
      }
      shape_ = &own;
    }
  }
  ResultShape(const ResultShape&) = delete;
  ResultShape& operator=(const ResultShape&) = delete;
  operator const Shape&() const noexcept { return *shape_; }

 private:
  Shape mixed_;
  const Shape* shape_ = &mixed_;
};

// Returns the result of a comparison with a number that the elements' type cannot hold. It is the same for
// all elements.
std::optional<bool> known_result(const codegen::Op& op, std::span<const Operand> operands,
                                 const DType& common) {
  if (op.result != codegen::Result::boolean || op.arity != 2) return {};
  for (std::size_t k = 0; k < 2; ++k) {
    if (operands[k].array() != nullptr || fits(operands[k].number(), common)) continue;
    if (op.name == "equal") return false;
    if (op.name == "not_equal") return true;
    const bool first_is_less = operands[k].number().is_negative() == (k == 0);
    if (op.name == "less" || op.name == "less_equal") return first_is_less;
    if (op.name == "greater" || op.name == "greater_equal") return !first_is_less;
  }
  return {};
}

// Returns a cheaper operation with the same result as the power, as NumPy does.
const codegen::Op* cheaper_power(std::span<const Operand> operands) {
  if (operands[0].array() == nullptr || operands[1].array() != nullptr) return nullptr;
  const Number& number = operands[1].number();
  const codegen::Kinds kind = codegen::kind_of(operands[0].array()->dtype());
  if (kind == codegen::Kinds::boolean || number.kind() == Number::Kind::complex) return nullptr;
  const bool is_inexact = codegen::includes(codegen::Kinds::inexact, kind);
  const double power = number.value().real();
  if (!is_inexact && number.is_negative())
    throw ArgumentError(ArgumentError::Kind::value, "integers to negative integer powers are not allowed");
  if (power == 2.0 && (is_inexact || number.kind() == Number::Kind::integer))
    return codegen::find_op("square");
  if (!is_inexact) return nullptr;
  return codegen::find_op(power == 0.5    ? "sqrt"
                          : power == -1.0 ? "reciprocal"
                          : power == 1.0  ? "positive"
                                          : "");
}

bool is_comparison(const codegen::Op& op) {
  constexpr std::string_view kNames[] = {"equal",      "not_equal", "less",
                                         "less_equal", "greater",   "greater_equal"};
  return std::find(std::begin(kNames), std::end(kNames), op.name) != std::end(kNames);
}

// Returns whether an operation compares signed and unsigned integers for which no integer type holds both.
bool compares_across(const codegen::Op& op, std::span<const Operand> operands) {
  if (operands.size() != 2 || operands[0].array() == nullptr || operands[1].array() == nullptr) return false;
  const DType &a = operands[0].array()->dtype(), &b = operands[1].array()->dtype();
  if ((a.scalar == Scalar::uint64) == (b.scalar == Scalar::uint64)) return false;
  return is_comparison(op) && codegen::kind_of(a) == codegen::Kinds::integer &&
         codegen::kind_of(b) == codegen::Kinds::integer &&
         codegen::kind_of(codegen::promoted(a, b)) == codegen::Kinds::floating;
}

std::shared_ptr<Node> compare_across(std::string_view name, const Array& a, const Array& b,
                                     const Queue& queue) {
  if (a.dtype().scalar == Scalar::uint64) {
    const std::string_view turned = name == "less"            ? "greater"
                                    : name == "less_equal"    ? "greater_equal"
                                    : name == "greater"       ? "less"
                                    : name == "greater_equal" ? "less_equal"
                                                              : name;
    return compare_across(turned, b, a, queue);
  }
  // A negative number is less than any unsigned number.
  const bool holds_below = name == "less" || name == "less_equal" || name == "not_equal";
  const Array sign{ValuePtr(apply_node(operation(holds_below ? "less" : "greater_equal"),
                                       std::array<Operand, 2>{a, Number(0)}, queue))};
  const Array bits{cast_node(queue, a.value(), b.dtype())};
  const Array rest{ValuePtr(apply_node(operation(name), std::array<Operand, 2>{bits, b}, queue))};
  return apply_node(operation(holds_below ? "logical_or" : "logical_and"), std::array<Operand, 2>{sign, rest},
                    queue);
}

}  // namespace

Queue queue_of(std::span<const Operand> operands, const Queue* queue) {
  if (queue != nullptr) return *queue;
  const Array* first = nullptr;
  for (const Operand& operand : operands) {
    if (operand.array() == nullptr) continue;
    if (QueueScope::current() != nullptr) return operand.array()->queue();
    if (const Node* const node = pending_node(*operand.array()->value())) return node->queue();
    if (first == nullptr) first = operand.array();
  }
  if (first == nullptr)
    throw ArgumentError(ArgumentError::Kind::value, "at least one operand must be an array");
  return first->queue();
}

Queue queue_of(const Array& array, const Queue* queue) {
  const Operand operand = array;
  return queue_of({&operand, 1}, queue);
}

DType default_float(const Queue& queue) {
  return DType::of(queue.state()->properties().has_fp64 ? Scalar::float64 : Scalar::float32);
}

ValuePtr number_node(const Queue& queue, const Number& number, const DType& dtype, const Shape& shape) {
  return std::make_shared<Node>(queue, dtype, bytes_of(number, dtype), shape);
}

ValuePtr cast_node(const Queue& queue, const ValuePtr& value, const DType& dtype) {
  if (value->dtype() == dtype) return value;
  return std::make_shared<Node>(Node::Kind::cast, nullptr, queue, dtype, value->shape(), Inputs{value});
}

ValuePtr as_input(const Queue& queue, const Operand& operand, const DType& dtype) {
  if (operand.array() == nullptr) return number_node(queue, operand.number(), dtype, {});
  return cast_node(queue, operand.array()->value(), dtype);
}

void check_place(std::span<const Operand> operands, const Queue& queue, std::string_view what) {
  for (const Operand& operand : operands) {
    if (operand.array() == nullptr) continue;
    const detail::ArrayValue::Place place = operand.array()->value()->place();
    const detail::QueueState& state = *queue.state();
    if (place.context == state.context() && place.device == state.device()) continue;
    if (place.context->devices()[place.device] == state.device_handle()) continue;
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(what) + ": an operand is on " + operand.array()->device().spec() +
                            ", but the queue is on " + queue.device().spec() + "; copy it there first");
  }
}

std::shared_ptr<Node> apply_node(const codegen::Op& op, std::span<const Operand> operands, Queue queue) {
  if (operands.size() != op.arity) {
    throw ArgumentError(ArgumentError::Kind::type, std::string(op.name) + " takes " +
                                                       std::to_string(op.arity) + " operands, got " +
                                                       std::to_string(operands.size()));
  }
  static const codegen::Op* const power = codegen::find_op("power");
  static const codegen::Op* const float_power = codegen::find_op("float_power");
  if (&op == power || (&op == float_power && operands[0].array() != nullptr &&
                       operands[0].array()->dtype().scalar == Scalar::float64)) {
    if (const codegen::Op* const other = cheaper_power(operands))
      return apply_node(*other, operands.first(1), std::move(queue));
  }
  check_place(operands, queue, op.name);
  if (are_of_one_type(op, operands)) {
    Inputs inputs;
    for (const Operand& operand : operands) inputs.push_back(operand.array()->value());
    return std::make_shared<Node>(Node::Kind::apply, &op, std::move(queue),
                                  codegen::result_of(op, inputs[0]->dtype()), ResultShape(operands, op.name),
                                  std::move(inputs));
  }
  if (compares_across(op, operands))
    return compare_across(op.name, *operands[0].array(), *operands[1].array(), queue);
  const OpTypes types = types_of(op, operands, default_float(queue));
  const ResultShape shape(operands, op.name);
  if (const auto known = known_result(*types.op, operands, types.operands)) {
    const DType boolean = DType::of(Scalar::boolean);
    return std::make_shared<Node>(std::move(queue), boolean, bytes_of(Number(*known), boolean), shape);
  }
  Inputs inputs;
  for (const Operand& operand : operands) {
    const bool is_integer = &operand - operands.data() == types.op->integer_operand;
    inputs.push_back(as_input(queue, operand, is_integer ? DType::of(Scalar::int64) : types.operands));
  }
  return std::make_shared<Node>(Node::Kind::apply, types.op, std::move(queue), types.result, shape,
                                std::move(inputs));
}

bool try_schedule(Node& node) {
  return !node.needs_inputs() && Scheduler::instance().add(node);
}

std::shared_ptr<Node> where_node(const Operand& condition, const Operand& yes, const Operand& no,
                                 const DType& dtype, const Queue& queue) {
  const std::array<Operand, 3> all = {condition, yes, no};
  Inputs inputs = {as_input(queue, condition, DType::of(Scalar::boolean)), as_input(queue, yes, dtype),
                   as_input(queue, no, dtype)};
  return std::make_shared<Node>(Node::Kind::where, nullptr, queue, dtype, ResultShape(all, "where"),
                                std::move(inputs));
}

Array lazy(std::shared_ptr<Node> node) {
  Array result{ValuePtr(std::move(node))};
  schedule(result);
  return result;
}

}  // namespace array

using array::Node;
using array::ValuePtr;

const codegen::Op& operation(std::string_view name) {
  const codegen::Op* const op = codegen::find_op(name);
  if (op == nullptr)
    throw ArgumentError(ArgumentError::Kind::value, "unknown operation '" + std::string(name) + "'");
  return *op;
}

Array apply(const codegen::Op& operation, std::span<const Operand> operands, const Queue* queue) {
  return array::lazy(array::apply_node(operation, operands, array::queue_of(operands, queue)));
}

Array apply(std::string_view name, std::span<const Operand> operands, const Queue* queue) {
  return apply(operation(name), operands, queue);
}

Written record(const codegen::Op& operation, std::span<const Operand> operands, Queue queue) {
  std::shared_ptr<Node> node = array::apply_node(operation, operands, std::move(queue));
  const bool is_scheduled = array::try_schedule(*node);
  return {Array(ValuePtr(std::move(node))), is_scheduled};
}

void schedule(const Array& array) {
  Node* const node = array::pending_node(*array.value());
  if (node == nullptr) return;
  if (!node->is_in_graph()) {
    node->prepare();
    if (array::Scheduler::instance().add(*node)) return;
  }
  const bool is_shared = array::Graph::instance().reads_shared(*node);
  array.evaluate();  // it reads shared memory, or the thread is eager
  if (is_shared && node->queue().state()->properties().shares_host_memory)
    detail::wait_with_hook([&](Deadline deadline) { return array.buffer().wait_until(deadline); });
}

Array where(const Operand& condition, const Operand& yes, const Operand& no, const Queue* queue) {
  const std::array<Operand, 3> all = {condition, yes, no};
  const Queue user = array::queue_of(all, queue);
  array::check_place(all, user, "where");
  if (condition.array() != nullptr) static_cast<void>(codegen::kind_of(condition.array()->dtype()));
  const DType boolean = DType::of(Scalar::boolean);
  const std::span<const Operand> values(&all[1], 2);
  DType common;
  if (yes.array() == nullptr && no.array() == nullptr) {
    const auto kind = std::max(yes.number().kind(), no.number().kind());
    common = kind == Number::Kind::boolean    ? boolean
             : kind == Number::Kind::integer  ? DType::of(Scalar::int64)
             : kind == Number::Kind::floating ? array::default_float(user)
                                              : DType::of(Scalar::complex128);
  } else {
    common = array::types_of(*codegen::find_op("equal"), values, array::default_float(user)).operands;
  }
  return array::lazy(array::where_node(condition, yes, no, common, user));
}

Array astype(const Array& array, const DType& dtype, const Queue* queue) {
  if (array.dtype() == dtype) return array;
  static_cast<void>(codegen::kind_of(array.dtype()));
  static_cast<void>(codegen::kind_of(dtype));
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  return array::lazy(std::make_shared<Node>(Node::Kind::cast, nullptr, user, dtype, array.shape(),
                                            array::Inputs{array.value()}));
}

Array full(const Queue& queue, Shape shape, const Number& value, DType dtype) {
  static_cast<void>(codegen::kind_of(dtype));
  return array::lazy(std::make_shared<Node>(queue, dtype, array::bytes_of(value, dtype), std::move(shape)));
}

Array arange(const Queue& queue, const Number& start, const Number& step, std::int64_t count, DType dtype) {
  const auto kind = codegen::kind_of(dtype);
  // Integers count in int64 and wrap around; other types count in their own precision, as in NumPy.
  const auto whole = [&](const Number& number) {
    const bool is_pattern = kind == codegen::Kinds::integer && number.kind() == Number::Kind::integer &&
                            dtype.scalar == Scalar::uint64 && !number.is_huge();
    return is_pattern ? Number(static_cast<std::int64_t>(number.integer())) : number;
  };
  const DType wide = kind == codegen::Kinds::integer ? DType::of(Scalar::int64)
                     : detail::is_short_float(dtype) || dtype.scalar == Scalar::float32
                         ? array::default_float(queue)
                         : dtype;
  const auto index =
      std::make_shared<Node>(Node::Kind::index, nullptr, queue, wide, Shape{count}, array::Inputs{});
  const Array counter{ValuePtr(index)};
  const auto scaled =
      array::apply_node(operation("multiply"), std::array<Operand, 2>{counter, whole(step)}, queue);
  const Array steps{ValuePtr(scaled)};
  const auto moved = array::apply_node(operation("add"), std::array<Operand, 2>{steps, whole(start)}, queue);
  if (moved->dtype() == dtype) return array::lazy(moved);
  return array::lazy(std::make_shared<Node>(Node::Kind::cast, nullptr, queue, std::move(dtype), Shape{count},
                                            array::Inputs{moved}));
}

}  // namespace quern
