// SPDX-License-Identifier: MIT
// Launches functions that are written by hand, as kernels of the host.
#include "algorithms/host/precompiled_kernel.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/host/host_loops.hpp"
#include "algorithms/host/loop_call.hpp"
#include "algorithms/launch/background_compiler.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "quern/compilation.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

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

}  // namespace

bool calls_precompiled(const Queue& queue) {
  return HostLoops::runs_on(queue);
}

bool prefers_precompiled(const Queue& queue, std::uint64_t elements) {
  if (!may_call_functions(queue)) return false;
  // Asked last, because the first answer may take a run of the compiler.
  return host_loop_use() == HostLoopUse::only || elements < kSmallWork ||
         !queue.state()->context()->native().can_compile();
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
