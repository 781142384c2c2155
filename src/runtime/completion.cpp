// SPDX-License-Identifier: MIT
// Waiting for several events.
#include "quern/completion.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/futex.hpp"
#include "base/process.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern {

// Operations of one queue end in order, so only the first of each queue is queried.
struct AsCompleted::State {
  // Wakes the waiting thread for one queue.
  class Wakeup final : public backend::Signal {
   public:
    explicit Wakeup(std::shared_ptr<futex::Word> word) : word_(std::move(word)) {}
    void raise() noexcept override {
      is_armed.store(false);
      word_->fetch_add(1);
      futex::wake_all(*word_);
    }
    std::atomic<bool> is_armed{false};  // it will be raised

   private:
    std::shared_ptr<futex::Word> word_;
  };

  struct Pending {
    std::uint64_t ticket;
    std::size_t index;
  };
  struct OfQueue {
    std::shared_ptr<detail::QueueState> queue;
    std::vector<Pending> pending;  // the next one last
    std::shared_ptr<Wakeup> wakeup;
  };

  std::vector<std::size_t> complete;  // events of no operation, the next one last
  std::vector<OfQueue> queues;
  std::size_t left = 0, turn = 0;
  std::shared_ptr<futex::Word> progress = std::make_shared<futex::Word>(0);

  // Takes the next event of a queue whose operation is done, starting with another queue each time.
  std::optional<std::size_t> take_done() {
    for (std::size_t i = 0; i < queues.size(); ++i) {
      const std::size_t at = (turn + i) % queues.size();
      OfQueue& each = queues[at];
      if (!each.queue->done(each.pending.back().ticket)) continue;
      const std::size_t index = each.pending.back().index;
      each.pending.pop_back();
      turn = at + 1;
      if (each.pending.empty()) queues.erase(queues.begin() + static_cast<std::ptrdiff_t>(at));
      --left;
      return index;
    }
    return std::nullopt;
  }

  // Has every queue raise its signal. False if an operation is done already.
  bool arm() {
    for (OfQueue& each : queues) {
      if (each.wakeup->is_armed.exchange(true)) continue;
      if (each.queue->notify(each.pending.back().ticket, each.wakeup)) continue;
      each.wakeup->is_armed.store(false);
      return false;
    }
    return true;
  }
};

AsCompleted::AsCompleted(WaitList events) : state_(std::make_unique<State>()) {
  process::check_not_forked();
  state_->left = events.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& queue = events[i].queue_state();
    if (!queue) {
      state_->complete.push_back(i);
      continue;
    }
    auto found = std::find_if(state_->queues.begin(), state_->queues.end(),
                              [&](const State::OfQueue& each) { return each.queue == queue; });
    if (found == state_->queues.end())
      found = state_->queues.insert(found, {queue, {}, std::make_shared<State::Wakeup>(state_->progress)});
    found->pending.push_back({events[i].ticket(), i});
  }
  std::reverse(state_->complete.begin(), state_->complete.end());
  for (State::OfQueue& each : state_->queues) {
    std::sort(each.pending.begin(), each.pending.end(), [](const auto& a, const auto& b) {
      return std::pair(a.ticket, a.index) > std::pair(b.ticket, b.index);
    });
  }
}

AsCompleted::AsCompleted(AsCompleted&&) noexcept = default;
AsCompleted& AsCompleted::operator=(AsCompleted&&) noexcept = default;
AsCompleted::~AsCompleted() = default;

std::size_t AsCompleted::left() const noexcept {
  return state_->left;
}

std::optional<std::size_t> AsCompleted::next(Deadline deadline) {
  State& state = *state_;
  if (state.left == 0) return std::nullopt;
  if (!state.complete.empty()) {
    const std::size_t index = state.complete.back();
    state.complete.pop_back();
    --state.left;
    return index;
  }
  // A driver that lost its device does not notify.
  constexpr auto kCheck = std::chrono::seconds(1);
  for (;;) {
    const std::uint32_t seen = state.progress->load();
    // The waiting thread helps with the work of a single operation.
    if (state.left == 1) {
      const State::OfQueue& last = state.queues.front();
      if (!last.queue->wait_until(last.pending.back().ticket, deadline)) return std::nullopt;
    }
    if (const auto index = state.take_done()) return index;
    if (!state.arm()) continue;
    const Deadline now = std::chrono::steady_clock::now();
    if (now >= deadline) return std::nullopt;
    futex::wait(*state.progress, seen, std::min<Deadline>(deadline, now + kCheck));
  }
}

bool wait_all_until(WaitList events, Deadline deadline) {
  for (const Event& event : events) {
    const auto& queue = event.queue_state();
    if (queue && !queue->wait_until(event.ticket(), deadline)) return false;
  }
  for (const Event& event : events) event.wait();
  return true;
}

void wait_all(WaitList events) {
  detail::wait_with_hook([&](Deadline deadline) { return wait_all_until(events, deadline); });
}

std::optional<std::size_t> wait_any_until(WaitList events, Deadline deadline) {
  if (events.empty())
    throw ArgumentError(ArgumentError::Kind::value, "wait_any: expected at least one event");
  return AsCompleted(events).next(deadline);
}

std::size_t wait_any(WaitList events) {
  if (events.empty())
    throw ArgumentError(ArgumentError::Kind::value, "wait_any: expected at least one event");
  AsCompleted waiting(events);
  std::optional<std::size_t> index;
  detail::wait_with_hook([&](Deadline deadline) {
    index = waiting.next(deadline);
    return index.has_value();
  });
  return *index;
}

}  // namespace quern
