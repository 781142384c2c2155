// SPDX-License-Identifier: MIT
// Memory that the operations of a CUDA graph use besides that of the program.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/cuda/memory.hpp"

namespace quern::backend::cuda {

// Rows that a replay copies from pinned memory, where the device has written them, to pageable memory.
struct Landing {
  std::shared_ptr<CudaPinnedMemory> from;
  std::byte* to;
  std::size_t width, rows, row_pitch;  // bytes; of the target

  // A host function of the graph: it must not call the driver.
  static void land(void* landing);
};

struct GraphMemory {
  std::vector<std::unique_ptr<CudaMemory>> device;
  std::vector<std::unique_ptr<Landing>> landings;
  [[nodiscard]] bool empty() const noexcept { return device.empty() && landings.empty(); }
};

}  // namespace quern::backend::cuda
