// SPDX-License-Identifier: MIT
// Computes small expressions and sums on the calling thread.
#include "array/at_once.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "algorithms/host/block_evaluator.hpp"
#include "algorithms/host/direct_loops.hpp"
#include "algorithms/host/host_loop_table.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/matmul_here.hpp"
#include "array/graph.hpp"
#include "array/memory_runs.hpp"
#include "array/product.hpp"
#include "base/dtype_kinds.hpp"
#include "base/process.hpp"
#include "codegen/bfloat16.hpp"
#include "codegen/ops.hpp"
#include "runtime/allocation.hpp"
#include "runtime/launch.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::array {
namespace {

// The limits of work that is done while no operation can be enqueued: about a microsecond of arithmetic.
constexpr std::size_t kMostBytes = 8192, kMostElements = 2048, kMostSteps = 8;

// Memory for the values of an expression, one block each.
class Scratch {
 public:
  // Returns null if no memory is left.
  std::byte* take(std::size_t nbytes) {
    const std::size_t size = (nbytes + 63) / 64 * 64;
    if (size > bytes_.size() - used_) return nullptr;
    std::byte* const block = bytes_.data() + used_;
    used_ += size;
    return block;
  }

 private:
  alignas(64) std::array<std::byte, kMostBytes * kMostSteps> bytes_;
  std::size_t used_ = 0;
};

// Returns the address of a buffer of which the range, in bytes of its allocation, is memory that the calling
// thread, which holds hazard_mutex(), may read now, or null.
const std::byte* readable(const Buffer& buffer, detail::ByteRange range) {
  if (buffer.released() || buffer.access() == Access::write_only) return nullptr;
  detail::UseRecord& uses = buffer.allocation()->uses();
  // Work that reads memory shared with other libraries waits for it elsewhere.
  if (uses.deferred_errors().any() || uses.laziness().shares.load() != 0 || !uses.is_idle(range, false))
    return nullptr;
  return static_cast<const std::byte*>(buffer.host_pointer());
}

detail::ByteRange range_of(const Buffer& buffer) {
  return {buffer.offset(), buffer.offset() + buffer.size()};
}

// Computes expressions of one shape. The caller holds hazard_mutex(), so that idle memory stays idle.
class SmallExpression {
 public:
  SmallExpression(const Shape& shape, std::size_t count) : shape_(shape), count_(count) {}

  // Returns the elements in C order, in memory or in a block; null if they cannot be computed here. An
  // operation writes its result to `to`, unless that is null.
  const std::byte* elements(const detail::ArrayValue& value, std::byte* to = nullptr) {
    const Node* const node = pending_node(value);
    if (node == nullptr) return in_memory(value);
    switch (node->kind()) {
      case Node::Kind::number:
        return repeated(node->number().data(), value.dtype().itemsize);
      case Node::Kind::cast:
        return converted(elements(*node->inputs()[0]), node->inputs()[0]->dtype(), value.dtype(), to);
      case Node::Kind::where:
        return computed(algorithms::choosing_loop(value.dtype().itemsize), *node, value.dtype(), to);
      case Node::Kind::apply: {
        const std::size_t typed = node->op()->integer_operand == 0 ? 1 : 0;
        const DType& own = node->inputs()[typed]->dtype();
        if (own.scalar != Scalar::bfloat16)
          return computed(algorithms::host_loop(node->op(), own.scalar, value.dtype().scalar), *node,
                          value.dtype(), to);
        const DType result = detail::without_bfloat16(value.dtype());
        const codegen::Op& op = codegen::op_on_singles(*node->op());
        return converted(computed(algorithms::host_loop(&op, Scalar::float32, result.scalar), *node, result,
                                  nullptr, true),
                         result, value.dtype(), to);
      }
      case Node::Kind::product:
        return multiplied(*node, to);
      default:
        return nullptr;
    }
  }

  // The elements in the wanted type, where they are if they have it.
  const std::byte* converted(const std::byte* from, const DType& dtype, const DType& wanted,
                             std::byte* to = nullptr) {
    if (from == nullptr || dtype == wanted) return from;
    if (dtype.scalar == Scalar::bfloat16 || wanted.scalar == Scalar::bfloat16) {
      const DType single = DType::of(Scalar::float32);
      if (dtype != single && wanted != single)
        return converted(converted(from, dtype, single), single, wanted, to);
    }
    quern_kernel_function* const loop = algorithms::host_loop(nullptr, dtype.scalar, wanted.scalar);
    if (loop == nullptr) return nullptr;
    std::byte* const block = to != nullptr ? to : scratch_.take(count_ * wanted.itemsize);
    if (block == nullptr) return nullptr;
    const void* const input = from;
    algorithms::run_loop(loop, {&input, 1}, block, static_cast<std::int64_t>(count_));
    return block;
  }

 private:
  // With `widens`, inputs of bfloat16 are converted to float32.
  const std::byte* computed(quern_kernel_function* loop, const Node& node, const DType& result, std::byte* to,
                            bool widens = false) {
    if (loop == nullptr) return nullptr;
    std::array<const void*, 3> inputs{};
    std::size_t arity = 0;
    for (const ValuePtr& input : node.inputs()) {
      const std::byte* from = elements(*input);
      if (widens) from = converted(from, input->dtype(), detail::without_bfloat16(input->dtype()));
      if ((inputs[arity++] = from) == nullptr) return nullptr;
    }
    std::byte* const block = to != nullptr ? to : scratch_.take(count_ * result.itemsize);
    if (block == nullptr) return nullptr;
    algorithms::run_loop(loop, {inputs.data(), arity}, block, static_cast<std::int64_t>(count_));
    return block;
  }

  const std::byte* multiplied(const Node& node, std::byte* to) {
    const ProductForm& form = *node.product_form();
    const detail::ArrayValue &left = *node.inputs()[0], &right = *node.inputs()[1];
    using Side = algorithms::KeptPart::Side;
    if (node.shape() != shape_ || left.dtype() != node.dtype() || form.a_kept.side != Side::all ||
        form.b_kept.side != Side::all || !algorithms::multiplies_here(form.size, left.dtype().scalar))
      return nullptr;
    auto a = matrix_stack(left.memory(), left.dtype(), left.shape(), false);
    auto b = matrix_stack(right.memory(), right.dtype(), right.shape(), true);
    a.steps = form.a_steps;
    b.steps = form.b_steps;
    const std::byte* const a_elements = readable(a.buffer, range_of(a.buffer));
    const std::byte* const b_elements = readable(b.buffer, range_of(b.buffer));
    if (a_elements == nullptr || b_elements == nullptr) return nullptr;
    std::byte* const block = to != nullptr ? to : scratch_.take(count_ * node.dtype().itemsize);
    if (block != nullptr) algorithms::multiply_here(a, b, form.size, a_elements, b_elements, block);
    return block;
  }

  const std::byte* repeated(const std::byte* element, std::size_t itemsize) {
    std::byte* const block = scratch_.take(count_ * itemsize);
    if (block == nullptr) return nullptr;
    algorithms::copy_elements(itemsize, block, static_cast<std::int64_t>(itemsize), element, 0, count_);
    return block;
  }

  const std::byte* in_memory(const detail::ArrayValue& value) {
    const ArrayMemory& memory = value.memory();
    const std::size_t itemsize = value.dtype().itemsize;
    if (value.size() == 0) return nullptr;
    const std::byte* const base = readable(memory.buffer, reach_of(memory, value.shape(), itemsize));
    if (base == nullptr) return nullptr;
    const std::byte* const first = base + memory.offset;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(first) % value.dtype().alignment() == 0;
    if (memory.contiguous && is_aligned && value.shape() == shape_) return first;
    if (value.size() == 1) return repeated(first, itemsize);
    std::byte* const block = scratch_.take(count_ * itemsize);
    if (block == nullptr) return nullptr;
    const Strides strides = broadcast_strides(value.shape(), memory.strides);
    std::byte* at = block;
    for_each_run(shape_, strides, itemsize, [&](std::int64_t offset, std::size_t nbytes) {
      std::memcpy(at, first + offset, nbytes);
      at += nbytes;
    });
    return block;
  }

  [[nodiscard]] Strides broadcast_strides(const Shape& shape, const Strides& strides) const {
    Strides result(shape_.size(), 0);
    const std::size_t more = shape_.size() - shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d)
      result[more + d] = shape[d] == 1 && shape_[more + d] != 1 ? 0 : strides[d];
    return result;
  }

  const Shape& shape_;
  std::size_t count_;
  Scratch scratch_;
};

// Returns whether the calling thread, which holds hazard_mutex(), may write to the memory now.
bool is_writable(const ArrayMemory& memory, const Shape& shape, std::size_t itemsize) {
  detail::UseRecord& uses = memory.buffer.allocation()->uses();
  return memory.buffer.host_pointer() != nullptr && memory.buffer.access() != Access::read_only &&
         !uses.deferred_errors().any() && uses.laziness().shares.load() == 0 &&
         uses.is_idle(reach_of(memory, shape, itemsize), true);
}

}  // namespace

bool is_small_work(const Queue& queue, std::size_t elements, const DType& dtype) {
  if (elements == 0 || elements > kMostElements || elements * dtype.itemsize > kMostBytes) return false;
  const detail::QueueState& state = *queue.state();
  return !state.profiling() && !state.recording() && algorithms::policy(queue).computes_small_work_at_once;
}

bool compute_at_once(const Node& node, const ArrayMemory& result) {
  if (node.weight() > kMostSteps || node.has_index()) return false;
  SmallExpression expression(node.shape(), node.size());
  const std::lock_guard lock(detail::hazard_mutex());
  const std::size_t itemsize = node.dtype().itemsize;
  if (!is_writable(result, node.shape(), itemsize)) return false;
  auto* const target = static_cast<std::byte*>(result.buffer.host_pointer());
  const std::byte* const elements = expression.elements(node, target);
  if (elements == nullptr) return false;
  if (elements != target) std::memcpy(target, elements, node.size() * itemsize);
  detail::count_at_once();
  return true;
}

bool is_written_at_once(const Array& target, const detail::ArrayValue& value) {
  const Node* const node = pending_node(value);
  return node != nullptr && node->weight() <= kMostSteps && !node->has_index() && target.in_memory() &&
         value.dtype() == target.dtype() && value.shape() == target.shape() &&
         is_small_work(node->queue(), value.size(), value.dtype());
}

bool write_at_once(const Array& target, const ValuePtr& value) {
  process::check_not_forked();
  const ArrayMemory& memory = target.value()->memory();
  if (memory.buffer.released()) return false;
  detail::UseRecord& uses = memory.buffer.allocation()->uses();
  if (uses.laziness().is_read.load()) detail::pending_work.load()->before_write(uses);
  SmallExpression expression(value->shape(), value->size());
  const std::scoped_lock lock(Graph::instance().mutex, detail::hazard_mutex());
  if (value->in_memory() || !is_writable(memory, target.shape(), target.dtype().itemsize)) return false;
  const std::byte* elements = expression.elements(*value);
  if (elements == nullptr) return false;
  std::byte* const first = static_cast<std::byte*>(memory.buffer.host_pointer()) + memory.offset;
  for_each_run(target.shape(), memory.strides, target.dtype().itemsize,
               [&](std::int64_t offset, std::size_t nbytes) {
                 std::memcpy(first + offset, elements, nbytes);
                 elements += nbytes;
               });
  detail::count_at_once();
  return true;
}

bool multiply_at_once(const algorithms::MatrixStack& a, const algorithms::MatrixStack& b,
                      const algorithms::MatmulSize& size, const Queue& queue, const Array& out) {
  const detail::QueueState& state = *queue.state();
  if (state.profiling() || state.recording() || !algorithms::policy(queue).computes_small_work_at_once ||
      !algorithms::multiplies_here(size, a.scalar))
    return false;
  process::check_not_forked();
  const ArrayMemory& result = out.value()->memory();
  const std::lock_guard lock(detail::hazard_mutex());
  const std::byte* const a_elements = readable(a.buffer, range_of(a.buffer));
  const std::byte* const b_elements = readable(b.buffer, range_of(b.buffer));
  if (a_elements == nullptr || b_elements == nullptr ||
      !is_writable(result, out.shape(), out.dtype().itemsize))
    return false;
  algorithms::multiply_here(a, b, size, a_elements, b_elements,
                            static_cast<std::byte*>(result.buffer.host_pointer()) + result.offset);
  detail::count_at_once();
  return true;
}

std::optional<Array> dot_at_once(const Array& a, const Array& b, const Queue& queue) {
  const detail::QueueState& state = *queue.state();
  if (state.profiling() || state.recording() || !a.in_memory() || !b.in_memory() || a.size() == 0) return {};
  algorithms::MatmulSize size;
  size.depth = static_cast<std::int64_t>(a.size());
  const DType dtype = a.dtype();
  if (!algorithms::multiplies_here(size, dtype.scalar) ||
      !algorithms::policy(queue).computes_small_work_at_once)
    return {};
  process::check_not_forked();
  const auto stack_of = [&](const Array& vector) {
    const auto item = static_cast<std::int64_t>(dtype.itemsize);
    algorithms::MatrixStack stack;
    stack.scalar = dtype.scalar;
    stack.depth_step = vector.strides()[0] / item;
    return stack;
  };
  const ArrayMemory &left = a.value()->memory(), &right = b.value()->memory();
  const auto is_even = [&](const ArrayMemory& memory) {
    return memory.strides[0] % static_cast<std::int64_t>(dtype.itemsize) == 0;
  };
  if (!is_even(left) || !is_even(right)) return {};
  NumberBytes bytes{};
  {
    const std::lock_guard lock(detail::hazard_mutex());
    const std::byte* const a_elements = readable(left.buffer, reach_of(left, a.shape(), dtype.itemsize));
    const std::byte* const b_elements = readable(right.buffer, reach_of(right, b.shape(), dtype.itemsize));
    if (a_elements == nullptr || b_elements == nullptr) return {};
    algorithms::multiply_here(stack_of(a), stack_of(b), size, a_elements + left.offset,
                              b_elements + right.offset, bytes.data());
  }
  detail::count_at_once();
  return Array(std::make_shared<Node>(queue, dtype, bytes, Shape{}));
}

bool call_at_once(const Queue& queue, std::span<const Array* const> reads,
                  std::span<const Array* const> writes, const std::function<void()>& compute) {
  const detail::QueueState& state = *queue.state();
  if (state.profiling() || state.recording() || !algorithms::policy(queue).computes_small_work_at_once)
    return false;
  const auto is_empty = [](const Array* array) { return array->size() == 0; };
  if (std::any_of(reads.begin(), reads.end(), is_empty) ||
      std::any_of(writes.begin(), writes.end(), is_empty))
    return false;
  process::check_not_forked();
  for (const Array* const array : writes) {
    detail::UseRecord& uses = array->value()->memory().buffer.allocation()->uses();
    if (uses.laziness().is_read.load()) detail::pending_work.load()->before_write(uses);
  }
  const std::lock_guard lock(detail::hazard_mutex());
  for (const Array* const array : reads) {
    const ArrayMemory& memory = array->value()->memory();
    if (readable(memory.buffer, reach_of(memory, array->shape(), array->dtype().itemsize)) == nullptr)
      return false;
  }
  for (const Array* const array : writes) {
    if (!is_writable(array->value()->memory(), array->shape(), array->dtype().itemsize)) return false;
  }
  compute();
  detail::count_at_once();
  return true;
}

std::optional<Array> reduce_at_once(const Array& array, const SmallReduction& reduction, const Shape& shape,
                                    const Queue& queue) {
  if (!is_small_work(queue, array.size(), reduction.item)) return {};
  const Node* const node = pending_node(*array.value());
  if (node != nullptr && (node->weight() > kMostSteps || node->has_index())) return {};
  process::check_not_forked();
  const algorithms::RowReducer reducer(*reduction.op, reduction.item, reduction.neutral);
  if (!reducer.is_complete()) return {};
  NumberBytes bytes;
  {
    SmallExpression expression(array.shape(), array.size());
    const std::scoped_lock lock(Graph::instance().mutex, detail::hazard_mutex());
    const std::byte* const elements =
        expression.converted(expression.elements(*array.value()), array.dtype(), reduction.item);
    if (elements == nullptr) return {};
    bytes = reducer.reduce(elements, static_cast<std::int64_t>(array.size()));
  }
  if (reduction.divisor) {
    if (reduction.item.scalar != Scalar::float64) return {};
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    value /= *reduction.divisor;
    std::memcpy(bytes.data(), &value, sizeof value);
  }
  if (reduction.item != reduction.result) {
    quern_kernel_function* const loop =
        algorithms::host_loop(nullptr, reduction.item.scalar, reduction.result.scalar);
    if (loop == nullptr) return {};
    NumberBytes stored{};
    const void* const input = bytes.data();
    algorithms::run_loop(loop, {&input, 1}, stored.data(), 1);
    bytes = stored;
  }
  detail::count_at_once();
  return Array(std::make_shared<Node>(queue, reduction.result, bytes, shape));
}

}  // namespace quern::array
