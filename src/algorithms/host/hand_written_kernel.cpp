// SPDX-License-Identifier: MIT
// Launches functions that are written by hand, as kernels of the host.
#include "algorithms/host/hand_written_kernel.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/host/loop_call.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

PrecompiledKernels& kernels_of(const HandWrittenKernel& kernel) {
  struct Table {
    std::mutex mutex;
    std::map<std::pair<quern_kernel_function*, std::string_view>, PrecompiledKernels> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  const std::lock_guard lock(table->mutex);
  return table->kernels
      .try_emplace({kernel.function, kernel.name}, kernel.name, kernel.function, kernel.scratch, nullptr)
      .first->second;
}

}  // namespace

Event HandWrittenKernel::launch_bytes(const Queue& queue, std::size_t elements, std::size_t group,
                                      std::span<const std::byte> call, std::span<const Memory> memory,
                                      WaitList wait_for) const {
  return launch_bytes(kernels_of(*this), queue, elements, group, call, memory, wait_for);
}

Event HandWrittenKernel::launch_bytes(PrecompiledKernels& kernels, const Queue& queue, std::size_t elements,
                                      std::size_t group, std::span<const std::byte> call,
                                      std::span<const Memory> memory, WaitList wait_for) {
  const std::string& name = kernels.name();
  for (const Memory& part : memory) {
    if (part.buffer->released())
      throw ArgumentError(ArgumentError::Kind::value, name + ": the buffer was released");
    if (part.buffer->allocation()->context() != queue.state()->context())
      throw ArgumentError(ArgumentError::Kind::value, name + ": the memory is on " +
                                                          part.buffer->device().spec() + ", the queue on " +
                                                          queue.device().spec());
  }
  backend::LaunchShape shape;
  shape.dims = 1;
  shape.global = {elements, 1, 1};
  shape.local = {std::min(group, elements), 1, 1};
  return kernels.get(queue)->launch(queue, shape, call, memory, wait_for);
}

}  // namespace quern::algorithms
