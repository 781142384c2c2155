// SPDX-License-Identifier: MIT
// Memory that has one address on the host and on a device: shared virtual memory, managed memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/backend.hpp"

namespace quern::backend {

struct SharedMemory {
  std::shared_ptr<void> owner;     // outlives `memory`; may be null
  std::unique_ptr<Memory> memory;  // its host_pointer() is the address, or null if the host must map it
};

// Implemented by contexts whose devices may have such memory.
class SharingContext {
 public:
  virtual ~SharingContext() = default;
  enum class Grain : std::uint8_t {
    none,    // the device has no such memory
    coarse,  // the host accesses it between a map and an unmap
    fine,    // the host accesses it whenever no operation of the device uses it
  };
  [[nodiscard]] virtual Grain finest_grain(std::size_t device) const = 0;
  // The caller has asked for a grain that the device has.
  virtual SharedMemory allocate_shared(std::size_t device, std::size_t nbytes, Grain grain) = 0;
};

}  // namespace quern::backend
