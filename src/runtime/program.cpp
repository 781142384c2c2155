// SPDX-License-Identifier: MIT
// Programs and the lookup of their kernels.
#include "quern/program.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "frontend/frontend.hpp"
#include "frontend/hints.hpp"
#include "quern/error.hpp"
#include "quern/kernel.hpp"
#include "runtime/allocation.hpp"
#include "runtime/program_state.hpp"

namespace quern {
namespace detail {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : joined(names, ", ");
}

}  // namespace

ProgramState::ProgramState(std::shared_ptr<const BuiltProgram> built, std::shared_ptr<ContextState> context,
                           std::size_t device)
    : from_binary_(true) {
  builds_.push_back({std::move(context), device, {}, std::move(built)});
}

std::shared_ptr<const BuiltProgram> ProgramState::find_build(const std::shared_ptr<ContextState>& context,
                                                             std::size_t device,
                                                             const LocalSize& local) const {
  for (const Build& build : builds_)
    if (build.context == context && build.device == device && build.local == local) return build.program;
  return nullptr;
}

bool ProgramState::is_built(const std::shared_ptr<ContextState>& context, std::size_t device) {
  const std::lock_guard lock(mutex_);
  return find_build(context, device, {}) != nullptr;
}

// What the front end made of the source is kept as long as there may be builds for more local sizes.
void ProgramState::keep_build(Build build) {
  const bool may_be_built_again =
      std::ranges::any_of(build.program->entry.signatures, &Signature::wants_fixed_local);
  builds_.push_back(std::move(build));
  if (!may_be_built_again) source_.release_translations();
}

std::shared_ptr<const BuiltProgram> ProgramState::built_for(const std::shared_ptr<ContextState>& context,
                                                            std::size_t device, const LocalSize& local) {
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find_build(context, device, local)) return found;
    if (from_binary_) {
      const Build& only = builds_.front();
      throw ArgumentError(ArgumentError::Kind::value,
                          "the program is a binary for " + only.context->devices()[only.device].spec() +
                              " and cannot run on " + context->devices()[device].spec());
    }
  }
  // Without the lock: others ask for the names of kernels meanwhile. Threads that build the same wait there.
  auto program = build_program(source_, context, device, local);
  const std::lock_guard lock(mutex_);
  if (auto found = find_build(context, device, local)) return found;
  keep_build({context, device, local, program});
  return program;
}

std::shared_ptr<const BuiltProgram> ProgramState::built_before(const std::shared_ptr<ContextState>& context,
                                                               std::size_t device, const LocalSize& local) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || from_binary_) return nullptr;
  if (auto found = find_build(context, device, local)) return found;
  auto program = find_program(source_, context, device, local);
  if (program) keep_build({context, device, local, program});
  return program;
}

// What was built says it, too, and the caches know it without a run of the front end.
bool ProgramState::wants_fixed_local(const std::shared_ptr<ContextState>& context, std::size_t device,
                                     const LocalSize& local, std::string_view kernel) {
  if (from_binary_ || !can_fix_local(source_, context->devices()[device])) return false;
  const auto wants = [&](const BuiltProgram& program) {
    return std::ranges::any_of(program.entry.signatures, [&](const Signature& signature) {
      return signature.name == kernel && signature.wants_fixed_local;
    });
  };
  {
    const std::lock_guard lock(mutex_);
    for (const Build& build : builds_)
      if (build.context == context && build.device == device && wants(*build.program)) return true;
  }
  if (const auto fixed = built_before(context, device, local); fixed && wants(*fixed)) return true;
  if (const auto any = built_before(context, device)) return wants(*any);
  return detail::wants_fixed_local(source_, context, device, kernel);
}

std::vector<std::string> ProgramState::kernel_names() {
  std::vector<std::string> names;
  std::vector<Signature> signatures;
  {
    const std::lock_guard lock(mutex_);
    if (!builds_.empty()) {
      const BuiltProgram& program = *builds_.front().program;
      signatures = program.entry.signatures;
      if (signatures.empty()) names = program.module->module().function_names();
    }
  }
  if (signatures.empty() && names.empty() && !from_binary_) {
    try {
      signatures = source_.translation()->signatures();
    } catch (const BuildError& error) {
      const bool is_cuda_c = source_.options().language == Language::cuda_c;
      const std::string hint = is_cuda_c ? "" : frontend::hint_for(source_.text(), false);
      if (hint.empty()) throw;
      throw BuildError(error.what() + ("hint: " + hint), error.diagnostics(), error.log());
    }
  }
  for (const Signature& signature : signatures) names.push_back(signature.name);
  for (const std::string& expression : source_.options().name_expressions) {
    if (std::find(names.begin(), names.end(), expression) == names.end()) names.push_back(expression);
  }
  return names;
}

const KernelInstance* KernelState::find(const ContextState* context, std::size_t device) noexcept {
  const KernelInstance* last = last_.load(std::memory_order_acquire);
  if (last && last->context.get() == context && last->device == device) return last;
  const std::lock_guard lock(mutex_);
  for (const auto& instance : instances_) {
    if (instance->context.get() == context && instance->device == device) {
      last_.store(instance.get(), std::memory_order_release);
      return instance.get();
    }
  }
  return nullptr;
}

const KernelInstance& KernelState::instance_for(const std::shared_ptr<ContextState>& context,
                                                std::size_t device) {
  if (const KernelInstance* found = find(context.get(), device)) return *found;
  auto instance = make_instance(context, device, {});
  const std::lock_guard lock(mutex_);
  for (const auto& other : instances_) {  // another thread may have been quicker
    if (other->context == context && other->device == device) return *other;
  }
  instances_.push_back(std::move(instance));
  last_.store(instances_.back().get(), std::memory_order_release);
  return *instances_.back();
}

const KernelInstance* KernelState::find_or_load(const std::shared_ptr<ContextState>& context,
                                                std::size_t device) {
  if (const KernelInstance* found = find(context.get(), device)) return found;
  return program_->built_before(context, device) ? &instance_for(context, device) : nullptr;
}

const KernelInstance& KernelState::instance_for(const std::shared_ptr<ContextState>& context,
                                                std::size_t device, const LocalSize& local) {
  if (local[0] != 0) {
    if (const KernelInstance* fixed = find_fixed(context.get(), device, local)) return *fixed;
    const bool is_new = find(context.get(), device) == nullptr;
    if (is_new && program_->wants_fixed_local(context, device, local, name_)) {
      if (const KernelInstance* fixed = make_fixed(context, device, local)) return *fixed;
    }
  }
  return instance_for(context, device);
}

const KernelInstance* KernelState::find_fixed(const ContextState* context, std::size_t device,
                                              const LocalSize& local) {
  const KernelInstance* const last = last_fixed_.load(std::memory_order_acquire);
  if (!last || last->is_for(context, device, local)) return last;  // there is none before the first is used
  const std::lock_guard lock(mutex_);
  for (const auto& other : fixed_) {
    if (!other->is_for(context, device, local)) continue;
    last_fixed_.store(other.get(), std::memory_order_release);
    return other.get();
  }
  return nullptr;
}

const KernelInstance* KernelState::make_fixed(const std::shared_ptr<ContextState>& context,
                                              std::size_t device, const LocalSize& local) {
  {
    const std::lock_guard lock(mutex_);
    if (fixed_.size() >= kMostFixed) return nullptr;
  }
  auto made = make_instance(context, device, local);
  const std::lock_guard lock(mutex_);
  for (const auto& other : fixed_)  // another thread may have been quicker
    if (other->is_for(context.get(), device, local)) return other.get();
  fixed_.push_back(std::move(made));
  last_fixed_.store(fixed_.back().get(), std::memory_order_release);
  return fixed_.back().get();
}

const KernelInstance& KernelState::fixed_for(const KernelInstance& instance, const LocalSize& local) {
  if (const KernelInstance* found = find_fixed(instance.context.get(), instance.device, local)) return *found;
  const KernelInstance* const made = make_fixed(instance.context, instance.device, local);
  return made ? *made : instance;
}

std::unique_ptr<KernelInstance> KernelState::make_instance(const std::shared_ptr<ContextState>& context,
                                                           std::size_t device, const LocalSize& local) {
  auto program = program_->built_for(context, device, local);
  auto instance = std::make_unique<KernelInstance>();
  instance->context = context;
  instance->device = device;
  instance->local = local;
  const ProgramEntry& entry = program->entry;
  std::string symbol = entry.lowered ? std::string(frontend::kSymbolPrefix) + name_ : name_;
  for (const auto& [expression, lowered] : entry.lowered_names) {
    if (expression == name_) symbol = lowered;
  }
  const auto signature = std::find_if(entry.signatures.begin(), entry.signatures.end(),
                                      [&](const Signature& s) { return s.name == name_; });
  instance->signature_known = signature != entry.signatures.end();
  if (instance->signature_known) instance->signature = *signature;
  instance->signature.name = name_;
  if (!instance->signature_known && entry.lowered) {
    throw ArgumentError(ArgumentError::Kind::value, "the program has no kernel '" + name_ +
                                                        "'; it has: " + list_of(program_->kernel_names()));
  }
  try {
    instance->function = &program->module->function(symbol, entry.lowered ? &instance->signature : nullptr);
  } catch (
      const ArgumentError& error) {  // other errors, such as too little memory, keep their type and words
    throw ArgumentError(ArgumentError::Kind::value, "the program has no kernel '" + name_ + "' (" +
                                                        error.what() +
                                                        "); it has: " + list_of(program_->kernel_names()));
  }
  const FunctionAttributes& attributes = instance->function->attributes();
  instance->local_memory = attributes.local_memory;
  instance->wants_fixed_local = attributes.wants_fixed_local && local[0] == 0 &&
                                instance->signature.required_local[0] == 0 && !program_->from_binary();
  // The author asked for none; other sizes have instances of their own.
  if (local[0] != 0) instance->signature.required_local = {};
  instance->program = std::move(program);
  return instance;
}

}  // namespace detail

Program::Program(std::string source, ProgramOptions options)
    : state_(std::make_shared<detail::ProgramState>(std::move(source), std::move(options))) {}

Program Program::from_binary(const Context& context, const Device& device,
                             std::span<const std::byte> binary) {
  const std::size_t index = context.state()->index_of(device);
  auto built = detail::load_program(binary, context.state(), index);
  return Program(std::make_shared<detail::ProgramState>(std::move(built), context.state(), index));
}

void Program::build(const Device& device) const {
  build(Context::of(device), device);
}

void Program::build(const Context& context, const Device& device) const {
  state_->built_for(context.state(), context.state()->index_of(device))->module->module().load_functions();
}

bool Program::is_built(const Device& device) const {
  return state_->is_built(detail::ContextState::of(device), 0);
}

Kernel Program::kernel(const std::string& name) const {
  return Kernel(std::make_shared<detail::KernelState>(state_, name));
}

std::vector<std::string> Program::kernel_names() const {
  return state_->kernel_names();
}

void Program::check_declarations(const Device& device) const {
  if (state_->from_binary()) return;
  const bool is_read = detail::check_declarations(state_->source(), detail::ContextState::of(device), 0);
  if (!is_read) build(device);
}

const std::string& Program::source() const noexcept {
  return state_->source().text();
}
std::string Program::name() const {
  return state_->source().options().name;
}

std::string Program::log(const Device& device) const {
  return state_->built_for(detail::ContextState::of(device), 0)->entry.log;
}

std::vector<std::byte> Program::binary(const Device& device) const {
  return detail::serialize(state_->built_for(detail::ContextState::of(device), 0)->entry);
}

std::string Program::lowered_source(const Device& device) const {
  return lowered_source(device.properties().dialect);
}

std::string Program::lowered_source(Dialect dialect) const {
  if (state_->from_binary())
    throw ArgumentError(ArgumentError::Kind::value, "a program made from a binary has no source");
  return detail::compiler_input(state_->source(), dialect);
}

Buffer Program::global(const std::string& name, const Device& device) const {
  auto context = detail::ContextState::of(device);
  auto built = state_->built_for(context, 0);
  std::string symbol = name;
  for (const auto& [expression, lowered] : built->entry.lowered_names) {
    if (expression == name) symbol = lowered;
  }
  auto memory = built->module->module().global(symbol);
  if (!memory) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the program has no global variable '" + name + "' on " + device.spec());
  }
  built->module->share_globals();
  const std::size_t size = memory->size();
  return Buffer(std::make_shared<detail::Allocation>(context, 0, std::move(memory), built->module,
                                                     &built->module->uses()),
                size);
}

}  // namespace quern
