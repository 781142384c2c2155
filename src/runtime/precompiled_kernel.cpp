// SPDX-License-Identifier: MIT
// A kernel that is a function of the library itself, launched like any other.
#include "runtime/precompiled_kernel.hpp"

#include <string>
#include <utility>

#include "quern/error.hpp"
#include "runtime/memory_operation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

std::shared_ptr<const PrecompiledKernel> PrecompiledKernel::make(const Queue& queue, Signature signature,
                                                                 backend::PrecompiledFunction* function,
                                                                 std::shared_ptr<const void> owner) {
  QueueState& state = *queue.state();
  auto module = state.context()->native().embed(function, signature, std::move(owner));
  if (!module) return nullptr;
  auto built = std::make_shared<BuiltProgram>();
  built->module = std::make_shared<LoadedModule>(state.context(), std::move(module));
  auto kernel = std::make_shared<PrecompiledKernel>();
  KernelInstance& instance = kernel->instance_;
  instance.context = state.context();
  instance.device = state.device();
  instance.function = &built->module->function(signature.name, nullptr);
  instance.local_memory = signature.local_memory;
  instance.signature_known = true;
  instance.signature = std::move(signature);
  instance.program = std::move(built);
  return kernel;
}

Event PrecompiledKernel::launch(const Queue& queue, const backend::LaunchShape& shape,
                                std::span<const std::byte> value, std::span<const Memory> memory,
                                WaitList wait_for) const {
  PackedLaunch packed(instance_, shape);
  packed.reserve(memory.size() + 1);
  packed.add_value(value.data(), value.size());
  for (const Memory& part : memory) {
    if (part.buffer->access() == (part.writes ? Access::read_only : Access::write_only)) {
      throw ArgumentError(ArgumentError::Kind::value,
                          instance_.signature.name + ": the memory is " +
                              (part.writes ? "read-only, and this would write it; copy the array first"
                                           : "write-only, and this would read it"));
    }
    packed.add_memory(*part.buffer, part.offset, part.size, part.writes);
  }
  count_launch();
  return queue.state()->submit(packed, packed.uses(), wait_for);
}

Event PrecompiledKernel::launch(const Queue& queue, const Range& range,
                                std::span<const KernelArgument> arguments, WaitList wait_for) const {
  if (arguments.size() != instance_.signature.parameters.size())
    throw ArgumentError(ArgumentError::Kind::type, "kernel '" + instance_.signature.name + "' takes " +
                                                       std::to_string(instance_.signature.parameters.size()) +
                                                       " arguments, got " + std::to_string(arguments.size()));
  evaluate_arrays(arguments);
  if (is_empty(range)) return submit_nothing(*queue.state(), wait_for);
  if (needs_copies(queue.state()->properties(), instance_.signature, arguments)) {
    const auto launch_aligned = [&](std::span<const KernelArgument> list, WaitList events) {
      return launch(queue, range, list, events);
    };
    if (auto event = launch_on_copies(instance_.signature, queue, arguments, wait_for, launch_aligned))
      return *event;
  }
  PackedLaunch packed(instance_, resolve_shape(instance_, range));
  packed.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    pack_argument(packed, instance_, i, arguments[i], *queue.state());
  if (packed.local_bytes() + instance_.local_memory != 0) check_local_memory(instance_, packed.local_bytes());
  count_launch();
  return queue.state()->submit(packed, packed.uses(), wait_for);
}

bool PrecompiledKernel::is_for(const Queue& queue) const noexcept {
  return instance_.context == queue.state()->context() && instance_.device == queue.state()->device();
}

}  // namespace quern::detail
