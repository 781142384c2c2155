// SPDX-License-Identifier: MIT
// The state behind a Context: the backend's context, a memory pool for each device, and the default queues.
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
struct LaneGroup;

class ContextState : public std::enable_shared_from_this<ContextState> {
 public:
  explicit ContextState(std::span<const Device> devices);
  // Returns the default context of this device, which has no other device.
  static std::shared_ptr<ContextState> of(const Device& device);

  // Whether it is a default context, which is never destroyed.
  [[nodiscard]] bool is_own() const noexcept { return is_own_; }
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }
  [[nodiscard]] backend::Context& native() noexcept { return *native_; }
  [[nodiscard]] MemoryPool& pool(std::size_t device) noexcept { return *pools_[device]; }
  // Throws ArgumentError if the device does not belong to this context.
  [[nodiscard]] std::size_t index_of(const Device& device) const;

  std::shared_ptr<QueueState> make_queue(std::size_t device, const QueueOptions& options);
  std::shared_ptr<QueueState> wrap_queue(std::size_t device, std::uintptr_t native,
                                         std::shared_ptr<void> owner);
  std::shared_ptr<QueueState> default_queue(std::size_t device);
  // A lane of an out-of-order queue. Its work may outlive that queue, so synchronize() waits for it, too.
  std::shared_ptr<QueueState> make_lane(std::size_t device, std::shared_ptr<backend::Queue> native,
                                        const QueueOptions& options, std::shared_ptr<LaneGroup> group);
  std::vector<std::shared_ptr<QueueState>> queues(std::size_t device);
  // Free blocks of a pool keep the queues that used them alive, and queues keep their context alive.
  // Forgetting finished uses allows a context without other references to be destroyed.
  void forget_done_uses();

 private:
  std::shared_ptr<QueueState> enroll(std::size_t device, std::shared_ptr<backend::Queue> native,
                                     const QueueOptions& options, std::shared_ptr<void> owner,
                                     std::shared_ptr<LaneGroup> group = nullptr);
  bool is_own_ = false;
  std::vector<Device> devices_;
  std::shared_ptr<backend::Context> native_;
  std::vector<std::unique_ptr<MemoryPool>> pools_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<QueueState>> queues_;
  // The queue keeps its context alive. That is a cycle only for default contexts, which are never destroyed.
  // The queue is never replaced, so reading it needs no lock.
  struct DefaultQueue {
    std::atomic<bool> is_there{false};
    std::shared_ptr<QueueState> queue;
  };
  std::unique_ptr<DefaultQueue[]> default_queues_;  // by device
  std::size_t clean_queues_at_ = 16;  // entries of queues_, so that removing expired ones costs little
};

// Returns all contexts that exist.
std::vector<std::shared_ptr<ContextState>> live_contexts();

}  // namespace quern::detail
