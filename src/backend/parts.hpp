// SPDX-License-Identifier: MIT
// Devices that can be divided into parts, and memory that contexts of one device have in common.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "quern/parts.hpp"

namespace quern::backend {

// Implemented by devices whose compute units can be divided.
class DividedDevice {
 public:
  virtual ~DividedDevice() = default;
  // Returns devices that own disjoint compute units of this one, `self`. The caller has checked that there
  // are enough of them, and keeps the parts until the process ends. Throws ArgumentError if the hardware does
  // not divide like this, and Error if the driver cannot.
  virtual std::vector<std::shared_ptr<Device>> split(const std::shared_ptr<Device>& self,
                                                     const Division& division) = 0;
};

// Implemented by contexts that can use memory of other contexts of the same hardware as their own.
class CommonMemoryContext {
 public:
  virtual ~CommonMemoryContext() = default;
  [[nodiscard]] virtual bool can_use(const Memory& memory) const noexcept = 0;
};

// Implemented by queues whose copy() accepts memory of other contexts.
class PeerQueue {
 public:
  virtual ~PeerQueue() = default;
  [[nodiscard]] virtual bool can_copy(const Memory& memory) const noexcept = 0;
};

}  // namespace quern::backend
