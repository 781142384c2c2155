// SPDX-License-Identifier: MIT
// Memory that the processes of all ranks map.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "distributed/communicator.hpp"

namespace quern::distributed {

// One part for each rank, on pages of its own, zeros at first. It has no name in the file system, so nothing
// is left behind by ranks that are killed, and it is not limited by the size of /dev/shm.
class SharedMemory {
 public:
  // Called by all ranks with equal lengths, by rank, in bytes. Throws DistributedError on all ranks if the
  // ranks run on several nodes, or if one of them has not enough memory.
  SharedMemory(CommunicatorState& communicator, const Call& call, std::span<const std::size_t> lengths);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::byte* part(int rank) const noexcept {
    return memory_ + offsets_[static_cast<std::size_t>(rank)];
  }

 private:
  std::byte* memory_ = nullptr;
  std::vector<std::size_t> offsets_;  // of the parts; the last entry is the length of all
};

}  // namespace quern::distributed
