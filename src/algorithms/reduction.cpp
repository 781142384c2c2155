// SPDX-License-Identifier: MIT
// ReductionKernel: reduces in one pass, or in two, where the second pass reduces the partial results of the
// first.
#include "quern/reduction.hpp"

#include <array>

#include "algorithms/host/host_loops.hpp"
#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/reduction_named.hpp"
#include "algorithms/reduction_plan.hpp"
#include "algorithms/reduction_state.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern {

using algorithms::ReductionPass;
using codegen::ReductionVariant;

void detail::ReductionState::finish_as(const DType& result) {
  finished = result;
  const std::string type = codegen::type_name(result);
  for (codegen::ReductionSource* text : {&source, &parts}) {
    text->result = type;
    text->divisor = codegen::type_name(codegen::part_of(dtype));
    text->finish = (is_complex(result) ? "convert_" + type : "(" + type + ")") + "(a / quern_divisor)";
  }
}

bool detail::ReductionState::finishes_on(const Queue& queue) const {
  return finished && codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::grid;
}

Event detail::ReductionState::launch_kernel(const Kernel& kernel, const ReductionPass& pass,
                                            const Queue& queue, std::span<const KernelArgument> arguments,
                                            const Array& target, const std::optional<IndexRange>& range,
                                            WaitList wait_for, double divisor) const {
  const ReductionVariant& variant = pass.variant;
  algorithms::LoopArguments list(arguments, pass.bound, variant.operands);
  list.add(target.elements());
  for (const std::int64_t value : {pass.outputs, pass.segments, pass.chunk, pass.total}) list.add(value);
  if (range) list.add(range->start), list.add(range->step);
  for (unsigned d = 0; d < variant.reduced_rank; ++d) list.add(pass.reduced.lengths[d]);
  for (unsigned d = 0; d < variant.kept_rank; ++d) list.add(pass.kept.lengths[d]);
  for (std::size_t b = 0; b < pass.bound.size(); ++b) {
    if (variant.operands[pass.bound[b].argument].placement != codegen::Placement::strided) continue;
    list.add(static_cast<std::int64_t>(pass.bound[b].offset / pass.bound[b].itemsize));
    for (unsigned d = 0; d < variant.reduced_rank; ++d) list.add(pass.reduced.strides[b][d]);
    for (unsigned d = 0; d < variant.kept_rank; ++d) list.add(pass.kept.strides[b][d]);
  }
  if (variant.finishes) list.add(divisor);
  const DeviceProperties& properties = queue.state()->properties();
  return kernel.launch(queue, algorithms::launch_range(pass, dtype.itemsize, properties), list.list(),
                       wait_for);
}

Event detail::ReductionState::run(const codegen::ReductionSource& text, ReductionPass pass,
                                  const Queue& queue, std::span<const KernelArgument> arguments,
                                  const Array& out, const std::optional<IndexRange>& range, WaitList wait_for,
                                  double divisor) const {
  const Device device = queue.device();
  algorithms::check_precision(text.name, dtype, device);
  algorithms::plan_pass(text, pass, device.properties());
  const ReductionVariant& variant = pass.variant;
  const bool columns = variant.scheme == codegen::ReductionScheme::columns;
  const bool direct = pass.segments == 1;
  pass.variant.finishes = direct && finishes_on(queue);
  const Array target = direct ? out : empty(queue, {pass.segments * pass.outputs}, dtype);
  const auto emit = [&] { return codegen::emit_reduction(text, variant); };
  const std::string key = text.name + variant.key(), symbol = codegen::symbol_of(text.name);
  const Kernel* kernel = nullptr;
  std::optional<Event> event;
  if (loops && !range && algorithms::policy(queue).has_loops) {
    const auto elements = static_cast<std::uint64_t>(pass.total * pass.outputs);
    if (!loops->are_best(&text == &parts)) kernel = kernels.get_ready(key, symbol, emit, queue, elements);
    if (kernel == nullptr) event = loops->launch(queue, pass, arguments, &text == &parts, target, wait_for);
  }
  if (!event) {
    if (kernel == nullptr) kernel = &kernels.get(key, symbol, emit);
    event = launch_kernel(*kernel, pass, queue, arguments, target, range, wait_for, divisor);
  }
  if (direct) return *event;

  // The partial results of one output are adjacent if rows were reduced, and a column if columns were
  // reduced.
  ReductionPass next;
  const codegen::View view = columns ? codegen::View{{pass.segments, pass.outputs}, {pass.outputs, 1}}
                                     : codegen::View{{pass.outputs, pass.segments}, {pass.segments, 1}};
  const std::vector<KernelArgument> part = {KernelArgument(target)};
  next.bound = algorithms::bind_operands(parts.name, parts.operands, part, queue);
  next.bound[0].view = view;
  next.reduced = codegen::index_space(view.shape, {&view, 1}, {columns, !columns});
  next.kept = codegen::index_space(view.shape, {&view, 1}, {!columns, columns});
  next.outputs = pass.outputs;
  return run(parts, std::move(next), queue, part, out, {}, {}, divisor);
}

namespace {

// Removes a semicolon at the end of an expression.
std::string without_semicolon(std::string text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  if (last != text.npos && text[last] == ';') text.resize(last);
  return text;
}

}  // namespace

ReductionKernel::ReductionKernel(const DType& dtype, const std::string& neutral,
                                 const std::string& reduce_expr, const std::string& map_expr,
                                 const std::string& arguments, GeneratorOptions options,
                                 const std::string& type_name) {
  const std::string type = type_name.empty() ? codegen::item_type(dtype, options.preamble) : type_name;
  options.preamble =
      codegen::with_generic_forms(std::move(options.preamble), {neutral, reduce_expr, map_expr});
  state_ = std::make_shared<detail::ReductionState>(
      dtype, type, neutral, reduce_expr, map_expr.empty() ? "x[i]" : without_semicolon(map_expr),
      arguments.empty() ? "const " + type + " *x" : arguments, std::move(options));
}

ReductionKernel::ReductionKernel(const std::string& type_name, const std::string& neutral,
                                 const std::string& reduce_expr, const std::string& map_expr,
                                 const std::string& arguments, GeneratorOptions options)
    : ReductionKernel(codegen::type_called(type_name, algorithms::preamble_of(options)), neutral, reduce_expr,
                      map_expr, arguments, options, type_name) {}

ReductionKernel::ReductionKernel(NamedReduction text, GeneratorOptions options) {
  text.map_expr = without_semicolon(std::move(text.map_expr));
  named_ = std::make_shared<detail::NamedReductionState>(std::move(text), std::move(options));
}

const std::string& ReductionKernel::name() const noexcept {
  return signature().name;
}

const DType& ReductionKernel::dtype() const {
  if (!named_) return state_->dtype;
  if (!named_->result)
    throw ArgumentError(ArgumentError::Kind::type, name() + ": the dtype depends on the arrays of a call");
  return *named_->result;
}

const Signature& ReductionKernel::signature() const noexcept {
  return named_ ? named_->signature : state_->signature;
}

std::string ReductionKernel::source(const Queue& queue, std::span<const KernelArgument> arguments,
                                    const Over& over) const {
  if (named_) return named_->typed(arguments, nullptr).reduce.source(queue, arguments, over);
  auto [pass, shape] = algorithms::first_pass(state_->source, queue, arguments, over);
  algorithms::plan_pass(state_->source, pass, queue.device().properties());
  return state_->kernels.program_text(codegen::emit_reduction(state_->source, pass.variant));
}

Array detail::ReductionState::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                     const ReductionKernel::Over& over, WaitList wait_for,
                                     const std::optional<Shape>& given, double divisor) const {
  auto [pass, shape] = algorithms::first_pass(source, queue, arguments, over, given);
  Array out = empty(queue, std::move(shape), finishes_on(queue) ? *finished : dtype);
  if (out.size() > 0) run(source, std::move(pass), queue, arguments, out, over.range, wait_for, divisor);
  return out;
}

Array ReductionKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments, const Over& over,
                              WaitList wait_for) const {
  if (!named_) return state_->launch(queue, arguments, over, wait_for);
  const detail::NamedReductionState::Typed& typed = named_->typed(arguments, nullptr);
  Array reduced = typed.reduce.launch(queue, arguments, over, wait_for);
  if (!typed.finish) return reduced;
  Array out = empty(queue, reduced.shape(), typed.result);
  detail::NamedReductionState::finish(typed, queue, reduced, out);
  return out;
}

namespace {

void check_output(const Array& out, const Shape& shape, const DType& dtype) {
  if (out.dtype() == dtype && out.shape() == shape && out.evaluate().contiguous) return;
  throw ArgumentError(ArgumentError::Kind::value,
                      "out: expected a contiguous array of " + dtype.name() + " in the shape of the result");
}

}  // namespace

Event ReductionKernel::launch_into(const Array& out, const Queue& queue,
                                   std::span<const KernelArgument> arguments, const Over& over,
                                   WaitList wait_for) const {
  if (named_) {
    const detail::NamedReductionState::Typed& typed = named_->typed(arguments, &out);
    if (!typed.finish) return typed.reduce.launch_into(out, queue, arguments, over, wait_for);
    const Array reduced = typed.reduce.launch(queue, arguments, over, wait_for);
    check_output(out, reduced.shape(), typed.result);
    return detail::NamedReductionState::finish(typed, queue, reduced, out);
  }
  auto [pass, shape] = algorithms::first_pass(state_->source, queue, arguments, over);
  check_output(out, shape, state_->dtype);
  if (out.size() == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  return state_->run(state_->source, std::move(pass), queue, arguments, out, over.range, wait_for);
}

}  // namespace quern
