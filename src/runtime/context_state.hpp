// SPDX-License-Identifier: MIT
// What is behind a Context: the backend's context, a memory pool for each device, and its queues.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "quern/device.hpp"
#include "runtime/memory_pool.hpp"

namespace quern::detail {

class QueueState;

class ContextState : public std::enable_shared_from_this<ContextState> {
 public:
  explicit ContextState(std::span<const Device> devices);
  // The one context that belongs to this device alone.
  static std::shared_ptr<ContextState> of(const Device& device);

  // Whether it is that one, which is never destroyed.
  [[nodiscard]] bool is_own() const noexcept { return is_own_; }
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }
  [[nodiscard]] backend::Context& native() noexcept { return *native_; }
  [[nodiscard]] MemoryPool& pool(std::size_t device) noexcept { return *pools_[device]; }
  // Throws ArgumentError when the device is not of this context.
  [[nodiscard]] std::size_t index_of(const Device& device) const;

  std::shared_ptr<QueueState> make_queue(std::size_t device, QueueOptions options);
  std::shared_ptr<QueueState> wrap_queue(std::size_t device, std::uintptr_t native,
                                         std::shared_ptr<void> owner);
  std::shared_ptr<QueueState> default_queue(std::size_t device);
  std::vector<std::shared_ptr<QueueState>> queues(std::size_t device);
  // Free blocks of a pool remember the queues that used them, and these keep their context. Once their work
  // is done, forgetting them lets a context go that nobody else holds.
  void forget_done_uses();

 private:
  std::shared_ptr<QueueState> enroll(std::size_t device, std::unique_ptr<backend::Queue> native,
                                     bool profiling, std::shared_ptr<void> owner);
  bool is_own_ = false;
  std::vector<Device> devices_;
  std::shared_ptr<backend::Context> native_;
  std::vector<std::unique_ptr<MemoryPool>> pools_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<QueueState>> queues_;
  // A cycle only for contexts that live for ever. Once there it stays, so that it is read without the lock.
  struct DefaultQueue {
    std::atomic<bool> is_there{false};
    std::shared_ptr<QueueState> queue;
  };
  std::unique_ptr<DefaultQueue[]> default_queues_;  // by device
};

// Every context that is alive.
std::vector<std::shared_ptr<ContextState>> live_contexts();

}  // namespace quern::detail
