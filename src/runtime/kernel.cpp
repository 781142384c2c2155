// SPDX-License-Identifier: MIT
// Launches kernels: checks the arguments and sizes of a call, packs them and submits the launch.
#include "quern/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "quern/declared_signature.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/launch.hpp"
#include "runtime/loaded_module.hpp"
#include "runtime/memory_operation.hpp"
#include "runtime/program_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace detail {
namespace {

std::atomic<std::uint64_t> launches{0};

}  // namespace

std::uint64_t launch_count() noexcept {
  return launches.load(std::memory_order_relaxed);
}

void count_launch() noexcept {
  launches.fetch_add(1, std::memory_order_relaxed);
}

PackedLaunch::PackedLaunch(const PackedLaunch& other)
    : Operation(other),
      owned_kernel_(other.owned_kernel_ ? other.owned_kernel_
                                        : std::make_shared<const KernelInstance>(*other.kernel_)),
      shape_(other.shape_),
      value_bytes_(other.value_bytes_),
      arguments_(other.arguments_),
      inline_values_(other.inline_values_),
      large_values_(other.large_values_),
      owned_(other.owned_) {
  kernel_ = owned_kernel_.get();
  owned_.reserve(other.allocations_.size());
  for (const std::shared_ptr<Allocation>* const allocation : other.allocations_)
    owned_.push_back(*allocation);
}

void PackedLaunch::reserve(std::size_t arguments) {
  arguments_.reserve(arguments);
  allocations_.reserve(arguments);
  uses_.reserve(arguments + 1);
}

backend::Argument& PackedLaunch::add(backend::Argument::Kind kind, std::size_t size) {
  backend::Argument& argument = arguments_.emplace_back();
  argument.kind = kind;
  argument.size = size;
  return argument;
}

void PackedLaunch::add_value(const void* bytes, std::size_t size) {
  const std::size_t offset = (value_bytes_ + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
  value_bytes_ = offset + size;
  if (!large_values_.empty()) {
    large_values_.resize(value_bytes_);
  } else if (value_bytes_ > kInlineBytes) {
    large_values_.assign(inline_values_.begin(), inline_values_.end());
    large_values_.resize(value_bytes_);
  }
  std::memcpy(values() + offset, bytes, size);
  add(backend::Argument::Kind::value, size).offset = offset;
}

void PackedLaunch::add_memory(const Buffer& buffer, std::size_t offset, std::size_t size, bool writes) {
  const std::size_t first = buffer.offset() + offset;
  const std::shared_ptr<Allocation>& allocation = buffer.allocation();
  arguments_.push_back({backend::Argument::Kind::memory, nullptr, size, &allocation->memory(), first});
  allocations_.push_back(&allocation);
  const Usage usage = writes ? Usage::writes : Usage::reads;
  uses_.push_back({&allocation->uses(), {first, first + size}, usage});
}

void PackedLaunch::add_local(std::size_t nbytes) {
  add(backend::Argument::Kind::local, nbytes);
  local_bytes_ += nbytes;
}

void PackedLaunch::add_null() {
  add(backend::Argument::Kind::null_pointer, 0);
}

std::span<const Use> PackedLaunch::uses() {
  LoadedModule& module = *kernel_->program->module;
  uses_.push_back({&module.uses(), kWhole, module.has_shared_globals() ? Usage::writes : Usage::reads});
  return uses_;
}

backend::TimingPtr PackedLaunch::issue(backend::Queue& queue, backend::ObserverSource& observers) {
  for (backend::Argument& argument : arguments_) {
    if (argument.kind == backend::Argument::Kind::value) argument.value = values() + argument.offset;
  }
  backend::Function& function = *kernel_->function;
  if (function.may_fail()) return queue.launch_observed(function, shape_, arguments_, observers);
  return queue.launch(function, shape_, arguments_);
}

void PackedLaunch::replace_argument(std::size_t index, const KernelArgument& argument,
                                    const QueueState& queue, std::vector<Use>& uses) {
  using Kind = backend::Argument::Kind;
  PackedLaunch single(*kernel_, shape_);
  pack_argument(single, *kernel_, index, argument, queue);
  const backend::Argument& given = single.arguments_[0];
  backend::Argument& old = arguments_[index];
  if (given.kind == Kind::value && old.kind == Kind::value && given.size == old.size) {
    std::memcpy(values() + old.offset, single.values() + given.offset, given.size);
    return;
  }
  if (given.kind != old.kind || given.kind != Kind::memory) {
    throw ArgumentError(ArgumentError::Kind::type,
                        "argument " + std::to_string(index) + " of kernel '" + kernel_->signature.name +
                            "' was captured as another kind of argument, which a graph cannot change");
  }
  // One use for each memory argument, in order.
  const auto before = static_cast<std::size_t>(
      std::count_if(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(index),
                    [](const backend::Argument& each) { return each.kind == Kind::memory; }));
  uses[before] = single.uses_[0];
  const backend::Memory* const former = old.memory;
  old = given;
  owned_.push_back(*single.allocations_[0]);
  const bool is_used = std::any_of(arguments_.begin(), arguments_.end(),
                                   [&](const backend::Argument& each) { return each.memory == former; });
  if (!is_used)
    std::erase_if(owned_, [&](const std::shared_ptr<Allocation>& each) { return &each->memory() == former; });
}

void PackedLaunch::rebind(const Rebinding& rebinding) {
  const backend::Memory* const from = &rebinding.from->memory();
  for (backend::Argument& argument : arguments_) {
    if (argument.kind != backend::Argument::Kind::memory || argument.memory != from) continue;
    argument.memory = &rebinding.to->memory();
    argument.offset += static_cast<std::size_t>(rebinding.shift);
  }
  std::erase(owned_, rebinding.from);
  owned_.push_back(rebinding.to);
}

void PackedLaunch::disown(const Allocation& memory) {
  std::erase_if(owned_, [&](const std::shared_ptr<Allocation>& each) { return each.get() == &memory; });
}

std::unique_ptr<Operation> PackedLaunch::detach() const {
  return std::make_unique<PackedLaunch>(*this);
}

void evaluate_arrays(std::span<const KernelArgument> arguments) {
  for (const KernelArgument& argument : arguments)
    if (argument.kind == KernelArgument::Kind::array) argument.array->evaluate();
}

bool is_empty(const Range& range) noexcept {
  return range.global[0] == 0 || (range.dims > 1 && range.global[1] == 0) ||
         (range.dims > 2 && range.global[2] == 0);
}

}  // namespace detail

Event Kernel::launch(const Queue& queue, const Range& range, std::span<const KernelArgument> arguments,
                     WaitList wait_for) const {
  detail::QueueState& state = *queue.state();
  const DeviceProperties& properties = state.properties();
  const detail::KernelInstance& instance =
      state_->instance_for(state.context(), state.device(), detail::given_local(properties, range));
  const Signature& signature = instance.signature;
  if (instance.signature_known && arguments.size() != signature.parameters.size()) {
    std::string text = "kernel '" + signature.name + "' takes " +
                       std::to_string(signature.parameters.size()) + " arguments, got " +
                       std::to_string(arguments.size()) + ". They are:";
    for (const Parameter& parameter : signature.parameters)
      text += "\n  " + parameter.type_name + " " + parameter.name;
    throw ArgumentError(ArgumentError::Kind::type, text);
  }
  detail::evaluate_arrays(arguments);
  if (state_->program().source().options().copies_unaligned && instance.signature_known &&
      detail::needs_copies(properties, signature, arguments)) {
    const auto launch_aligned = [&](std::span<const KernelArgument> list, WaitList events) {
      return launch(queue, range, list, events);
    };
    if (auto event = detail::launch_on_copies(signature, queue, arguments, wait_for, launch_aligned))
      return *event;
  }
  if (range.dims < 1 || range.dims > 3) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "a global size has one to three dimensions, not " + std::to_string(range.dims));
  }
  const bool is_empty = detail::is_empty(range);
  const backend::LaunchShape shape =
      is_empty ? backend::LaunchShape{} : detail::resolve_shape(instance, range);
  detail::PackedLaunch packed(
      instance.wants_fixed_local ? state_->fixed_for(instance, shape.local) : instance, shape);
  packed.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    detail::pack_argument(packed, instance, i, arguments[i], state);
  }
  if (packed.local_bytes() + instance.local_memory != 0)
    detail::check_local_memory(instance, packed.local_bytes());
  if (is_empty) return detail::submit_nothing(state, wait_for);
  detail::count_launch();
  return state.submit(packed, packed.uses(), wait_for);
}

bool Kernel::ready(const Queue& queue) const noexcept {
  return state_->find(queue.state()->context().get(), queue.state()->device()) != nullptr;
}

void Kernel::prepare(const Queue& queue) const {
  (void)state_->instance_for(queue.state()->context(), queue.state()->device());
}

bool Kernel::prepare_from_cache(const Queue& queue) const {
  return state_->find_or_load(queue.state()->context(), queue.state()->device()) != nullptr;
}

const std::string& Kernel::name() const noexcept {
  return state_->name();
}

Signature Kernel::signature(const Device& device) const {
  return state_->instance_for(detail::ContextState::of(device), 0).signature;
}

std::optional<Signature> declared_signature(const Kernel& kernel) {
  detail::ProgramState& program = kernel.state()->program();
  if (program.from_binary()) return std::nullopt;
  try {
    for (Signature& signature : program.source().translation()->signatures())
      if (signature.name == kernel.name()) return std::move(signature);
  } catch (const BuildError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

FunctionAttributes Kernel::attributes(const Device& device) const {
  return state_->instance_for(detail::ContextState::of(device), 0).function->attributes();
}

std::optional<unsigned> Kernel::groups_per_compute_unit(const Device& device, std::size_t group_size,
                                                        std::size_t dynamic_local) const {
  return state_->instance_for(detail::ContextState::of(device), 0)
      .function->groups_per_compute_unit(group_size, dynamic_local);
}

}  // namespace quern
