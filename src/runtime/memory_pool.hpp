// SPDX-License-Identifier: MIT
// Device memory that is kept for reuse, with the pending uses that its next owner must wait for.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "base/mutex.hpp"
#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/pool.hpp"
#include "runtime/hazards.hpp"
#include "runtime/queue_memory.hpp"

namespace quern::detail {

// A freed block keeps the record of its pending uses. Its next owner inherits that record. An in-order queue
// therefore reuses its own memory at once, and another queue waits only for the work that is still pending.
// Only the pool refers to the record of a free block, so it needs no hazard_mutex().
class MemoryPool {
 public:
  struct Block {
    std::shared_ptr<void> source = {};  // frees memory of the user's allocator; destroyed after `memory`
    std::unique_ptr<backend::Memory> memory;
    UseRecord uses = {};
    const Allocator* allocator = nullptr;    // null: the driver's
    std::shared_ptr<QueueMemory> user = {};  // the queue that it was last allocated for
  };
  using BlockPtr = std::unique_ptr<Block>;  // moves cheaply: each small array takes and gives back one

  MemoryPool(std::shared_ptr<backend::Context> context, std::size_t device, Device handle);

  // Returns a block of at least `nbytes`. `queue` uses it first and may be null. If the device is out of
  // memory, the pool trims itself, runs the garbage collector, tries again, and then throws
  // OutOfDeviceMemory.
  BlockPtr take(std::size_t nbytes, const QueueState* queue);
  void give_back(BlockPtr block) noexcept;
  // Forgets finished uses of free blocks: their queues keep the context alive, which keeps this pool alive.
  void forget_done_uses();
  // Returns the free blocks to the driver, after waiting for their pending uses. Blocks that work uses that
  // is held back stay. The wait hook may throw.
  void trim();

  [[nodiscard]] PoolStats stats() const;
  [[nodiscard]] QueuePoolStats stats(const QueueState& queue) const;
  void set_limit(std::size_t nbytes);
  // Null restores the driver's memory. Waits for pending uses of free blocks, which it returns.
  void set_allocator(std::shared_ptr<Allocator> allocator, bool pooled);

 private:
  // A new block of `size` bytes, or of exactly `nbytes` if the device has no more.
  BlockPtr allocate_block(std::size_t size, std::size_t nbytes, const QueueState* queue);
  BlockPtr allocate(std::size_t nbytes);  // null if no memory is left
  BlockPtr allocate_from(const std::shared_ptr<Allocator>& allocator, std::size_t nbytes);
  [[noreturn]] void throw_out_of_memory(std::size_t nbytes) const;

  std::shared_ptr<backend::Context> context_;
  std::size_t device_;
  Device handle_;
  mutable Mutex mutex_;
  // The caller holds mutex_. The size is one that round_size() returns.
  BlockPtr take_free(std::size_t size, const QueueState* queue);  // null if there is none
  BlockPtr take_small(std::size_t size, const QueueState* queue);
  BlockPtr take_large(std::size_t size, const QueueState* queue);
  void keep(BlockPtr block);
  void keep_or_release(BlockPtr block) noexcept;  // a block that is not in use; the caller holds no lock
  void count_use(Block& block, const QueueState* queue, bool is_reused) noexcept;
  static void count_gone(const Block& block) noexcept;     // a free block leaves the pool
  static std::size_t most_for(std::size_t size) noexcept;  // the largest block that serves this size

  // Free blocks. Small ones are in one list for each size, so that adding a block rarely allocates.
  static constexpr std::size_t kStep = 256, kMostSmall = 4096;
  std::array<std::vector<BlockPtr>, kMostSmall / kStep + 1> small_;  // by size / kStep
  std::multimap<std::size_t, BlockPtr> large_;                       // by size
  PoolStats stats_;
  std::shared_ptr<Allocator> allocator_;  // null: the driver's
  bool pooling_by_default_ = true;
  bool pooling_ = true;  // QUERN_POOL=0 turns it off, so that memory checkers see each buffer separately
};

}  // namespace quern::detail
