// SPDX-License-Identifier: MIT
// Device memory that is kept for reuse, with the pending uses that its next owner must respect.
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

// A freed block keeps the record of who still uses it. Its next owner inherits that record, so an in-order
// queue reuses its own memory at once, and another queue waits for exactly the work that is still pending.
class MemoryPool {
 public:
  struct Block {
    std::unique_ptr<backend::Memory> memory;
    UseRecord uses;
  };

  MemoryPool(std::shared_ptr<backend::Context> context, std::size_t device, Device handle);

  // A block of at least `nbytes`; `queue`, which may be null, is who will use it first. When the device is
  // full: trims, runs the collector, tries again, then throws OutOfDeviceMemory.
  Block take(std::size_t nbytes, const QueueState* queue);
  void give_back(Block&& block) noexcept;
  // Forgets uses of free blocks that are done: their queues keep the context that keeps this pool.
  void forget_done_uses();
  // Gives the free blocks back to the driver, waiting for what is pending on them.
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
  std::optional<Block> find_small(std::size_t nbytes, const QueueState* queue);  // with mutex_ held
  std::optional<Block> find_large(std::size_t nbytes, const QueueState* queue);
  void keep(Block&& block);

  // Free blocks. Small ones are in lists of one size each, which take no memory of their own to fill.
  static constexpr std::size_t kStep = 256, kMostSmall = 4096;
  std::array<std::vector<Block>, kMostSmall / kStep + 1> small_;  // by size / kStep
  std::multimap<std::size_t, Block> large_;                       // by size
  PoolStats stats_;
  bool pooling_ = true;  // QUERN_POOL=0 turns it off, so that memory checkers see every buffer by itself
};

}  // namespace quern::detail
