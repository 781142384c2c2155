// SPDX-License-Identifier: MIT
// What queues can do that place memory themselves: map it for the host, and migrate it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "backend/backend.hpp"

namespace quern::backend {

// A range of memory that the host accesses in place, from map() to unmap(). Destroying it unmaps what unmap()
// did not.
class MappedRange {
 public:
  virtual ~MappedRange() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
};

// What the host does with mapped memory. Without `reads` the contents are undefined until the host writes
// them.
struct HostAccess {
  bool reads = true, writes = true;
};

// Implemented by queues of backends whose memory may be in several places. The rules for Queue hold.
class MappingQueue {
 public:
  virtual ~MappingQueue() = default;

  // Whether map() gives the host the memory itself. Otherwise the caller maps it by copies.
  [[nodiscard]] virtual bool maps_in_place(const Memory& memory) const noexcept = 0;
  // Maps a range, which the host may access once the operation is done.
  virtual TimingPtr map(Memory& memory, std::size_t offset, std::size_t nbytes, HostAccess access,
                        std::unique_ptr<MappedRange>& range) = 0;
  virtual TimingPtr unmap(MappedRange& range) = 0;
  // Moves memory to the queue's device, or to the host, ahead of its use.
  virtual TimingPtr migrate(std::span<Memory* const> memory, bool to_host) = 0;
};

}  // namespace quern::backend
