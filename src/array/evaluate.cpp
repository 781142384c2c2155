// SPDX-License-Identifier: MIT
// Expressions become kernels: nodes of one shape are computed by one launch.
#include "array/evaluate.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "algorithms/elementwise_program.hpp"
#include "codegen/ops.hpp"

namespace quern::array {
namespace {

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The kernels of all expressions that were ever evaluated.
class Programs {
 public:
  static Programs& instance() {
    static auto* const programs = new Programs;
    return *programs;
  }
  std::shared_ptr<const algorithms::ElementwiseProgram> get(const Flat& flat, const DType& default_float) {
    const std::string key = flat.key();
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const algorithms::ElementwiseProgram>& program = known_[key];
    if (!program) {
      program = std::make_shared<algorithms::ElementwiseProgram>(
          flat.expression(default_float).elementwise("expression"), std::vector<std::string>());
    }
    return program;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const algorithms::ElementwiseProgram>> known_;
};

// Elements as a kernel takes them.
Array stored(const Array& array) {
  const DType dtype = codegen::storage_of(array.dtype());
  if (dtype == array.dtype()) return array;
  return Array(array.buffer(), dtype, array.shape(), array.strides(), array.offset());
}

Event launch(const Flat& flat, const Queue& queue, std::span<const Array> outputs) {
  const Device device = queue.device();
  const DType default_float = DType::of(device.properties().has_fp64 ? Scalar::float64 : Scalar::float32);
  const auto program = Programs::instance().get(flat, default_float);
  std::vector<KernelArgument> arguments;
  arguments.reserve(program->source().operands.size());
  flat.add_arguments(arguments);
  const std::vector<Array> places = [&] {
    std::vector<Array> result;
    for (const Array& output : outputs) result.push_back(stored(output));
    return result;
  }();
  for (const Array& place : places) arguments.emplace_back(place);
  return program->launch(queue, arguments, {}, {});
}

}  // namespace

std::uint32_t Flat::add(const ValuePtr& value) {
  for (const Seen& seen : seen_)
    if (seen.value == value.get()) return seen.place;
  Step step{Node::Kind::apply, nullptr, value->dtype(), {}, 0, false};
  if (const Node* const node = pending_node(*value)) {
    step.kind = node->kind();
    step.op = node->op();
    for (const ValuePtr& input : node->inputs()) step.inputs[step.arity++] = add(input);
    if (step.kind == Node::Kind::number) {
      step.inputs[0] = static_cast<std::uint32_t>(numbers_.size());
      numbers_.push_back(node->number());
    }
  } else {
    step.is_leaf = true;
    step.inputs[0] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(stored(Array(value)));
  }
  steps_.push_back(std::move(step));
  const auto place = static_cast<std::uint32_t>(steps_.size() - 1);
  seen_.push_back({value.get(), place});
  return place;
}

std::string Flat::key() const {
  std::string key;
  key.reserve(steps_.size() * 24);
  for (const Step& step : steps_) {
    append(key, step.kind);
    append(key, step.is_leaf);
    append(key, step.op);
    append(key, step.dtype.scalar);
    for (std::uint8_t k = 0; k < step.arity; ++k) append(key, step.inputs[k]);
  }
  for (const std::uint32_t output : outputs_) append(key, output);
  return key;
}

codegen::Expression Flat::expression(const DType& default_float) const {
  codegen::Expression result(default_float);
  std::vector<codegen::Expression::Ref> places;
  for (const Step& step : steps_) {
    const auto input = [&](std::size_t k) { return places[step.inputs[k]]; };
    if (step.is_leaf) {
      places.push_back(result.operand(step.dtype));
      continue;
    }
    switch (step.kind) {
      case Node::Kind::number:
        places.push_back(result.scalar(step.dtype));
        break;
      case Node::Kind::index:
        places.push_back(result.cast(result.index(), step.dtype));
        break;
      case Node::Kind::cast:
        places.push_back(result.cast(input(0), step.dtype));
        break;
      case Node::Kind::where:
        places.push_back(result.where(input(0), input(1), input(2)));
        break;
      case Node::Kind::apply: {
        std::array<codegen::Expression::Ref, 3> inputs{};
        for (std::uint8_t k = 0; k < step.arity; ++k) inputs[k] = input(k);
        places.push_back(result.apply(step.op->name, std::span(inputs.data(), step.arity)));
        break;
      }
    }
  }
  for (const std::uint32_t output : outputs_) result.output(places[output]);
  return result;
}

void Flat::add_arguments(std::vector<KernelArgument>& arguments) const {
  for (const Step& step : steps_) {
    if (step.is_leaf) {
      arguments.emplace_back(leaves_[step.inputs[0]]);
    } else if (step.kind == Node::Kind::number) {
      arguments.emplace_back(std::span(numbers_[step.inputs[0]].data(), step.dtype.itemsize));
    }
  }
}

Evaluation::Evaluation(std::span<const std::shared_ptr<Node>> nodes)
    : queue_(nodes.front()->queue()), shape_(nodes.front()->shape()) {
  for (const std::shared_ptr<Node>& node : nodes) {
    flat_.set_output(flat_.add(node));
    dtypes_.push_back(node->dtype());
  }
}

std::vector<detail::ArrayValue::Memory> Evaluation::run() {
  std::vector<Array> outputs;
  for (const DType& dtype : dtypes_) outputs.push_back(empty(queue_, shape_, dtype));
  launch(flat_, queue_, outputs);
  std::vector<detail::ArrayValue::Memory> result;
  for (const Array& output : outputs) result.push_back(output.value()->memory());
  return result;
}

Event evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue) {
  Flat flat;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    flat.set_output(flat.add(value));
  }
  return launch(flat, queue, {&target, 1});
}

}  // namespace quern::array
