// SPDX-License-Identifier: MIT
// Expressions become kernels: nodes of one shape are computed by one launch.
#include "array/evaluate.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "algorithms/elementwise_program.hpp"
#include "array/build.hpp"
#include "array/described.hpp"
#include "array/fusion.hpp"
#include "array/graph.hpp"
#include "array/program_table.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

constexpr std::string_view kArray = "an array of shape";

struct Hash {
  std::size_t operator()(const LinearExpression::Key& key) const noexcept {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// The kernels of expressions that were evaluated.
std::shared_ptr<const algorithms::ElementwiseProgram> program_of(const LinearExpression& linear,
                                                                 const DType& default_float) {
  static auto* const programs = new ProgramTable<LinearExpression::Key, algorithms::ElementwiseProgram, Hash>;
  return programs->get(linear.key(default_float), [&] {
    return std::make_shared<algorithms::ElementwiseProgram>(linear.expression(default_float), "expression");
  });
}

// Elements as a kernel takes them.
Array stored(const Array& array) {
  const DType dtype = codegen::storage_of(array.dtype());
  if (dtype == array.dtype()) return array;
  return Array(array.buffer(), dtype, array.shape(), array.strides(), array.offset());
}

Event launch(const LinearExpression& linear, const Queue& queue, std::span<const Array> outputs) {
  const auto program = program_of(linear, default_float(queue));
  InlineVector<KernelArgument, 16> arguments;
  linear.add_arguments(arguments);
  InlineVector<Array, 4> places;
  for (const Array& output : outputs) places.push_back(stored(output));
  for (const Array& place : places) arguments.emplace_back(place);
  return program->launch(queue, arguments, {}, {});
}

}  // namespace

std::uint32_t LinearExpression::add(const ValuePtr& value, std::uint32_t through) {
  for (const Seen& seen : seen_)
    if (seen.value == value.get() && seen.through == through) return seen.place;
  const Node* const node = pending_node(*value);
  if (node != nullptr && node->kind() == Node::Kind::view) {
    // Its base is computed where the view shows it: there is no step for the view itself.
    const std::uint32_t place = add(node->inputs()[0], view_number(node, through));
    seen_.push_back({value.get(), through, place});
    return place;
  }
  Step step{Node::Kind::apply, nullptr, value->dtype(), {}, 0, false, 0};
  if (node != nullptr) {
    step.origin = node->origin();
    step.kind = node->kind();
    step.op = node->op();
    for (const ValuePtr& input : node->inputs()) step.inputs[step.arity++] = add(input, through);
    if (step.kind == Node::Kind::number) {
      step.inputs[0] = static_cast<std::uint32_t>(numbers_.size());
      numbers_.push_back(node->number());
    } else if (step.kind == Node::Kind::random) {
      step.inputs[0] = static_cast<std::uint32_t>(randoms_.size());
      randoms_.push_back(node->random_source());
    }
  } else {
    step.is_leaf = true;
    step.inputs[0] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(stored(leaf(value, through)));
  }
  steps_.push_back(std::move(step));
  const auto place = static_cast<std::uint32_t>(steps_.size() - 1);
  seen_.push_back({value.get(), through, place});
  return place;
}

std::uint32_t LinearExpression::view_number(const Node* node, std::uint32_t outer) {
  for (std::size_t k = 0; k < views_.size(); ++k)
    if (views_[k].node == node && views_[k].outer == outer) return static_cast<std::uint32_t>(k + 1);
  views_.push_back({node, outer});
  return static_cast<std::uint32_t>(views_.size());
}

Array LinearExpression::leaf(const ValuePtr& value, std::uint32_t through) const {
  if (through == 0) return Array(value);
  const detail::ArrayValue::Memory& memory = value->memory();
  Layout layout = layout_of(memory, value->shape());
  for (; through != 0; through = views_[through - 1].outer) {
    const Node& view = *views_[through - 1].node;
    layout = view.transform()(broadcast_layout(layout, view.inputs()[0]->shape()));
  }
  return array_of(memory.buffer, value->dtype(), std::move(layout));
}

std::vector<std::string> LinearExpression::operations() const {
  std::vector<std::string> result;
  const OriginText where = origin_text.load();
  for (const Step& step : steps_) {
    if (step.is_leaf || step.kind == Node::Kind::number) continue;
    std::string text = step.kind == Node::Kind::apply   ? std::string(step.op->name)
                       : step.kind == Node::Kind::cast  ? "astype"
                       : step.kind == Node::Kind::where ? "where"
                       : step.kind == Node::Kind::random
                           ? std::string("random.") + randoms_[step.inputs[0]]->form.name()
                           : "arange";
    text += "(" + step.dtype.name() + ")";
    const std::string line = where != nullptr && step.origin != 0 ? where(step.origin) : std::string();
    if (!line.empty()) text += " at " + line;
    result.push_back(std::move(text));
  }
  return result;
}

LinearExpression::Key LinearExpression::key(const DType& default_float) const {
  Key key;
  key.push_back(static_cast<std::uint64_t>(default_float.scalar) << 32 | outputs_.size());
  for (const std::uint32_t output : outputs_) key.push_back(output);
  for (const Step& step : steps_) {
    const auto op = step.op != nullptr ? static_cast<std::uint64_t>(step.op - codegen::ops().data()) + 1 : 0;
    key.push_back(op << 32 | static_cast<std::uint64_t>(step.dtype.scalar) << 16 |
                  static_cast<std::uint64_t>(step.kind) << 8 | (step.is_leaf ? 1U : 0U));
    if (step.kind == Node::Kind::random && !step.is_leaf)
      key.push_back(randoms_[step.inputs[0]]->form.code());
    if (step.arity > 0)
      key.push_back(static_cast<std::uint64_t>(step.inputs[2]) << 42 |
                    static_cast<std::uint64_t>(step.inputs[1]) << 21 | step.inputs[0]);
  }
  return key;
}

codegen::Expression LinearExpression::expression(const DType& default_float) const {
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
      case Node::Kind::random:
        places.push_back(result.random(randoms_[step.inputs[0]]->form));
        break;
      case Node::Kind::view:  // has no step
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

Evaluation::Evaluation(std::span<const std::shared_ptr<Node>> nodes)
    : queue_(nodes.front()->queue()), shape_(nodes.front()->shape()) {
  for (const std::shared_ptr<Node>& node : nodes) {
    linear_.set_output(linear_.add(node));
    dtypes_.push_back(node->dtype());
  }
  if (nodes.front()->kind() == Node::Kind::random) random_ = nodes.front()->random_source();
}

bool LinearExpression::divides_outputs(std::size_t leaf) const {
  std::vector<bool> reads(steps_.size());
  for (std::size_t place = 0; place < steps_.size(); ++place) {
    const Step& step = steps_[place];
    if (step.is_leaf) reads[place] = step.inputs[0] == leaf;
    for (std::uint8_t k = 0; k < step.arity; ++k) reads[place] = reads[place] || reads[step.inputs[k]];
  }
  return std::any_of(outputs_.begin(), outputs_.end(),
                     [&](std::uint32_t output) { return reads[output] != reads[outputs_.front()]; });
}

bool Evaluation::mixes_deferred_errors() const {
  if (dtypes_.size() < 2 || detail::DeferredError::live.load(std::memory_order_relaxed) == 0) return false;
  for (std::size_t k = 0; k < linear_.leaves().size(); ++k) {
    const Buffer& buffer = linear_.leaves()[k].buffer();
    if (buffer.released()) continue;
    const detail::DeferredErrorList deferred_errors =
        buffer.allocation()->uses().deferred_errors().list(detail::kWhole);
    const bool may_divide =
        std::any_of(deferred_errors.begin(), deferred_errors.end(),
                    [](const auto& deferred_error) { return deferred_error->may_divide_results(); });
    if (may_divide && linear_.divides_outputs(k)) return true;
  }
  return false;
}

bool Evaluation::fits() const {
  bool is_linear = true;
  for (const Array& leaf : linear_.leaves()) is_linear &= leaf.contiguous() && leaf.shape() == shape_;
  // A pointer, and where the elements are not simply one after the other, an offset and strides.
  const std::size_t operand = is_linear ? 8 : 8 * (2 + shape_.size());
  const std::size_t bytes = (linear_.leaves().size() + dtypes_.size()) * operand +
                            linear_.number_count() * sizeof(NumberBytes) +
                            8 * std::max<std::size_t>(shape_.size(), 1);
  return bytes <= queue_.state()->properties().max_argument_bytes;
}

Evaluation::Results Evaluation::run() {
  return describing(linear_, shape_, kArray, [&] {
    InlineVector<Array, 2> outputs;
    for (const DType& dtype : dtypes_) outputs.push_back(empty(queue_, shape_, dtype));
    if (random_) {
      random_->fill(queue_, outputs.front());
    } else {
      launch(linear_, queue_, outputs);
    }
    Results results;
    for (const Array& output : outputs) results.push_back(output.value()->memory());
    return results;
  });
}

namespace {

// Bytes of an array's elements in memory, where one that stands for many counts once.
std::size_t bytes_in_memory(const Array& array) {
  std::size_t count = array.dtype().itemsize;
  for (std::size_t d = 0; d < array.shape().size(); ++d)
    if (array.strides()[d] != 0 || array.shape()[d] == 0) count *= static_cast<std::size_t>(array.shape()[d]);
  return count;
}

}  // namespace

KernelPlan Evaluation::plan() const {
  std::vector<Array> outputs;
  for (const DType& dtype : dtypes_) outputs.push_back(empty(queue_, shape_, dtype));
  std::vector<KernelArgument> arguments;
  linear_.add_arguments(arguments);
  KernelPlan result;
  for (const Array& output : outputs) {
    arguments.emplace_back(output);
    result.bytes_written += output.nbytes();
  }
  for (const Array& leaf : linear_.leaves()) result.bytes_read += bytes_in_memory(leaf);
  result.arrays_read = linear_.leaves().size();
  result.elements = outputs.front().size();
  result.operations = linear_.operations();
  result.source = random_ ? random_->fill_text(queue_)
                          : program_of(linear_, default_float(queue_))->text(queue_, arguments, {});
  return result;
}

Event evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue) {
  place_randoms(value, true);
  LinearExpression linear;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    linear.set_output(linear.add(value));
  }
  // What was there before is gone, where the expression does not read it.
  detail::DeferredErrors& deferred_errors = target.buffer().allocation()->uses().deferred_errors();
  if (deferred_errors.any() && target.contiguous() &&
      std::none_of(linear.leaves().begin(), linear.leaves().end(), [&](const Array& leaf) {
        return leaf.buffer().allocation() == target.buffer().allocation();
      })) {
    const Buffer elements = target.elements();
    deferred_errors.overwritten({elements.offset(), elements.offset() + elements.size()});
  }
  return describing(linear, target.shape(), kArray, [&] { return launch(linear, queue, {&target, 1}); });
}

}  // namespace quern::array
