// SPDX-License-Identifier: MIT
// The memory pool: size classes, reuse, and what happens if the device is out of memory.
#include "runtime/memory_pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern {
namespace detail {
namespace {

constexpr std::size_t kLarge = std::size_t{32} << 20;
constexpr std::size_t kLargeStep = std::size_t{2} << 20;
constexpr std::size_t kLookedAt = 8;  // free blocks that are checked for one that is ready

std::atomic<void (*)()> collector{nullptr};

// Four size classes for each power of two, so that at most a quarter is wasted. Large blocks come in steps of
// 2 MiB.
std::size_t round_size(std::size_t nbytes, std::size_t least) {
  if (nbytes <= least) return least;
  const std::size_t step = nbytes >= kLarge ? kLargeStep : std::max(std::bit_floor(nbytes) / 4, least);
  if (nbytes > SIZE_MAX - step) return nbytes;  // too large for any device; the driver reports it
  return (nbytes + step - 1) & ~(step - 1);     // a step is a power of two
}

std::string format_bytes(std::size_t nbytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(nbytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return text.data();
}

}  // namespace

MemoryPool::MemoryPool(std::shared_ptr<backend::Context> context, std::size_t device, Device handle)
    : context_(std::move(context)), device_(device), handle_(std::move(handle)) {
  stats_.limit = environment_bytes("QUERN_MEMORY_LIMIT").value_or(0);
  pooling_by_default_ = pooling_ = environment_integer("QUERN_POOL", 0, 1).value_or(1) == 1;
}

MemoryPool::BlockPtr MemoryPool::take(std::size_t nbytes, const QueueState* queue) {
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    size = pooling_ ? round_size(nbytes, kStep) : std::max<std::size_t>(nbytes, 1);
    if (BlockPtr block = take_free(size, queue)) return block;
  }
  return allocate_block(size, nbytes, queue);
}

MemoryPool::BlockPtr MemoryPool::allocate_block(std::size_t size, std::size_t nbytes,
                                                const QueueState* queue) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt != 0) {
      if (auto* const collect = collector.load(); attempt == 2 && collect != nullptr) collect();
      trim();
      const std::lock_guard lock(mutex_);
      if (BlockPtr block = take_free(size, queue)) return block;  // another thread may have given it back
    }
    BlockPtr block = allocate(size);
    if (!block && size > nbytes)
      block = allocate(std::max<std::size_t>(nbytes, 1));  // the exact size may still fit
    if (!block) continue;
    const std::lock_guard lock(mutex_);
    count_use(*block, queue, false);
    return block;
  }
  throw_out_of_memory(nbytes);
}

void MemoryPool::count_use(Block& block, const QueueState* queue, bool is_reused) noexcept {
  const std::size_t nbytes = block.memory->size();
  stats_.in_use += nbytes;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  if (is_reused) count_gone(block);
  if (queue == nullptr) {
    block.user.reset();
    return;
  }
  if (block.user != queue->memory_use()) block.user = queue->memory_use();
  QueuePoolStats& own = block.user->stats;
  own.in_use += nbytes;
  own.peak = std::max(own.peak, own.in_use);
  ++own.allocations;
  if (is_reused) ++own.reused;
}

void MemoryPool::count_gone(const Block& block) noexcept {
  if (block.user) block.user->stats.in_pool -= block.memory->size();
}

std::size_t MemoryPool::most_for(std::size_t size) noexcept {
  return size > SIZE_MAX - size / 8 ? SIZE_MAX : size + size / 8;
}

MemoryPool::BlockPtr MemoryPool::take_free(std::size_t size, const QueueState* queue) {
  BlockPtr block = size <= kMostSmall ? take_small(size, queue) : take_large(size, queue);
  if (!block) return block;
  stats_.in_pool -= block->memory->size();
  count_use(*block, queue, true);
  return block;
}

MemoryPool::BlockPtr MemoryPool::take_small(std::size_t size, const QueueState* queue) {
  std::vector<BlockPtr>& blocks = small_[size / kStep];
  if (blocks.empty()) return nullptr;
  // Looks among the last few for a block that needs no wait; usually the last one is.
  const auto is_ready = [&](const BlockPtr& block) { return block->uses.ready_for(queue); };
  if (!is_ready(blocks.back())) {
    const auto end = blocks.rbegin() + static_cast<std::ptrdiff_t>(std::min(blocks.size(), kLookedAt));
    const auto ready = std::find_if(blocks.rbegin() + 1, end, is_ready);
    if (ready != end) std::swap(*ready, blocks.back());
  }
  BlockPtr block = std::move(blocks.back());
  blocks.pop_back();
  return block;
}

MemoryPool::BlockPtr MemoryPool::take_large(std::size_t size, const QueueState* queue) {
  const auto first = large_.lower_bound(size), last = large_.upper_bound(most_for(size));
  if (first == last) return nullptr;
  auto chosen = first;
  // Looks among the first few for a block that needs no wait.
  std::size_t looked_at = 0;
  for (auto it = first; it != last && looked_at < kLookedAt; ++it, ++looked_at) {
    if (it->second->uses.ready_for(queue)) {
      chosen = it;
      break;
    }
  }
  BlockPtr block = std::move(chosen->second);
  large_.erase(chosen);
  return block;
}

void MemoryPool::keep(BlockPtr block) {
  const std::size_t size = block->memory->size();
  if (size < kMostSmall + kStep) {  // a block of another size serves the next smaller one
    small_[size / kStep].push_back(std::move(block));
  } else {
    large_.emplace(size, std::move(block));
  }
}

MemoryPool::BlockPtr MemoryPool::allocate(std::size_t nbytes) {
  std::shared_ptr<Allocator> allocator;
  {
    const std::lock_guard lock(mutex_);
    if (stats_.limit != 0 &&
        (nbytes > stats_.limit || stats_.in_use + stats_.in_pool > stats_.limit - nbytes)) {
      return nullptr;
    }
    allocator = allocator_;
  }
  try {
    if (allocator) return allocate_from(allocator, nbytes);
    BlockPtr block(new Block);
    block->memory = context_->allocate(device_, nbytes);
    return block;
  } catch (const OutOfDeviceMemory&) {
    return nullptr;
  }
}

MemoryPool::BlockPtr MemoryPool::allocate_from(const std::shared_ptr<Allocator>& allocator,
                                               std::size_t nbytes) {
  constexpr std::uintptr_t kAlignment = 128;  // of OpenCL C's largest vectors
  std::uintptr_t native = 0;
  try {
    native = allocator->allocate(nbytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  if (native == 0) return nullptr;
  BlockPtr block(new Block);
  block->source = {reinterpret_cast<void*>(native), [allocator, nbytes](void* back) {
                     allocator->free(reinterpret_cast<std::uintptr_t>(back), nbytes);
                   }};
  block->allocator = allocator.get();
  // An OpenCL memory object is a handle, not an address.
  if (handle_.properties().dialect != Dialect::opencl_c && native % kAlignment != 0) {
    throw ArgumentError(ArgumentError::Kind::value, "the allocator of " + handle_.spec() +
                                                        " returned the address " + std::to_string(native) +
                                                        ", which is not a multiple of " +
                                                        std::to_string(kAlignment));
  }
  block->memory = context_->wrap_memory(native, nbytes);
  return block;
}

void MemoryPool::give_back(BlockPtr block) noexcept {
  block->uses.forget_contents();
  if (!block->uses.is_empty() && block->uses.ready_for(nullptr)) {
    Dependencies dropped;
    block->uses.forget_done(dropped);
  }
  {
    const std::lock_guard lock(mutex_);
    stats_.in_use -= block->memory->size();
    if (block->user) block->user->stats.in_use -= block->memory->size();
  }
  keep_or_release(std::move(block));
}

void MemoryPool::keep_or_release(BlockPtr block) noexcept {
  const std::size_t size = block->memory->size();
  {
    const std::lock_guard lock(mutex_);
    if (pooling_ && block->allocator == allocator_.get() && size >= kStep) {  // no request is smaller
      stats_.in_pool += size;
      if (block->user) block->user->stats.in_pool += size;
      keep(std::move(block));
      return;
    }
  }
  UseRecord uses = std::move(block->uses);
  defer_release(std::move(uses), std::shared_ptr<Block>(std::move(block)));
}

void MemoryPool::forget_done_uses() {
  Dependencies dropped;  // destroyed after the locks are released
  const std::lock_guard lock(mutex_);
  for (std::vector<BlockPtr>& blocks : small_)
    for (const BlockPtr& block : blocks) block->uses.forget_done(dropped);
  for (auto& [size, block] : large_) block->uses.forget_done(dropped);
}

void MemoryPool::trim() {
  std::vector<BlockPtr> doomed;
  {
    const std::lock_guard lock(mutex_);
    for (std::vector<BlockPtr>& blocks : small_) {
      std::move(blocks.begin(), blocks.end(), std::back_inserter(doomed));
      blocks.clear();
    }
    for (auto& [size, block] : large_) doomed.push_back(std::move(block));
    large_.clear();
    for (const BlockPtr& block : doomed) {
      stats_.in_pool -= block->memory->size();
      count_gone(*block);
    }
  }
  try {
    for (BlockPtr& block : doomed) {
      Dependencies pending;
      block->uses.collect(kWhole, true, pending);
      const auto& uses = pending.list();
      // Work that is held back may wait for this thread.
      if (std::any_of(uses.begin(), uses.end(),
                      [](const Dependency& use) { return !use.queue->issued(use.ticket); })) {
        keep_or_release(std::move(block));
        continue;
      }
      for (const Dependency& use : uses)
        wait_with_hook([&](Deadline deadline) { return use.queue->wait_until(use.ticket, deadline); });
      block.reset();
    }
  } catch (...) {  // Ctrl-C, or a lost device
    for (BlockPtr& block : doomed)
      if (block) keep_or_release(std::move(block));
    throw;
  }
  (void)context_->memory_info(device_);  // this call makes drivers free memory that they free late
}

PoolStats MemoryPool::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

QueuePoolStats MemoryPool::stats(const QueueState& queue) const {
  const std::lock_guard lock(mutex_);
  return queue.memory_use()->stats;
}

void MemoryPool::set_allocator(std::shared_ptr<Allocator> allocator, bool pooled) {
  {
    const std::lock_guard lock(mutex_);
    pooling_ = pooled && pooling_by_default_;
    allocator_.swap(allocator);  // the old one is released after the lock
  }
  trim();
}

void MemoryPool::set_limit(std::size_t nbytes) {
  const std::lock_guard lock(mutex_);
  stats_.limit = nbytes;
}

void MemoryPool::throw_out_of_memory(std::size_t nbytes) const {
  const PoolStats now = stats();
  const DeviceProperties& properties = handle_.properties();
  const std::size_t limit = now.limit != 0 ? now.limit : properties.global_memory;
  std::string text = handle_.spec() + " (" + properties.name + ") is out of memory: " + format_bytes(nbytes) +
                     " requested, " + format_bytes(now.in_use) + " in use, " + format_bytes(now.in_pool) +
                     " in the pool, limit " + format_bytes(limit) +
                     (now.limit != 0 ? " (set for the pool)" : "");
  if (nbytes > properties.max_allocation) {
    text +=
        "; one allocation may have at most " + format_bytes(properties.max_allocation) + " on this device";
  }
  text += ". Existing buffers are unchanged; release buffers that are no longer needed and try again";
  throw OutOfDeviceMemory(text, {nbytes, now.in_use, now.in_pool, limit});
}

}  // namespace detail

QueuePoolStats pool_stats(const Queue& queue) {
  const detail::QueueState& state = *queue.state();
  return state.context()->pool(state.device()).stats(state);
}

void set_allocator(const Device& device, std::shared_ptr<Allocator> allocator, AllocatorOptions options) {
  const bool is_pooled = !allocator || options.pooled;
  detail::ContextState::of(device)->pool(0).set_allocator(std::move(allocator), is_pooled);
}

void set_memory_collector(void (*collector)()) {
  detail::collector.store(collector);
}

}  // namespace quern
