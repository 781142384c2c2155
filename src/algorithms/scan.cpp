// SPDX-License-Identifier: MIT
// ScanKernel: chooses how to scan on a device, and runs the kernels that it takes.
#include "quern/scan.hpp"

#include <algorithm>

#include "algorithms/generated_kernels.hpp"
#include "algorithms/operands.hpp"
#include "codegen/emit_scan.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using codegen::ScanOperand;
using codegen::ScanSource;
using codegen::ScanVariant;
using codegen::Snippet;

constexpr std::int64_t kLeastChunk = 1 << 14;  // elements; less is quicker on one core
constexpr std::size_t kChunksPerUnit = 4;      // so that cores which are disturbed do less
constexpr std::size_t kBytesOfWorkItem = 64;   // of the items that a work-item holds in registers
constexpr unsigned kMostItems = 16, kMostTunedItems = 32;
constexpr unsigned kGroup = 256, kLeastGroup = 32;

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

std::size_t divided_up(std::size_t count, std::size_t by) {
  return (count + by - 1) / by;
}

unsigned power_of_two(std::size_t most) {
  unsigned result = 1;
  while (std::size_t{result} * 2 <= most) result *= 2;
  return result;
}

}  // namespace

namespace detail {

class ScanState {
 public:
  ScanState(const DType& dtype, const std::string& item_type, const ScanSnippets& snippets,
            GeneratorOptions options, ScanTuning tuning);

  // A launch, but for the wait list.
  struct Plan {
    ScanVariant variant;
    std::size_t size = 0;
    std::size_t parts = 0;  // chunks or tiles
  };
  [[nodiscard]] Plan plan(const Queue& queue, std::span<const KernelArgument> arguments,
                          std::optional<std::int64_t> size) const;
  [[nodiscard]] Kernel kernel(const ScanVariant& variant, const char* suffix) const {
    return kernels.get(variant.key() + suffix, source.name + suffix,
                       [&] { return codegen::emit_scan(source, variant); });
  }

  ScanSource source;
  ScanTuning tuning;
  algorithms::GeneratedKernels kernels;
  std::vector<codegen::Operand> operands;  // as bind_operands wants them
  Signature signature;

 private:
  void check(const ScanSnippets& snippets) const;
};

ScanState::ScanState(const DType& dtype, const std::string& item_type, const ScanSnippets& snippets,
                     GeneratorOptions options, ScanTuning tuned)
    : source{options.name.empty() ? "scan_kernel" : options.name,
             options.preamble,
             item_type,
             dtype,
             snippets.scan_expr,
             snippets.neutral,
             Snippet(snippets.input_expr, Snippet::Form::indexed, "input_expr"),
             Snippet(snippets.is_segment_start_expr, Snippet::Form::indexed, "is_segment_start_expr"),
             Snippet(snippets.output_statement, Snippet::Form::indexed, "output_statement"),
             {},
             {}},
      tuning(tuned),
      kernels(source.name, std::move(options.options)) {
  check(snippets);
  const std::vector<std::string> hidden = codegen::names_in_macros(options.preamble);
  signature.name = source.name;
  for (codegen::Argument& argument : codegen::parse_arguments(snippets.arguments, options.preamble)) {
    const std::string name = argument.parameter.name;  // which is moved from next
    ScanOperand operand{std::move(argument), source.input.use_of(name), source.output.use_of(name)};
    const codegen::ElementUse starts = source.segment_start.use_of(name);
    operand.input.reads |= starts.reads;
    operand.input.writes |= starts.writes;
    operand.input.needs_pointer |= starts.needs_pointer;
    signature.parameters.push_back(operand.argument.parameter);
    source.operands.push_back(std::move(operand));
  }
  for (const InputFetch& fetch : snippets.input_fetch_exprs) {
    const auto found =
        std::find_if(source.operands.begin(), source.operands.end(), [&](const ScanOperand& operand) {
          return operand.argument.parameter.is_pointer && operand.argument.parameter.name == fetch.argument;
        });
    if (found == source.operands.end())
      reject("input_fetch_exprs: '" + fetch.argument + "' is no array among the arguments");
    if (fetch.offset > 0)
      reject("input_fetch_exprs: '" + fetch.name + "' looks ahead by " + std::to_string(fetch.offset) +
             "; offsets are 0 or negative");
    if (fetch.offset != 0 && (found->output.writes || found->output.needs_pointer)) {
      reject(
          "input_fetch_exprs: '" + fetch.argument +
          "' is fetched with an offset, and the output statement may write it; give it an array of its own");
    }
    found->input.reads = true;
    source.fetches.push_back(
        {fetch.name, static_cast<std::size_t>(found - source.operands.begin()), fetch.offset});
  }
  for (ScanOperand& operand : source.operands) {
    const Parameter& parameter = operand.argument.parameter;
    if (operand.input.writes)
      reject("argument '" + operand.argument.declaration +
             "' is written by an expression that is evaluated before the scan");
    if (parameter.is_const && operand.output.writes)
      reject("argument '" + operand.argument.declaration + "' is const, but the output statement writes it");
    const bool is_element = parameter.is_pointer && !operand.input.needs_pointer &&
                            !operand.output.needs_pointer &&
                            std::find(hidden.begin(), hidden.end(), parameter.name) == hidden.end();
    operand.in_registers = is_element &&
                           (operand.input.reads || operand.output.reads || operand.output.writes) &&
                           (!operand.output.writes || operand.output.assigns_first);
    operands.push_back({operand.argument, {}, is_element});
    operands.back().use.writes = operand.output.writes;
  }
}

void ScanState::check(const ScanSnippets& snippets) const {
  const auto need = [](const std::string& text, const char* what) {
    if (text.empty()) reject(std::string(what) + " is empty");
  };
  need(snippets.input_expr, "input_expr");
  need(snippets.scan_expr, "scan_expr");
  need(snippets.output_statement, "output_statement");
  if (source.uses_previous() && source.neutral.empty())
    reject("output_statement uses prev_item, which is the neutral element before the first; give neutral");
  if (tuning.items > kMostTunedItems)
    reject("items: " + std::to_string(tuning.items) + " is more than " + std::to_string(kMostTunedItems));
}

ScanState::Plan ScanState::plan(const Queue& queue, std::span<const KernelArgument> arguments,
                                std::optional<std::int64_t> size) const {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  const std::vector<algorithms::BoundOperand> bound =
      algorithms::bind_operands(source.name, operands, arguments, queue);
  if (size && *size < 0) reject(source.name + ": size is " + std::to_string(*size));
  Plan plan;
  plan.size =
      static_cast<std::size_t>(size ? *size : algorithms::size_of_pointers(source.name, operands, arguments));
  std::size_t widest = 0;
  for (const algorithms::BoundOperand& operand : bound) {
    const std::string what = source.name + ": argument '" + signature.parameters[operand.argument].name + "'";
    std::size_t count = 1;
    for (const std::int64_t length : operand.view.shape) count *= static_cast<std::size_t>(length);
    if (!operand.contiguous)
      reject(what + " is a strided view, where one without gaps is needed; copy it first");
    if (count < plan.size)
      reject(what + " has " + std::to_string(count) + " elements, but the scan goes over " +
             std::to_string(plan.size));
    if (source.operands[operand.argument].in_registers) widest = std::max(widest, operand.itemsize);
  }

  ScanVariant& variant = plan.variant;
  variant.strategy = tuning.strategy;
  if (variant.strategy == ScanStrategy::automatic) {
    variant.strategy = properties.kind == DeviceKind::cpu                        ? ScanStrategy::chunks
                       : properties.groups_start_in_order && !source.uses_last() ? ScanStrategy::look_back
                                                                                 : ScanStrategy::multi_pass;
  } else if (variant.strategy == ScanStrategy::look_back) {
    if (!properties.groups_start_in_order)
      reject(source.name + ": " + device.spec() +
             " does not start work-groups in order, which look_back needs");
    if (source.uses_last()) reject(source.name + ": last_item is not known to a scan that looks back");
  }
  constexpr std::size_t kMostNarrow = (std::size_t{1} << 31) - (1 << 20);
  variant.wide = variant.strategy == ScanStrategy::chunks || plan.size > kMostNarrow;
  if (variant.strategy == ScanStrategy::sequential) return plan;
  if (variant.strategy == ScanStrategy::chunks) {
    const std::size_t chunks =
        tuning.group_size != 0 ? tuning.group_size : properties.compute_units * kChunksPerUnit;
    plan.parts = std::clamp<std::size_t>(plan.size / kLeastChunk, 1, chunks);
    return plan;
  }
  const std::size_t item = std::max(source.item_dtype.itemsize, widest);
  variant.items = tuning.items != 0
                      ? tuning.items
                      : power_of_two(std::clamp<std::size_t>(kBytesOfWorkItem / item, 1, kMostItems));
  variant.vector =
      power_of_two(std::clamp<std::size_t>(16 / std::max<std::size_t>(widest != 0 ? widest : 4, 1), 1, 16));
  while (variant.items % variant.vector != 0) variant.vector /= 2;
  const std::size_t fits = properties.local_memory / 2 / source.partial_size();
  variant.group_size =
      power_of_two(std::min({std::size_t{tuning.group_size != 0 ? tuning.group_size : kGroup},
                             properties.max_work_group_size, std::max(fits, std::size_t{kLeastGroup})}));
  variant.group_size = std::max(variant.group_size, kLeastGroup);  // at least a sub-group
  for (const algorithms::BoundOperand& operand : bound)
    if (source.operands[operand.argument].in_registers)
      variant.aligned &= operand.is_aligned(power_of_two(operand.itemsize * variant.vector));
  plan.parts = divided_up(plan.size, variant.tile());
  return plan;
}

}  // namespace detail

ScanKernel::ScanKernel(const DType& dtype, ScanSnippets snippets, GeneratorOptions options, ScanTuning tuning,
                       const std::string& type_name) {
  std::string type = type_name;
  if (type.empty() && dtype.scalar == Scalar::structure) {
    type = "item_t";
    options.preamble =
        codegen::struct_definition(dtype, type) + "typedef struct item_t item_t;\n" + options.preamble;
  }
  if (type.empty()) type = codegen::type_name(dtype);
  state_ = std::make_shared<detail::ScanState>(dtype, type, snippets, std::move(options), tuning);
}

ScanKernel::ScanKernel(const std::string& type_name, ScanSnippets snippets, GeneratorOptions options,
                       ScanTuning tuning)
    : ScanKernel(codegen::type_called(type_name, options.preamble), std::move(snippets), options, tuning,
                 type_name) {}

const DType& ScanKernel::dtype() const noexcept {
  return state_->source.item_dtype;
}

const std::string& ScanKernel::name() const noexcept {
  return state_->source.name;
}

const Signature& ScanKernel::signature() const noexcept {
  return state_->signature;
}

std::string ScanKernel::source(const Queue& queue, std::span<const KernelArgument> arguments,
                               std::optional<std::int64_t> size) const {
  return codegen::emit_scan(state_->source, state_->plan(queue, arguments, size).variant);
}

Event ScanKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                         std::optional<std::int64_t> size, WaitList wait_for) const {
  const auto plan = state_->plan(queue, arguments, size);
  if (plan.size == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  const ScanVariant& variant = plan.variant;
  const ScanSource& source = state_->source;
  std::vector<KernelArgument> list(arguments.begin(), arguments.end());
  list.emplace_back(static_cast<std::int64_t>(plan.size));
  const Range tiles = range(plan.parts * variant.group_size).with_local(variant.group_size);
  const auto partials = [&](std::size_t count) { return Buffer(queue, count * source.partial_size()); };

  switch (variant.strategy) {
    case ScanStrategy::automatic:
    case ScanStrategy::sequential:
      return state_->kernel(variant, "_apply").launch(queue, range(1).with_local(1), list, wait_for);
    case ScanStrategy::chunks: {
      const std::size_t chunk = divided_up(plan.size, plan.parts);
      const std::size_t summed = source.uses_last() ? plan.parts : plan.parts - 1;
      const Buffer sums = partials(std::max<std::size_t>(summed, 1));
      list.emplace_back(static_cast<std::int64_t>(chunk));
      list.emplace_back(sums);
      if (summed != 0) {
        state_->kernel(variant, "_reduce").launch(queue, range(summed).with_local(1), list, wait_for);
        wait_for = {};
      }
      return state_->kernel(variant, "_apply").launch(queue, range(plan.parts).with_local(1), list, wait_for);
    }
    case ScanStrategy::multi_pass: {
      const Buffer sums = partials(plan.parts);
      list.emplace_back(sums);
      state_->kernel(variant, "_reduce").launch(queue, tiles, list, wait_for);
      const std::array<KernelArgument, 2> own = {KernelArgument(sums),
                                                 KernelArgument(static_cast<int>(plan.parts))};
      state_->kernel(variant, "_sums")
          .launch(queue, range(variant.group_size).with_local(variant.group_size), own);
      return state_->kernel(variant, "_apply").launch(queue, tiles, list);
    }
    case ScanStrategy::look_back:
      break;
  }
  const Buffer states(queue,
                      plan.parts * (source.is_packed() ? sizeof(std::uint64_t) : sizeof(std::uint32_t)));
  const std::byte zero{0};
  queue.fill(states, {&zero, 1});
  list.emplace_back(states);
  const Buffer values = source.is_packed() ? Buffer() : partials(2 * plan.parts);
  std::array<Buffer, 2> halves;
  if (!source.is_packed()) {
    const std::size_t nbytes = plan.parts * source.partial_size();
    halves = {values.sub_buffer(0, nbytes), values.sub_buffer(nbytes, nbytes)};
    for (const Buffer& half : halves) list.emplace_back(half);
  }
  return state_->kernel(variant, "_apply").launch(queue, tiles, list, wait_for);
}

}  // namespace quern
