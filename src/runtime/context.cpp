// SPDX-License-Identifier: MIT
// Contexts, and waiting for all queues of a device.
#include "quern/context.hpp"

#include <algorithm>

#include "backend/registry.hpp"
#include "base/process.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace detail {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<ContextState>> all;
  std::vector<std::pair<backend::Device*, std::shared_ptr<ContextState>>>
      own;  // one for each device, never destroyed
};

Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

}  // namespace

ContextState::ContextState(std::span<const Device> devices) : devices_(devices.begin(), devices.end()) {
  process::check_not_forked();
  if (devices_.empty()) {
    throw ArgumentError(ArgumentError::Kind::value, "a context needs at least one device");
  }
  std::vector<std::shared_ptr<backend::Device>> natives;
  const auto platform = devices_.front().impl()->platform_handle();
  for (const Device& device : devices_) {
    if (device.backend() != devices_.front().backend() || device.impl()->platform_handle() != platform) {
      throw ArgumentError(ArgumentError::Kind::value,
                          device.spec() + " and " + devices_.front().spec() +
                              " cannot share a context: they belong to different platforms");
    }
    if (std::count(devices_.begin(), devices_.end(), device) > 1) {
      throw ArgumentError(ArgumentError::Kind::value, device.spec() + " is repeated in the list of devices");
    }
    natives.push_back(device.impl());
  }
  native_ = natives.front()->make_context(natives);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    pools_.push_back(std::make_unique<MemoryPool>(native_, i, devices_[i]));
  }
  default_queues_ = std::make_unique<DefaultQueue[]>(devices_.size());
}

std::shared_ptr<ContextState> ContextState::of(const Device& device) {
  process::check_not_forked();
  Registry& contexts = registry();
  const std::lock_guard lock(contexts.mutex);
  for (const auto& [native, state] : contexts.own) {
    if (native == device.impl().get()) return state;
  }
  auto state = std::make_shared<ContextState>(std::span(&device, 1));
  state->is_own_ = true;
  contexts.own.emplace_back(device.impl().get(), state);
  contexts.all.push_back(state);
  return state;
}

std::size_t ContextState::index_of(const Device& device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  if (found == devices_.end()) {
    throw ArgumentError(ArgumentError::Kind::value, device.spec() + " is not a device of this context");
  }
  return static_cast<std::size_t>(found - devices_.begin());
}

std::shared_ptr<QueueState> ContextState::enroll(std::size_t device, std::shared_ptr<backend::Queue> native,
                                                 const QueueOptions& options, std::shared_ptr<void> owner,
                                                 std::shared_ptr<LaneGroup> group) {
  auto queue = std::make_shared<QueueState>(shared_from_this(), device, std::move(native), options,
                                            std::move(owner), std::move(group));
  if (queues_.size() >= clean_queues_at_) {
    std::erase_if(queues_, [](const auto& weak) { return weak.expired(); });
    clean_queues_at_ = std::max<std::size_t>(16, 2 * queues_.size());
  }
  queues_.push_back(queue);
  return queue;
}

std::shared_ptr<QueueState> ContextState::make_lane(std::size_t device,
                                                    std::shared_ptr<backend::Queue> native,
                                                    const QueueOptions& options,
                                                    std::shared_ptr<LaneGroup> group) {
  const std::lock_guard lock(mutex_);
  return enroll(device, std::move(native), options, nullptr, std::move(group));
}

std::shared_ptr<QueueState> ContextState::make_queue(std::size_t device, const QueueOptions& options) {
  process::check_not_forked();
  release_unused();  // for programs that make a queue for each launch
  auto native = native_->make_queue(device, options);
  const std::lock_guard lock(mutex_);
  return enroll(device, std::move(native), options, nullptr);
}

std::shared_ptr<QueueState> ContextState::wrap_queue(std::size_t device, std::uintptr_t native,
                                                     std::shared_ptr<void> owner) {
  process::check_not_forked();
  auto wrapped = native_->wrap_queue(device, native);
  const std::lock_guard lock(mutex_);
  return enroll(device, std::move(wrapped), {}, std::move(owner));
}

std::shared_ptr<QueueState> ContextState::default_queue(std::size_t device) {
  process::check_not_forked();
  DefaultQueue& own = default_queues_[device];
  if (own.is_there.load(std::memory_order_acquire)) return own.queue;
  const std::lock_guard lock(mutex_);
  if (!own.queue) {
    own.queue = enroll(device, native_->make_queue(device, {}), {}, nullptr);
    own.is_there.store(true, std::memory_order_release);
  }
  return own.queue;
}

std::vector<std::shared_ptr<QueueState>> ContextState::queues(std::size_t device) {
  std::vector<std::shared_ptr<QueueState>> result;
  const std::lock_guard lock(mutex_);
  for (const auto& weak : queues_) {
    if (auto queue = weak.lock(); queue && queue->device() == device) result.push_back(std::move(queue));
  }
  return result;
}

void ContextState::forget_done_uses() {
  for (const auto& pool : pools_) pool->forget_done_uses();
}

std::vector<std::shared_ptr<ContextState>> live_contexts() {
  Registry& contexts = registry();
  const std::lock_guard lock(contexts.mutex);
  std::vector<std::shared_ptr<ContextState>> result;
  std::erase_if(contexts.all, [&](const auto& weak) {
    auto state = weak.lock();
    if (!state) return true;
    result.push_back(std::move(state));
    return false;
  });
  return result;
}

}  // namespace detail

Context::Context(std::span<const Device> devices) : state_(std::make_shared<detail::ContextState>(devices)) {
  for (const auto& context : detail::live_contexts()) context->forget_done_uses();
  detail::Registry& contexts = detail::registry();
  const std::lock_guard lock(contexts.mutex);
  std::erase_if(contexts.all, [](const auto& weak) { return weak.expired(); });
  contexts.all.push_back(state_);
}

Context Context::of(const Device& device) {
  return Context(detail::ContextState::of(device));
}

const std::vector<Device>& Context::devices() const noexcept {
  return state_->devices();
}

std::uintptr_t Context::native_handle() const {
  return state_->native().native_handle(0);
}

void finish_before_exit() noexcept {
  backend::finish_opencl_before_exit();
}

bool synchronize_until(const Device& device, Deadline deadline) {
  std::vector<Device> with_parts = {device};
  for (std::size_t k = 0; k < with_parts.size(); ++k) {
    const std::vector<Device> parts = with_parts[k].parts();
    with_parts.insert(with_parts.end(), parts.begin(), parts.end());
  }
  for (const auto& context : detail::live_contexts()) {
    const auto& devices = context->devices();
    bool concerns = false;
    for (std::size_t k = 0; k < devices.size(); ++k) {
      if (std::find(with_parts.begin(), with_parts.end(), devices[k]) == with_parts.end()) continue;
      concerns = true;
      for (const auto& queue : context->queues(k))
        if (!queue->finish_until(deadline)) return false;
    }
    if (concerns) context->forget_done_uses();
  }
  return true;
}

void synchronize(const Device& device) {
  synchronize_until(device, Deadline::max());
}

}  // namespace quern
