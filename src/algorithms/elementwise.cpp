// SPDX-License-Identifier: MIT
// ElementwiseKernel: chooses a loop for the operands of a call, and keeps the kernel that was generated for
// it.
#include "quern/elementwise.hpp"

#include <algorithm>

#include "algorithms/generated_kernels.hpp"
#include "algorithms/operands.hpp"
#include "codegen/emit_elementwise.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using algorithms::BoundOperand;
using codegen::IndexSpace;
using codegen::LoopStyle;
using codegen::LoopVariant;

constexpr std::size_t kGroup = 256;
constexpr std::size_t kMostGroups = 65535;  // in the outer dimensions of CUDA's grids

std::size_t rounded_up(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// The work-items of a launch; those past the end do nothing.
Range launch_range(const IndexSpace& space, const LoopVariant& variant, const DeviceProperties& device) {
  const auto length = [&](std::size_t d) {
    return d < space.rank() ? static_cast<std::size_t>(space.lengths[d]) : 1;
  };
  std::size_t outer = 1;
  for (std::size_t d = 2; d < space.rank(); ++d) outer *= length(d);
  const std::size_t inner = (length(0) + variant.vector - 1) / variant.vector;
  const unsigned dims = std::min<unsigned>(variant.rank, 3);
  Range range{dims, {inner, length(1), outer}};
  if (variant.style == LoopStyle::chunks && device.non_uniform_groups) return range;
  std::size_t x = std::min(kGroup, device.max_work_group_size);
  while (variant.rank > 1 && x / 2 >= inner) x /= 2;
  const std::size_t y = variant.style == LoopStyle::grid && variant.rank > 1
                            ? std::min(kGroup, device.max_work_group_size) / x
                            : 1;
  range.global = {rounded_up(inner, x), rounded_up(length(1), y), outer};
  if (variant.style == LoopStyle::grid) {
    range.global[1] = std::min(range.global[1], kMostGroups * y);
    range.global[2] = std::min(range.global[2], kMostGroups);
  }
  return dims == 1 ? range.with_local(x) : range.with_local(x, y, 1);
}

}  // namespace

std::int64_t IndexRange::count() const {
  if (step == 0) throw ArgumentError(ArgumentError::Kind::value, "range: a step of 0 goes nowhere");
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t stride = step > 0 ? step : -step;
  return distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

namespace detail {

class ElementwiseState {
 public:
  ElementwiseState(const std::string& arguments, const std::string& operation, GeneratorOptions options)
      : source{options.name.empty() ? "elementwise_kernel" : options.name,
               options.preamble,
               {},
               codegen::Snippet(operation, codegen::Snippet::Form::indexed, "operation")},
        kernels(source.name, std::move(options.options)) {
    const std::vector<codegen::Argument> declared = codegen::parse_arguments(arguments, options.preamble);
    source.operands = codegen::operands_of(declared, {&source.operation}, options.preamble,
                                           codegen::Snippet::Form::indexed);
    signature.name = source.name;
    for (const codegen::Argument& argument : declared) signature.parameters.push_back(argument.parameter);
  }

  // A launch, but for the wait list.
  struct Plan {
    std::vector<BoundOperand> bound;
    IndexSpace space;
    LoopVariant variant;
  };
  [[nodiscard]] Plan plan(const Queue& queue, std::span<const KernelArgument> arguments,
                          const std::optional<IndexRange>& range) const;
  [[nodiscard]] Kernel kernel(const LoopVariant& variant) const {
    return kernels.get(variant.key(), source.name,
                       [&] { return codegen::emit_elementwise(source, variant); });
  }

  codegen::ElementwiseSource source;
  algorithms::GeneratedKernels kernels;
  Signature signature;
};

ElementwiseState::Plan ElementwiseState::plan(const Queue& queue, std::span<const KernelArgument> arguments,
                                              const std::optional<IndexRange>& range) const {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  Plan plan;
  plan.bound = algorithms::bind_operands(source.name, source.operands, arguments, queue);
  std::vector<codegen::View> views;
  for (const BoundOperand& operand : plan.bound) views.push_back(operand.view);
  LoopVariant& variant = plan.variant;
  variant.style = codegen::loop_style(properties);
  variant.operands.resize(source.operands.size());
  if (range) {
    plan.space = algorithms::ranged_space(source.name, plan.bound, *range);
    variant.ranged = true;
  } else if (plan.bound.empty()) {
    plan.space.lengths = {algorithms::size_of_pointers(source.name, source.operands, arguments)};
  } else {
    const codegen::Lengths shape = codegen::broadcast_shapes(views, source.name);
    for (const BoundOperand& operand : plan.bound) {
      if (operand.written && operand.view.shape != shape) {
        throw ArgumentError(ArgumentError::Kind::value,
                            source.name + ": argument " + std::to_string(operand.argument) +
                                " is written, but does not have the shape that the operands have together");
      }
    }
    plan.space = codegen::index_space(shape, views);
  }
  variant.rank = static_cast<std::uint8_t>(plan.space.rank());
  std::int64_t reach = plan.space.reach();
  for (std::size_t b = 0; b < plan.bound.size(); ++b) {
    const BoundOperand& operand = plan.bound[b];
    variant.operands[operand.argument] =
        algorithms::layout_of(operand, plan.space.strides[b], plan.space.rank(), properties);
    reach += static_cast<std::int64_t>(operand.offset / operand.itemsize);
  }
  if (range)
    reach = std::max({reach, std::abs(range->start), std::abs(range->stop), std::abs(range->step)}) * 2;
  constexpr std::int64_t kMostNarrow = (std::int64_t{1} << 31) - (1 << 20);
  variant.wide = variant.style == LoopStyle::chunks || reach > kMostNarrow;
  if (variant.style == LoopStyle::grid && !variant.ranged && !plan.bound.empty())
    variant.vector =
        static_cast<std::uint8_t>(algorithms::vector_width(source.operands, plan.bound, plan.space, variant));
  return plan;
}

}  // namespace detail

ElementwiseKernel::ElementwiseKernel(const std::string& arguments, const std::string& operation,
                                     GeneratorOptions options)
    : state_(std::make_shared<detail::ElementwiseState>(arguments, operation, std::move(options))) {}

const std::string& ElementwiseKernel::name() const noexcept {
  return state_->source.name;
}

const Signature& ElementwiseKernel::signature() const noexcept {
  return state_->signature;
}

bool ElementwiseKernel::is_output(std::size_t argument) const noexcept {
  const codegen::Operand& operand = state_->source.operands[argument];
  return operand.is_element && operand.use.assigns_first;
}

Event ElementwiseKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                const std::optional<IndexRange>& range, WaitList wait_for) const {
  const auto plan = state_->plan(queue, arguments, range);
  if (plan.space.size() == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  algorithms::LoopArguments list(arguments, plan.bound, plan.variant.operands);
  for (const std::int64_t length : plan.space.lengths) list.add(length);
  if (range) {
    list.add(range->start);
    list.add(range->step);
  }
  list.add_strides(plan.bound, plan.space, plan.variant);
  return state_->kernel(plan.variant)
      .launch(queue, launch_range(plan.space, plan.variant, queue.device().properties()), list.list(),
              wait_for);
}

std::string ElementwiseKernel::source(const Queue& queue, std::span<const KernelArgument> arguments) const {
  return codegen::emit_elementwise(state_->source, state_->plan(queue, arguments, {}).variant);
}

std::vector<Array> ElementwiseKernel::allocate_outputs(const Queue& queue,
                                                       std::span<KernelArgument> arguments) const {
  const auto& operands = state_->source.operands;
  const std::vector<BoundOperand> bound = algorithms::bind_operands(name(), operands, arguments, queue, true);
  std::vector<codegen::View> views;
  for (const BoundOperand& operand : bound) views.push_back(operand.view);
  if (views.empty()) {
    throw ArgumentError(
        ArgumentError::Kind::value,
        name() + ": no array among the arguments says how large an output is; give the outputs");
  }
  const Shape shape = codegen::broadcast_shapes(views, name());
  std::vector<Array> outputs;
  outputs.reserve(operands.size());
  for (std::size_t a = 0; a < operands.size(); ++a) {
    if (arguments[a].kind != KernelArgument::Kind::null_pointer || !is_output(a)) continue;
    outputs.push_back(empty(queue, shape, operands[a].argument.parameter.dtype));
    arguments[a] = KernelArgument(outputs.back());
  }
  return outputs;
}

}  // namespace quern
