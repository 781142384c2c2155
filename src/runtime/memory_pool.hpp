// SPDX-License-Identifier: MIT
// Device memory that is kept for reuse, with the pending uses that its next owner must wait for.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/backend.hpp"
#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "runtime/hazards.hpp"

namespace quern::detail {

// A freed block keeps the record of its pending uses. Its next owner inherits that record. An in-order queue
// therefore reuses its own memory at once, and another queue waits only for the work that is still pending.
class MemoryPool {
 public:
  struct Block {
    std::unique_ptr<backend::Memory> memory;
    UseRecord uses;
  };

  MemoryPool(std::shared_ptr<backend::Context> context, std::size_t device, Device handle);

  // Returns a block of at least `nbytes`. `queue` uses it first and may be null. If the device is out of
  // memory, the pool trims itself, runs the garbage collector, tries again, and then throws
  // OutOfDeviceMemory.
  Block take(std::size_t nbytes, const QueueState* queue);
  void give_back(Block&& block) noexcept;
  // Forgets finished uses of free blocks: their queues keep the context alive, which keeps this pool alive.
  void forget_done_uses();
  // Returns the free blocks to the driver, after waiting for their pending uses.
  void trim();

  [[nodiscard]] PoolStats stats() const;
  void set_limit(std::size_t nbytes);

 private:
  std::optional<Block> find(std::size_t nbytes, const QueueState* queue);
  std::unique_ptr<backend::Memory> allocate(std::size_t nbytes);
  [[noreturn]] void throw_out_of_memory(std::size_t nbytes) const;

  std::shared_ptr<backend::Context> context_;
  std::size_t device_;
  Device handle_;
  mutable std::mutex mutex_;
  std::optional<Block> find_small(std::size_t nbytes, const QueueState* queue);  // the caller holds mutex_
  std::optional<Block> find_large(std::size_t nbytes, const QueueState* queue);
  void keep(Block&& block);

  // Free blocks. Small ones are in one list for each size, so that adding a block rarely allocates.
  static constexpr std::size_t kStep = 256, kMostSmall = 4096;
  std::array<std::vector<Block>, kMostSmall / kStep + 1> small_;  // by size / kStep
  std::multimap<std::size_t, Block> large_;                       // by size
  PoolStats stats_;
  bool pooling_ = true;  // QUERN_POOL=0 turns it off, so that memory checkers see each buffer separately
};

}  // namespace quern::detail
