// SPDX-License-Identifier: MIT
// Launches expressions: nodes of one shape and queue are computed by one kernel.
#include "array/evaluate.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "algorithms/elementwise_program.hpp"
#include "algorithms/launch/program_table.hpp"
#include "array/build.hpp"
#include "array/described.hpp"
#include "array/fusion.hpp"
#include "array/graph.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::array {
namespace {

Event launch(const FusedExpression& fused, const Queue& queue, std::span<const Array> outputs) {
  const auto program = program_of(fused);
  InlineVector<KernelArgument, 16> arguments;
  fused.add_arguments(arguments);
  InlineVector<Array, 4> places;
  for (const Array& output : outputs) places.push_back(stored(output));
  for (const Array& place : places) arguments.emplace_back(place);
  std::optional<detail::SubmissionLabel> label;
  if (detail::submission_observer.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    label.emplace(fused.label());
  return program->launch(queue, arguments, {}, {});
}

}  // namespace

// Programs of the expressions that were evaluated before.
std::shared_ptr<const algorithms::ElementwiseProgram> program_of(const FusedExpression& fused) {
  static auto* const programs =
      new algorithms::ProgramTable<codegen::Expression::Key, algorithms::ElementwiseProgram,
                                   codegen::Expression::KeyHash>;
  return programs->get(fused.expression().key(), [&] {
    return std::make_shared<algorithms::ElementwiseProgram>(fused.expression(), "expression");
  });
}

Evaluation::Evaluation(std::span<const std::shared_ptr<Node>> nodes)
    : fused_(default_float(nodes.front()->queue())),
      queue_(nodes.front()->queue()),
      shape_(nodes.front()->shape()) {
  for (const std::shared_ptr<Node>& node : nodes) dtypes_.push_back(node->dtype());
  if (nodes.size() == 1) product_ = Product::of(*nodes.front());
  if (product_) return;
  lacks_products_ =
      std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return has_pending_product(*node); });
  if (lacks_products_) return;
  for (const std::shared_ptr<Node>& node : nodes) {
    FftPlan plan = fft_plan(*node);
    first_.insert(first_.end(), plan.first.begin(), plan.first.end());
    if (plan.fused) fft_.emplace(std::move(*plan.fused));  // it is alone (for_each_kernel)
  }
  if (fft_ || !first_.empty()) return;
  for (const std::shared_ptr<Node>& node : nodes) fused_.add_output(node);
  if (nodes.front()->kind() == Node::Kind::random) random_ = nodes.front()->random_source();
}

void Evaluation::store_parts(std::span<const std::shared_ptr<Node>> nodes) const {
  if (lacks_products_)
    for (const std::shared_ptr<Node>& node : nodes) place_products(node, false);
  for (const ValuePtr& part : first_) part->evaluate();
}

bool Evaluation::mixes_deferred_errors() const {
  if (dtypes_.size() < 2 || detail::DeferredError::live.load(std::memory_order_relaxed) == 0) return false;
  for (std::size_t k = 0; k < fused_.leaves().size(); ++k) {
    const Buffer& buffer = fused_.leaves()[k].buffer();
    if (buffer.released()) continue;
    const detail::DeferredErrorList errors =
        buffer.allocation()->uses().deferred_errors().list(detail::kWhole);
    const bool may_divide = std::any_of(errors.begin(), errors.end(),
                                        [](const auto& error) { return error->may_divide_results(); });
    if (may_divide && fused_.divides_outputs(k)) return true;
  }
  return false;
}

bool Evaluation::fits() const {
  bool is_linear = true;
  for (const Array& leaf : fused_.leaves()) is_linear &= leaf.contiguous() && leaf.shape() == shape_;
  // Each operand takes a pointer; if the arrays are not all contiguous, also an offset and strides.
  const std::size_t operand = is_linear ? 8 : 8 * (2 + shape_.size());
  const std::size_t bytes = (fused_.leaves().size() + dtypes_.size()) * operand +
                            fused_.number_count() * sizeof(NumberBytes) +
                            8 * std::max<std::size_t>(shape_.size(), 1);
  return bytes <= queue_.state()->properties().max_argument_bytes;
}

Evaluation::Results Evaluation::run() {
  if (fft_) return {fft_->run()};
  const auto computed = [&] {
    InlineVector<Array, 2> outputs;
    for (const DType& dtype : dtypes_) outputs.push_back(empty(queue_, shape_, dtype));
    if (product_) {
      product_->run(queue_, outputs.front());
    } else if (random_) {
      random_->fill(queue_, outputs.front());
    } else {
      launch(fused_, queue_, outputs);
    }
    Results results;
    for (const Array& output : outputs) results.push_back(output.value()->memory());
    return results;
  };
  return product_ ? describing(*product_, shape_, kArray, computed)
                  : describing(fused_, shape_, kArray, computed);
}

std::size_t bytes_in_memory(const Array& array) {
  std::size_t count = array.dtype().itemsize;
  for (std::size_t d = 0; d < array.shape().size(); ++d)
    if (array.strides()[d] != 0 || array.shape()[d] == 0) count *= static_cast<std::size_t>(array.shape()[d]);
  return count;
}

KernelPlan Evaluation::plan() const {
  if (fft_) return fft_->plan();
  if (product_) return product_->plan(shape_, dtypes_.front());
  std::vector<Array> outputs;
  for (const DType& dtype : dtypes_) outputs.push_back(stored(empty(queue_, shape_, dtype)));
  std::vector<KernelArgument> arguments;
  fused_.add_arguments(arguments);
  KernelPlan result;
  for (const Array& output : outputs) {
    arguments.emplace_back(output);
    result.bytes_written += output.nbytes();
  }
  for (const Array& leaf : fused_.leaves()) result.bytes_read += bytes_in_memory(leaf);
  result.arrays_read = fused_.leaves().size();
  result.elements = outputs.front().size();
  result.operations = fused_.operations();
  result.values = fused_.values();
  result.source = random_ ? random_->fill_text(queue_) : program_of(fused_)->text(queue_, arguments, {});
  return result;
}

void forget_errors(const Array& target) {
  detail::DeferredErrors& errors = target.buffer().allocation()->uses().deferred_errors();
  if (!errors.any() || !target.contiguous()) return;
  const Buffer elements = target.elements();
  errors.overwritten({elements.offset(), elements.offset() + elements.size()});
}

void evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue) {
  if (evaluate_fft_into(target, value) || evaluate_product_into(target, value, queue)) return;
  place_transforms(value, true);
  place_products(value, true);
  store_randoms(value, true);
  FusedExpression fused(default_float(queue));
  {
    const std::lock_guard lock(Graph::instance().mutex);
    fused.add_output(value);
  }
  if (std::none_of(fused.leaves().begin(), fused.leaves().end(), [&](const Array& leaf) {
        return leaf.buffer().allocation() == target.buffer().allocation();
      }))
    forget_errors(target);
  describing(fused, target.shape(), kArray, [&] { return launch(fused, queue, {&target, 1}); });
}

}  // namespace quern::array
