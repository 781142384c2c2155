// SPDX-License-Identifier: MIT
// A shared number and shared locks, in the memory of rank 0.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "distributed/shared_lock.hpp"
#include "distributed/shared_memory.hpp"
#include "quern/distributed/global_array.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

std::shared_ptr<SharedMemory> memory_at_first_rank(CommunicatorState& communicator, const Call& call,
                                                   std::size_t nbytes) {
  std::vector<std::size_t> lengths(static_cast<std::size_t>(communicator.size()));
  lengths[0] = nbytes;
  return std::make_shared<SharedMemory>(communicator, call, lengths);
}

}  // namespace

struct Counter::State {
  explicit State(const Communicator& ranks)
      : communicator(ranks),
        memory(memory_at_first_rank(*ranks.state(), call_of("Counter", ""), sizeof(std::int64_t))) {}
  [[nodiscard]] std::atomic_ref<std::int64_t> number() const {
    return std::atomic_ref(*reinterpret_cast<std::int64_t*>(memory->part(0)));
  }
  Communicator communicator;
  std::shared_ptr<SharedMemory> memory;
};

Counter::Counter(const Communicator& communicator) : state_(std::make_shared<State>(communicator)) {}

std::int64_t Counter::next(std::int64_t step) const noexcept {
  return state_->number().fetch_add(step);
}

void Counter::reset(std::int64_t value) const {
  const Call call = call_of("Counter.reset", std::to_string(value));
  barrier(*state_->communicator.state(), call);
  if (state_->communicator.rank() == 0) state_->number().store(value);
  barrier(*state_->communicator.state(), call);
}

namespace {

std::size_t checked(std::size_t locks) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  if (locks > kMost)
    refuse(std::to_string(locks) + " locks are too many; " + std::to_string(kMost) + " are possible");
  return locks;
}

}  // namespace

struct GlobalLocks::State {
  State(const Communicator& ranks, std::size_t locks)
      : communicator(ranks),
        count(locks),
        memory(memory_at_first_rank(*ranks.state(), call_of("GlobalLocks", std::to_string(checked(locks))),
                                    locks * sizeof(SharedLock))) {}
  [[nodiscard]] SharedLock& at(std::size_t number) const {
    if (number >= count)
      throw ArgumentError(ArgumentError::Kind::index, "lock " + std::to_string(number) + " of " +
                                                          std::to_string(count) + " locks does not exist");
    return reinterpret_cast<SharedLock*>(memory->part(0))[number];
  }
  Communicator communicator;
  std::size_t count;
  std::shared_ptr<SharedMemory> memory;
};

GlobalLocks::GlobalLocks(const Communicator& communicator, std::size_t count)
    : state_(std::make_shared<State>(communicator, count)) {}

std::size_t GlobalLocks::count() const noexcept {
  return state_->count;
}

void GlobalLocks::lock(std::size_t number) const {
  SharedLock& wanted = state_->at(number);
  if (wanted.holder() == state_->communicator.rank())
    refuse("this rank has lock " + std::to_string(number) + " already");
  distributed::lock(wanted, *state_->communicator.state(), call_of("lock", std::to_string(number)));
}

void GlobalLocks::unlock(std::size_t number) const {
  SharedLock& held = state_->at(number);
  if (held.holder() != state_->communicator.rank())
    refuse("this rank does not have lock " + std::to_string(number));
  held.unlock();
}

}  // namespace quern::distributed
