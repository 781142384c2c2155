// SPDX-License-Identifier: MIT
// Functions of the library that stand in for compiled kernels on the host.
#include "algorithms/host/precompiled_kernel.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "algorithms/host/host_loops.hpp"
#include "algorithms/host/loop_call.hpp"
#include "algorithms/launch/background_compiler.hpp"
#include "codegen/loop.hpp"
#include "quern/compilation.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

// Work of fewer elements does not wait for the compiler.
constexpr std::uint64_t kMuchWork = std::uint64_t{1} << 20;

std::shared_ptr<const detail::EmbeddedKernel> kernel_for(const PrecompiledKernel& precompiled,
                                                         const Queue& queue) {
  struct Table {
    std::mutex mutex;
    std::map<std::pair<quern_kernel_function*, std::string_view>, EmbeddedKernels> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  EmbeddedKernels* known = nullptr;
  {
    const std::lock_guard lock(table->mutex);
    known = &table->kernels
                 .try_emplace({precompiled.function, precompiled.name}, precompiled.name,
                              precompiled.function, precompiled.scratch, nullptr)
                 .first->second;
  }
  return known->get(queue);
}

// Whether a kernel that work was done without was asked for often enough, once.
bool is_worth_compiling(const Kernel& kernel, std::uint64_t elements) {
  struct Table {
    std::mutex mutex;
    std::unordered_map<std::shared_ptr<detail::KernelState>, Demand> demands;
  };
  static auto* const table = new Table;
  constexpr std::size_t kMost = 1024;
  const std::lock_guard lock(table->mutex);
  if (table->demands.size() == kMost) table->demands.clear();
  return table->demands[kernel.state()].add(elements);
}

}  // namespace

bool calls_precompiled(const Queue& queue) {
  return HostLoops::runs_on(queue);
}

bool prefers_precompiled(const Queue& queue, std::uint64_t elements, const Kernel* kernel) {
  if (!calls_precompiled(queue)) return false;
  // QUERN_LOOPS=grid asks for the kernels that GPUs run.
  if (codegen::loop_style(queue.state()->properties()) != codegen::LoopStyle::chunks) return false;
  const HostLoopUse use = host_loop_use();
  if (use != HostLoopUse::until_compiled) return use == HostLoopUse::only;
  if (kernel != nullptr && kernel->ready(queue)) return false;
  if (elements < kSmallWork && kernel == nullptr) return true;
  if (kernel != nullptr && elements < kMuchWork) {
    if (!is_worth_compiling(*kernel, elements)) return true;
    if (kernel->prepare_from_cache(queue)) return false;
    if (compile_in_background(*kernel, queue)) return true;
  }
  // Last, because the first answer may take a run of the compiler.
  return !queue.state()->context()->native().can_compile();
}

Event PrecompiledKernel::launch_bytes(const Queue& queue, std::size_t elements, std::size_t group,
                                      std::span<const std::byte> call, std::span<const Memory> memory,
                                      WaitList wait_for) const {
  for (const Memory& part : memory) {
    if (part.buffer->released())
      throw ArgumentError(ArgumentError::Kind::value, std::string(name) + ": the buffer was released");
    if (part.buffer->allocation()->context() != queue.state()->context())
      throw ArgumentError(ArgumentError::Kind::value, std::string(name) + ": the memory is on " +
                                                          part.buffer->device().spec() + ", the queue on " +
                                                          queue.device().spec());
  }
  backend::LaunchShape shape;
  shape.dims = 1;
  shape.global = {elements, 1, 1};
  shape.local = {std::min(group, elements), 1, 1};
  return kernel_for(*this, queue)->launch(queue, shape, call, memory, wait_for);
}

}  // namespace quern::algorithms
