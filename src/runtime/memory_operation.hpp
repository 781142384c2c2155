// SPDX-License-Identifier: MIT
// What the operations on buffers have in common: checks of their buffers, and their submission.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/parts.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

// What an operation does, for messages and profiles.
struct Moved {
  OperationKind kind = OperationKind::wait;
  std::size_t nbytes = 0;
};

// Replaces an owner of memory in a detached operation.
inline void rebind_owner(std::vector<std::shared_ptr<void>>& owners, const Rebinding& rebinding) {
  for (std::shared_ptr<void>& owner : owners)
    if (owner == rebinding.from) owner = rebinding.to;
}

// An operation that calls a function of the native queue. The function holds pointers; in a detached copy
// `owners` keeps the objects alive. In a graph it can use other memory if it has a method rebind(), and read
// a copy of host memory if it has keep_host_memory().
template <class Issue>
class SimpleOperation final : public Operation {
 public:
  SimpleOperation(Moved moved, Issue call, std::vector<std::shared_ptr<void>> owners)
      : moved_(moved), issue_(std::move(call)), owners_(std::move(owners)) {}
  backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& /*observers*/) override {
    return issue_(queue);
  }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override {
    return std::make_unique<SimpleOperation>(moved_, issue_, owners_);
  }
  [[nodiscard]] OperationDetails details() const noexcept override {
    return {moved_.kind, {}, 0, {}, {}, moved_.nbytes};
  }
  void rebind(const Rebinding& rebinding) override {
    if constexpr (requires { issue_.rebind(rebinding); }) {
      issue_.rebind(rebinding);
      rebind_owner(owners_, rebinding);
    } else {
      Operation::rebind(rebinding);
    }
  }
  void disown(const Allocation& memory) override {
    std::erase_if(owners_, [&](const std::shared_ptr<void>& owner) { return owner.get() == &memory; });
  }
  void keep_host_memory() override {
    if constexpr (requires { issue_.keep_host_memory(); }) owners_.push_back(issue_.keep_host_memory());
  }

 private:
  Moved moved_;
  Issue issue_;
  std::vector<std::shared_ptr<void>> owners_;
};

template <class Issue>
Event submit(QueueState& queue, Moved moved, Issue issue, std::span<const Use> uses, WaitList wait_for,
             std::vector<std::shared_ptr<void>> owners, std::shared_ptr<void> keep = nullptr,
             HostUse host = {}) {
  SimpleOperation<Issue> operation(moved, std::move(issue), std::move(owners));
  return queue.submit(operation, uses, wait_for, std::move(keep), host);
}

// An operation without work, such as a copy of no bytes: done after its wait list.
inline Event submit_nothing(QueueState& queue, WaitList wait_for) {
  return submit(queue, {}, [](backend::Queue&) { return backend::TimingPtr(); }, {}, wait_for, {});
}

[[noreturn]] inline void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

inline Allocation& live(const Buffer& buffer, const char* what) {
  if (buffer.released()) reject(std::string(what) + " was released");
  return *buffer.allocation();
}

// Returns the allocation of a buffer that the queue can use.
inline Allocation& own(const Buffer& buffer, const QueueState& queue, const char* what) {
  Allocation& allocation = live(buffer, what);
  if (!is_within_reach(allocation, queue)) {
    reject(std::string(what) + " is on " + buffer.device().spec() +
           ", which is not in the queue's context; the queue is on " +
           queue.context()->devices()[queue.device()].spec());
  }
  return allocation;
}

inline Use use_of(const Buffer& buffer, Usage usage) {
  return {&buffer.allocation()->uses(), {buffer.offset(), buffer.offset() + buffer.size()}, usage};
}

// The access flags restrict kernels. Copies may still write memory that the library allocated: this is how a
// buffer of access "r" gets its contents.
inline void check_writable(const Buffer& buffer, const char* what) {
  if (buffer.access() != Access::read_only) return;
  if (buffer.is_frozen()) reject(std::string(what) + " is read-only; copy it first");
  if (!buffer.allocation()->is_borrowed()) return;
  reject(std::string(what) + " is read-only: its memory is borrowed and must not be written; copy it first");
}

}  // namespace quern::detail
