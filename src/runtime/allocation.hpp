// SPDX-License-Identifier: MIT
// The memory behind a Buffer: from a pool or borrowed, with the record of its uses.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "backend/backend.hpp"
#include "runtime/context_state.hpp"
#include "runtime/hazards.hpp"
#include "runtime/memory_pool.hpp"

namespace quern::detail {

class Allocation {
 public:
  // Allocates from the pool of the context's device; `queue` may be null.
  Allocation(std::shared_ptr<ContextState> context, std::size_t device, std::size_t nbytes,
             const QueueState* queue)
      : context_(std::move(context)),
        device_(device),
        block_(context_->pool(device).take(nbytes, queue)),
        pooled_(true) {}
  // Borrows memory. `shared_uses` is the record of another allocation, which lives as long as the owner.
  Allocation(std::shared_ptr<ContextState> context, std::size_t device,
             std::unique_ptr<backend::Memory> memory, std::shared_ptr<void> owner,
             UseRecord* shared_uses = nullptr)
      : context_(std::move(context)),
        device_(device),
        block_(new MemoryPool::Block{.memory = std::move(memory)}),
        owner_(std::move(owner)),
        shared_uses_(shared_uses) {}

  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  ~Allocation() {
    if (pooled_) {
      context_->pool(device_).give_back(std::move(block_));
      return;
    }
    struct Borrowed {
      std::shared_ptr<void> owner;  // keeps the memory alive
      std::unique_ptr<backend::Memory> memory;
    };
    defer_release(std::move(block_->uses),
                  std::make_shared<Borrowed>(Borrowed{std::move(owner_), std::move(block_->memory)}));
  }

  [[nodiscard]] backend::Memory& memory() const noexcept { return *block_->memory; }
  [[nodiscard]] UseRecord& uses() noexcept { return shared_uses_ ? *shared_uses_ : block_->uses; }
  [[nodiscard]] const std::shared_ptr<ContextState>& context() const noexcept { return context_; }
  [[nodiscard]] std::size_t device() const noexcept { return device_; }
  // Whether the memory is borrowed. Its owner may have mapped it for reading only.
  [[nodiscard]] bool is_borrowed() const noexcept { return !pooled_; }

 private:
  std::shared_ptr<ContextState> context_;
  std::size_t device_;
  MemoryPool::BlockPtr block_;
  std::shared_ptr<void> owner_;
  UseRecord* shared_uses_ = nullptr;
  bool pooled_ = false;
};

}  // namespace quern::detail
