// SPDX-License-Identifier: MIT
// Functions of the library that stand in for compiled kernels on the host.
#include "algorithms/stand_in.hpp"

#include <map>
#include <mutex>
#include <string>

#include "algorithms/host_loops.hpp"
#include "algorithms/loop_call.hpp"
#include "codegen/loop.hpp"
#include "quern/compilation.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

std::shared_ptr<const detail::EmbeddedKernel> kernel_for(const StandIn& stand_in, const Queue& queue) {
  struct Table {
    std::mutex mutex;
    std::map<quern_kernel_function*, LoopKernels> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  LoopKernels* known = nullptr;
  {
    const std::lock_guard lock(table->mutex);
    known = &table->kernels
                 .try_emplace(stand_in.function, stand_in.name, stand_in.function, stand_in.scratch, nullptr)
                 .first->second;
  }
  return known->get(queue);
}

}  // namespace

bool calls_functions(const Queue& queue) {
  return HostLoops::runs_on(queue);
}

bool takes_stand_in(const Queue& queue, std::uint64_t elements, const Kernel* kernel) {
  if (!calls_functions(queue)) return false;
  // QUERN_LOOPS=grid asks for the kernels that GPUs run.
  if (codegen::loop_style(queue.state()->properties()) != codegen::LoopStyle::chunks) return false;
  const HostLoopUse use = host_loop_use();
  if (use != HostLoopUse::until_compiled) return use == HostLoopUse::only;
  if (kernel != nullptr && kernel->ready(queue)) return false;
  return elements < kSmallWork || !queue.state()->context()->native().can_compile();
}

Event StandIn::launch_bytes(const Queue& queue, std::size_t elements, std::size_t group,
                            std::span<const std::byte> call, std::span<const Memory> memory,
                            WaitList wait_for) const {
  for (const Memory& part : memory) {
    if (part.buffer->access() == (part.writes ? Access::read_only : Access::write_only))
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(name) + ": the buffer is " +
                              (part.writes ? "read-only, but written" : "write-only, but read"));
  }
  backend::LaunchShape shape;
  shape.dims = 1;
  shape.global = {elements, 1, 1};
  shape.local = {group, 1, 1};
  return kernel_for(*this, queue)->launch(queue, shape, call, memory, wait_for);
}

}  // namespace quern::algorithms
