// SPDX-License-Identifier: MIT
// Elementwise kernels of known types: chooses a loop for the operands of a call.
#include "algorithms/elementwise_program.hpp"

#include <algorithm>

#include "algorithms/launch/policy.hpp"
#include "base/arithmetic.hpp"
#include "codegen/expression.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/launch.hpp"
#include "runtime/queue_state.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

using codegen::IndexSpace;
using codegen::LoopStyle;
using codegen::LoopVariant;

constexpr std::size_t kGroup = 256;
constexpr std::size_t kMostGroups = 65535;  // limit of CUDA for the outer dimensions of a grid
// From this number of elements on, longer kernels pay off although they take longer to compile.
constexpr std::int64_t kMany = std::int64_t{1} << 24;
// Up to this value, indices and the offsets that loops add to them fit 32 bits.
constexpr std::int64_t kMostNarrow = (std::int64_t{1} << 31) - (1 << 20);

// The work-items of a launch. Work-items past the end do nothing.
Range launch_range(const IndexSpace& space, const LoopVariant& variant, const DeviceProperties& device) {
  const auto length = [&](std::size_t d) {
    return d < space.rank() ? static_cast<std::size_t>(space.lengths[d]) : 1;
  };
  std::size_t outer = 1;
  for (std::size_t d = 2; d < space.rank(); ++d) outer *= length(d);
  const std::size_t inner = divided_up(length(0), std::size_t{variant.vector} * std::size_t{variant.strips});
  const unsigned dims = std::min<unsigned>(variant.rank, 3);
  Range range{dims, {inner, length(1), outer}};
  if (variant.style == LoopStyle::chunks && device.non_uniform_groups) return range;
  std::size_t group = kGroup, width = kGroup;
  if (variant.style == LoopStyle::grid && variant.rank > 1) {
    const auto problem_class = [&] { return std::to_string(variant.rank); };
    const auto tuned = [&](const char* parameter, std::size_t otherwise) {
      return static_cast<std::size_t>(tuning::value_of(device, "elementwise_rows", problem_class, parameter,
                                                       static_cast<std::int64_t>(otherwise)));
    };
    group = tuned("group", kGroup);
    width = std::min(tuned("width", group), group);
  }
  std::size_t x = std::min(width, device.max_work_group_size);
  while (variant.rank > 1 && x / 2 >= inner) x /= 2;
  const std::size_t y = variant.style == LoopStyle::grid && variant.rank > 1
                            ? std::min(group, device.max_work_group_size) / x
                            : 1;
  std::size_t rows = 1;
  if (std::any_of(variant.operands.begin(), variant.operands.end(), [](auto& o) { return o.is_fixed; })) {
    // Operands that are the same in all rows: a work-item loads them once for several rows, if enough
    // work-items remain.
    const std::size_t busy = std::size_t{device.compute_units} * 4096;
    rows = std::clamp<std::size_t>(inner * length(1) * outer / busy, 1, 8);
  }
  range.global = {rounded_up(inner, x), rounded_up(divided_up(length(1), rows), y), outer};
  if (variant.style == LoopStyle::grid) {
    range.global[1] = std::min(range.global[1], kMostGroups * y);
    range.global[2] = std::min(range.global[2], kMostGroups);
  }
  return dims == 1 ? range.with_local(x) : range.with_local(x, y, 1);
}

// Returns the loop if all arrays are contiguous and have the same shape. This is the usual case and needs no
// further search.
std::optional<IndexSpace> contiguous_space(const BoundOperands& bound) {
  const codegen::Lengths& shape = bound[0].view.shape;
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  if (size < 2) return std::nullopt;
  for (const BoundOperand& operand : bound)
    if (!operand.contiguous || operand.view.shape != shape) return std::nullopt;
  IndexSpace space;
  space.lengths = {size};
  space.strides.resize(bound.size());
  for (codegen::Lengths& strides : space.strides) strides.push_back(1);
  return space;
}

// Whether an array that is written shares its memory with another operand, so that the order of reads and
// writes matters.
bool writes_what_another_reads(const BoundOperands& bound) {
  for (const BoundOperand& written : bound) {
    if (!written.written) continue;
    for (const BoundOperand& other : bound)
      if (&other != &written && other.given->allocation() == written.given->allocation()) return true;
  }
  return false;
}

}  // namespace

ElementwiseProgram::ElementwiseProgram(codegen::ElementwiseSource source, std::vector<std::string> options)
    : source_(std::move(source)),
      symbol_(codegen::symbol_of(source_.name)),
      kernels_(source_.name, std::move(options)) {
  for (const codegen::Operand& operand : source_.operands) {
    const Parameter& parameter = operand.argument.parameter;
    const DType& dtype = parameter.dtype;
    roles_.push_back({parameter.is_const, operand.use.writes});
    if (!operand.is_element && parameter.is_pointer) {
      takes_elements_ = false;
      continue;
    }
    takes_elements_ &= !operand.is_base;
    has_halves_ |= dtype.scalar == Scalar::float16;
    has_doubles_ |= dtype.scalar == Scalar::float64 || dtype.scalar == Scalar::complex128;
    if (operand.is_element) widest_ = std::max(widest_, dtype.itemsize);
  }
}

ElementwiseProgram::Plan ElementwiseProgram::plan(const Queue& queue,
                                                  std::span<const KernelArgument> arguments,
                                                  const std::optional<IndexRange>& range) const {
  const DeviceProperties& properties = queue.state()->properties();
  Plan plan;
  plan.bound = bind_operands(source_.name, source_.operands, arguments, queue);
  LoopVariant& variant = plan.variant;
  variant.style = codegen::loop_style(properties);
  variant.operands.resize(source_.operands.size());
  if (range) {
    plan.space = ranged_space(source_.name, plan.bound, *range);
    variant.ranged = true;
  } else if (plan.bound.empty()) {
    plan.space.lengths = {size_of_pointers(source_.name, source_.operands, arguments)};
  } else if (auto contiguous = contiguous_space(plan.bound)) {
    plan.space = std::move(*contiguous);
  } else {
    const auto views = views_of(plan.bound);
    const codegen::Lengths shape = codegen::broadcast_shapes(views, source_.name);
    for (const BoundOperand& operand : plan.bound) {
      if (operand.written && operand.view.shape != shape) {
        throw ArgumentError(ArgumentError::Kind::value,
                            source_.name + ": argument " + std::to_string(operand.argument) +
                                " is written, but does not have the operands' broadcast shape");
      }
    }
    plan.space = codegen::index_space(shape, views);
  }
  variant.rank = static_cast<std::uint8_t>(plan.space.rank());
  std::int64_t reach = plan.space.reach();
  for (std::size_t b = 0; b < plan.bound.size(); ++b) {
    const BoundOperand& operand = plan.bound[b];
    variant.operands[operand.argument] =
        layout_of(operand, plan.space.strides[b], plan.space.rank(), properties);
    reach += static_cast<std::int64_t>(operand.offset / operand.itemsize);
  }
  if (range)
    reach = std::max({reach, std::abs(range->start), std::abs(range->stop), std::abs(range->step)}) * 2;
  variant.wide = variant.style == LoopStyle::chunks || reach > kMostNarrow;
  if (variant.style != LoopStyle::grid || variant.ranged || plan.bound.empty() || !source_.is_plain)
    return plan;
  const bool has_aliases = writes_what_another_reads(plan.bound);
  if (source_.reads_first || source_.operation.is_single() || !has_aliases)
    variant.vector =
        static_cast<std::uint8_t>(vector_width(source_.operands, plan.bound, plan.space, variant));
  if (variant.rank == 1 && variant.vector > 1) {
    // With a fixed local size, compilers can use more registers. Two vectors per work-item keep memory busy
    // while slow functions run.
    variant.group = static_cast<std::uint16_t>(std::min(kGroup, properties.max_work_group_size));
    variant.strips = plan.space.lengths[0] >= kMany && source_.operation.calls() > 1 ? 2 : 1;
    variant.whole = variant.strips == 1 && plan.space.lengths[0] % variant.vector == 0;
  }
  if (has_aliases || variant.rank < 2) return plan;
  for (std::size_t b = 0; b < plan.bound.size(); ++b)
    variant.operands[plan.bound[b].argument].is_fixed =
        plan.space.strides[b][1] == 0 && can_be_fixed(source_.operands, plan.bound[b]);
  return plan;
}

ElementwiseProgram::ContiguousArguments ElementwiseProgram::contiguous_arguments(
    std::span<const KernelArgument> arguments) const {
  if (!source_.is_plain || arguments.size() != source_.operands.size()) return {};
  ContiguousArguments result;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const codegen::Operand& operand = source_.operands[a];
    ContiguousArgument& argument = result.emplace_back();
    argument.number = &arguments[a];
    if (!operand.is_element) continue;
    if (arguments[a].kind != KernelArgument::Kind::array) return {};
    const DType& wanted = operand.argument.parameter.dtype;
    const Array& array = *arguments[a].array;
    argument.memory = &array.evaluate();
    argument.shape = &array.shape();
    argument.dtype = &array.dtype();
    if (argument.dtype->scalar != wanted.scalar || argument.dtype->lanes != wanted.lanes ||
        wanted.scalar == Scalar::structure)
      return {};
  }
  return result;
}

const ElementwiseProgram::ContiguousKernel& ElementwiseProgram::contiguous_kernel(
    const ContiguousVariant& variant, const Queue& queue,
    std::span<const ContiguousArgument> arguments) const {
  ContiguousKernel& known = contiguous_kernels_[variant.number()];
  if (known.kernel.load(std::memory_order_acquire) != nullptr) return known;
  // The search takes arrays of the types that kernels take.
  InlineVector<Array, 8> arrays;
  arrays.reserve(arguments.size());
  InlineVector<KernelArgument, 16> list;
  for (const ContiguousArgument& argument : arguments) {
    if (argument.memory == nullptr) {
      list.push_back(*argument.number);
      continue;
    }
    const ArrayMemory& memory = *argument.memory;
    list.emplace_back(arrays.emplace_back(memory.buffer, codegen::storage_of(*argument.dtype),
                                          *argument.shape, memory.strides, memory.offset));
  }
  const LoopVariant loop = plan(queue, list, {}).variant;
  const Kernel& kernel =
      kernels_.get(loop.key(), symbol_, [&] { return codegen::emit_elementwise(source_, loop); });
  known.elements.store(std::size_t{loop.vector} * loop.strips, std::memory_order_relaxed);
  known.kernel.store(&kernel, std::memory_order_release);
  return known;
}

bool ElementwiseProgram::takes_contiguous(const DeviceProperties& device) const {
  return takes_elements_ && (!has_doubles_ || device.has_fp64) && (!has_halves_ || device.has_fp16) &&
         device.max_work_group_size >= kGroup;
}

std::int64_t ElementwiseProgram::contiguous_size(const detail::QueueState& queue,
                                                 std::span<const ContiguousArgument> arguments,
                                                 ContiguousVariant& variant) const {
  const DeviceProperties& properties = queue.properties();
  const bool has_addresses = properties.dialect != Dialect::opencl_c;
  const Shape* shape = nullptr;
  std::size_t offsets = 0;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].memory == nullptr) continue;
    const ArrayMemory& memory = *arguments[a].memory;
    const Access access = memory.buffer.access();
    const bool is_accessible =
        access == Access::read_write || (access == Access::read_only && roles_[a].is_const);
    if (!memory.contiguous || memory.buffer.released() || !is_accessible) return 0;
    if (shape == nullptr) {
      shape = arguments[a].shape;
    } else if (shape != arguments[a].shape && !(*shape == *arguments[a].shape)) {
      return 0;
    }
    const detail::Allocation& allocation = *memory.buffer.allocation();
    const std::size_t start = memory.buffer.offset() + memory.offset;
    // Memory of the pool begins at an aligned address.
    const bool may_be_odd = has_addresses && allocation.is_borrowed();
    const std::uintptr_t address = (may_be_odd ? allocation.memory().native_handle() : 0) + start;
    if (allocation.context() != queue.context() || address % kVectorBytes != 0 ||
        (properties.sub_buffer_alignment > 1 && start % properties.sub_buffer_alignment != 0))
      return 0;
    offsets += memory.offset;
    if (!roles_[a].is_written) continue;
    for (std::size_t other = 0; other < arguments.size(); ++other)
      variant.aliased |= other != a && arguments[other].memory != nullptr &&
                         arguments[other].memory->buffer.allocation().get() == &allocation;
  }
  if (shape == nullptr) return 0;
  std::int64_t size = 1;
  for (const std::int64_t length : *shape) size *= length;
  if (size < 2 || size + static_cast<std::int64_t>(offsets) > kMostNarrow) return 0;
  variant.many = size >= kMany;
  // The bytes of an element divide those of a vector, or are a multiple of them.
  variant.whole = static_cast<std::size_t>(size) * widest_ % kVectorBytes == 0;
  return size;
}

const detail::KernelInstance& ElementwiseProgram::contiguous_instance(const ContiguousKernel& kernel,
                                                                      const detail::QueueState& queue) {
  const detail::KernelInstance* const last = kernel.last.load(std::memory_order_acquire);
  if (last != nullptr && last->context == queue.context() && last->device == queue.device()) return *last;
  const detail::LocalSize local = {kGroup, 1, 1};
  detail::KernelState& built = *kernel.kernel.load(std::memory_order_relaxed)->state();
  const detail::KernelInstance* found = &built.instance_for(queue.context(), queue.device(), local);
  if (found->wants_fixed_local) found = &built.fixed_for(*found, local);
  kernel.last.store(found, std::memory_order_release);
  return *found;
}

// Kernel::launch() would check again what is known by now.
template <class Submit>
bool ElementwiseProgram::with_contiguous_launch(detail::QueueState& queue,
                                                std::span<const ContiguousArgument> arguments,
                                                const Queue& handle, const Submit& submit) const {
  if (!takes_contiguous(queue.properties())) return false;
  ContiguousVariant variant{false, false, false};
  const std::int64_t size = contiguous_size(queue, arguments, variant);
  if (size == 0) return false;
  const ContiguousKernel& kernel = contiguous_kernel(variant, handle, arguments);
  const detail::KernelInstance& instance = contiguous_instance(kernel, queue);
  backend::LaunchShape launch;
  launch.global[0] = rounded_up(
      divided_up(static_cast<std::size_t>(size), kernel.elements.load(std::memory_order_relaxed)), kGroup);
  launch.local[0] = kGroup;
  detail::PackedLaunch packed(instance, launch);
  packed.reserve(arguments.size() + 1);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].memory == nullptr) {
      detail::pack_argument(packed, instance, a, *arguments[a].number, queue);
    } else {
      const ArrayMemory& memory = *arguments[a].memory;
      packed.add_memory(memory.buffer, memory.offset, memory.buffer.size() - memory.offset,
                        !roles_[a].is_const);
    }
  }
  if (instance.signature_known &&
      instance.signature.parameters[arguments.size()].dtype.scalar == Scalar::int32) {
    const auto narrow = static_cast<std::int32_t>(size);  // it is at most kMostNarrow
    packed.add_value(&narrow, sizeof narrow);
  } else {
    detail::pack_argument(packed, instance, arguments.size(), KernelArgument(size), queue);
  }
  detail::count_launch();
  submit(packed);
  return true;
}

bool ElementwiseProgram::start_contiguous(const Queue& queue,
                                          std::span<const ContiguousArgument> arguments) const {
  detail::QueueState& state = *queue.state();
  return with_contiguous_launch(state, arguments, queue, [&](detail::PackedLaunch& packed) {
    state.submit_only(packed, packed.uses());
  });
}

Event ElementwiseProgram::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                 const std::optional<IndexRange>& range, WaitList wait_for) const {
  detail::QueueState& state = *queue.state();
  if (!range && codegen::loop_style(state.properties()) == LoopStyle::grid) {
    Event event;
    if (const ContiguousArguments contiguous = contiguous_arguments(arguments);
        !contiguous.empty() &&
        with_contiguous_launch(state, contiguous, queue, [&](detail::PackedLaunch& packed) {
          event = state.submit(packed, packed.uses(), wait_for);
        }))
      return event;
  }
  const Plan loop = plan(queue, arguments, range);
  if (loop.space.size() == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  const auto emit = [&] { return codegen::emit_elementwise(source_, loop.variant); };
  const std::string variant = loop.variant.key();
  const Kernel* kernel = nullptr;
  if (loops_ && !range && policy(queue).has_loops) {
    if (!loops_->are_best())
      kernel =
          kernels_.get_ready(variant, symbol_, emit, queue, static_cast<std::uint64_t>(loop.space.size()));
    if (kernel == nullptr) {
      if (auto event = loops_->launch(queue, arguments, loop.bound, loop.space, wait_for)) return *event;
    }
  }
  if (kernel == nullptr) kernel = &kernels_.get(variant, symbol_, emit);
  LoopArguments list(arguments, loop.bound, loop.variant.operands);
  for (const std::int64_t length : loop.space.lengths) list.add(length);
  if (range) {
    list.add(range->start);
    list.add(range->step);
  }
  list.add_strides(loop.bound, loop.space, loop.variant);
  return kernel->launch(queue, launch_range(loop.space, loop.variant, queue.state()->properties()),
                        list.list(), wait_for);
}

std::vector<Array> ElementwiseProgram::allocate_outputs(const Queue& queue,
                                                        std::span<KernelArgument> arguments,
                                                        const std::optional<IndexRange>& range) const {
  const auto& operands = source_.operands;
  const auto views = views_of(bind_operands(source_.name, operands, arguments, queue, true));
  if (views.empty() && !range) {
    std::string missing;
    for (std::size_t a = 0; a < operands.size(); ++a)
      if (arguments[a].kind == KernelArgument::Kind::null_pointer && is_output(a))
        missing += (missing.empty() ? "'" : ", '") + operands[a].argument.parameter.name + "'";
    throw ArgumentError(ArgumentError::Kind::value,
                        source_.name + ": no array among the arguments determines the size of " + missing +
                            "; pass the number of elements as size=, or pass " + missing);
  }
  const Shape shape = views.empty() ? Shape{std::max<std::int64_t>(range->stop, 0)}
                                    : Shape(codegen::broadcast_shapes(views, source_.name));
  std::vector<Array> outputs;
  outputs.reserve(operands.size());
  for (std::size_t a = 0; a < operands.size(); ++a) {
    if (arguments[a].kind != KernelArgument::Kind::null_pointer || !is_output(a)) continue;
    // The operation may leave elements unassigned; these are zero.
    const bool is_certain = operands[a].use.assigns_first && source_.is_plain;
    outputs.push_back((is_certain ? empty : zeros)(queue, shape, operands[a].argument.parameter.dtype));
    arguments[a] = KernelArgument(outputs.back());
  }
  return outputs;
}

}  // namespace quern::algorithms
