// SPDX-License-Identifier: MIT
// Calls of other libraries as operations of a queue.
#include "runtime/library_call.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "backend/caller_runs.hpp"
#include "quern/error.hpp"
#include "quern/inline_vector.hpp"
#include "runtime/allocation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/launch.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::detail {
namespace {

class LibraryOperation final : public Operation {
 public:
  LibraryOperation(const char* name, std::function<void(const LibraryArguments&)> function,
                   std::vector<LibraryMemory> memories, std::vector<std::shared_ptr<Allocation>> owners,
                   LibraryCall kind)
      : name_(name),
        function_(std::move(function)),
        memories_(std::move(memories)),
        owners_(std::move(owners)),
        kind_(kind) {}

  [[nodiscard]] bool may_fail() const noexcept override { return kind_ == LibraryCall::computes; }
  backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& observers) override {
    // The call may outlive this operation.
    if (kind_ == LibraryCall::computes)
      return queue.call_observed([function = function_, memories = memories_](
                                     std::uintptr_t native) { call(function, native, memories); },
                                 observers);
    return queue.call([&](std::uintptr_t native) { call(function_, native, memories_); });
  }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override {
    return std::make_unique<LibraryOperation>(name_, function_, memories_, owners_, kind_);
  }
  [[nodiscard]] OperationDetails details() const noexcept override {
    return {OperationKind::library, name_, 0, {}, {}};
  }
  void rebind(const Rebinding& rebinding) override {
    const std::uintptr_t from = rebinding.from->memory().native_handle();
    for (LibraryMemory& memory : memories_) {
      if (memory.handle != from) continue;
      memory.handle = rebinding.to->memory().native_handle();
      memory.offset += static_cast<std::size_t>(rebinding.shift);
    }
    std::erase(owners_, rebinding.from);
    owners_.push_back(rebinding.to);
  }
  void disown(const Allocation& memory) override {
    std::erase_if(owners_, [&](const std::shared_ptr<Allocation>& each) { return each.get() == &memory; });
  }

 private:
  static void call(const std::function<void(const LibraryArguments&)>& function, std::uintptr_t native,
                   const std::vector<LibraryMemory>& memories) {
    InlineVector<std::uintptr_t, 8> addresses;
    for (const LibraryMemory& memory : memories) addresses.push_back(memory.handle + memory.offset);
    function({native, {addresses.begin(), addresses.size()}, memories});
  }

  const char* name_;
  std::function<void(const LibraryArguments&)> function_;
  std::vector<LibraryMemory> memories_;
  std::vector<std::shared_ptr<Allocation>> owners_;
  LibraryCall kind_;
};

}  // namespace

Event call_library(const Queue& queue, const char* name, std::span<const LibraryUse> uses,
                   std::function<void(const LibraryArguments&)> function, WaitList wait_for,
                   LibraryCall kind) {
  std::vector<LibraryMemory> memories;
  std::vector<std::shared_ptr<Allocation>> owners;
  std::vector<Use> used;
  for (const LibraryUse& use : uses) {
    const Buffer& buffer = *use.buffer;
    if (buffer.released()) throw ArgumentError(ArgumentError::Kind::value, "the buffer was released");
    const std::shared_ptr<Allocation>& allocation = buffer.allocation();
    if (allocation->context() != queue.state()->context())
      throw ArgumentError(ArgumentError::Kind::value, "the memory is on " + buffer.device().spec() +
                                                          ", the queue on " + queue.device().spec());
    memories.push_back({allocation->memory().native_handle(), buffer.offset()});
    owners.push_back(allocation);
    used.push_back({&allocation->uses(),
                    {buffer.offset(), buffer.offset() + buffer.size()},
                    use.writes ? Usage::writes : Usage::reads});
  }
  LibraryOperation operation(name, std::move(function), std::move(memories), std::move(owners), kind);
  count_launch();
  return queue.state()->submit(operation, used, wait_for);
}

void call_beside(const Queue& queue, const std::function<void(std::uintptr_t native)>& function) {
  const QueueState& state = *queue.state();
  state.context()->native().make_queue(state.device(), {})->call(function);
}

void compute_here(const Queue& queue, const char* name, std::span<const LibraryUse> uses,
                  std::function<void(const LibraryArguments&)> function) {
  Event event;
  try {
    const backend::CallerRuns runs;
    event = call_library(queue, name, uses, std::move(function), {}, LibraryCall::computes);
  } catch (...) {
    // It may have been issued, and then only this thread runs it.
    try {
      queue.finish();
    } catch (...) {  // the first error is reported
    }
    throw;
  }
  event.wait();
}

}  // namespace quern::detail
