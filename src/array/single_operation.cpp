// SPDX-License-Identifier: MIT
// Launches one operation on contiguous arrays.
#include "array/single_operation.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/elementwise_program.hpp"
#include "array/build.hpp"
#include "array/described.hpp"
#include "array/evaluate.hpp"
#include "array/graph.hpp"
#include "codegen/loop.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::array {
namespace {

constexpr std::size_t kMostInputs = 2;
constexpr std::size_t kTypes = static_cast<std::size_t>(Scalar::unknown) + 1, kForms = 1U << kMostInputs;

using Program = std::shared_ptr<const algorithms::ElementwiseProgram>;

// The program of an operation, by the type of its inputs and by which of them are numbers. There are few, and
// they are never destroyed, so finding one needs no lock.
std::atomic<const Program*>& known_program(const codegen::Op& op, Scalar type, std::size_t form) {
  static auto* const known =
      new std::vector<std::atomic<const Program*>>(codegen::ops().size() * kTypes * kForms);
  const auto number = static_cast<std::size_t>(&op - codegen::ops().data());
  return (*known)[(number * kTypes + static_cast<std::size_t>(type)) * kForms + form];
}

bool is_number(const detail::ArrayValue& value) {
  const Node* const node = pending_node(value);
  return node != nullptr && node->kind() == Node::Kind::number;
}

}  // namespace

bool SingleOperation::may_be(const Node& node) {
  if (node.kind() != Node::Kind::apply || node.size() <= 1) return false;
  // On a device without double precision, integers become another floating-point type.
  const DeviceProperties& device = node.queue().state()->properties();
  return device.has_fp64 && codegen::loop_style(device) == codegen::LoopStyle::grid;
}

std::optional<SingleOperation> SingleOperation::of(const Node& node) {
  const std::span<const ValuePtr> inputs = node.inputs();
  if (inputs.size() > kMostInputs) return {};
  if (inputs.size() == 2 && inputs[0] == inputs[1]) return {};  // an expression reads it once
  std::size_t form = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const detail::ArrayValue& input = *inputs[k];
    if (input.in_memory()) {
      if (!input.memory().contiguous || !(input.shape() == node.shape())) return {};
    } else if (is_number(input)) {
      form |= std::size_t{1} << k;
    } else {
      return {};
    }
  }
  const Scalar type = inputs[node.op()->integer_operand == 0 ? 1 : 0]->dtype().scalar;
  std::atomic<const Program*>& known = known_program(*node.op(), type, form);
  const Program* program = known.load(std::memory_order_acquire);
  if (program == nullptr) {
    FusedExpression fused(default_float(node.queue()));
    fused.add_output(std::const_pointer_cast<Node>(node.shared_from_this()));
    program = new Program(program_of(fused));
    known.store(program, std::memory_order_release);
  }
  return SingleOperation(node, **program, form);
}

bool SingleOperation::run(ArrayMemory& result) const {
  try {
    return launch(result);
  } catch (const Error&) {
    FusedExpression fused(default_float(node_->queue()));
    {
      const std::lock_guard lock(Graph::instance().mutex);
      fused.add_output(std::const_pointer_cast<Node>(node_->shared_from_this()));
    }
    std::rethrow_exception(described(std::current_exception(), fused.operations(), node_->shape(), kArray));
  }
}

bool SingleOperation::launch(ArrayMemory& result) const {
  const Queue& queue = node_->queue();
  const Shape& shape = node_->shape();  // that of all arrays
  const std::size_t itemsize = node_->dtype().itemsize;
  result.buffer = Buffer(queue, node_->size() * itemsize);
  result.strides = contiguous_strides(shape, itemsize);
  const std::span<const ValuePtr> inputs = node_->inputs();
  std::array<algorithms::ElementwiseProgram::ContiguousArgument, kMostInputs + 1> arguments;
  std::array<std::optional<KernelArgument>, kMostInputs> numbers;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const detail::ArrayValue& input = *inputs[k];
    if ((form_ >> k & 1U) == 0) {
      arguments[k] = {&input.memory(), &shape, &input.dtype(), nullptr};
    } else {
      const NumberBytes& number = static_cast<const Node&>(input).number();
      arguments[k].number = &numbers[k].emplace(std::span(number.data(), input.dtype().itemsize));
    }
  }
  arguments[inputs.size()] = {&result, &shape, &node_->dtype(), nullptr};
  std::optional<detail::SubmissionLabel> label;
  if (detail::submission_observer.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    label.emplace(std::string(node_->op()->name));
  return program_->start_contiguous(queue, std::span(arguments).first(inputs.size() + 1));
}

}  // namespace quern::array
