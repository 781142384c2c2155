// SPDX-License-Identifier: MIT
// Operations that a queue holds back until what they wait for is done or can be waited for natively.
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "quern/device.hpp"
#include "runtime/dispatcher.hpp"
#include "runtime/lanes.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/user_event_queue.hpp"

namespace quern::detail {

std::shared_ptr<LaunchFailure> QueueState::Held::known_failure() const {
  for (const Dependency& source : sources)
    if (auto failure = source.queue->find_failure(source.ticket)) return failure;
  return detail::known_failure(causes);
}

QueueState::Release QueueState::release_held() {
  Release result;
  const std::lock_guard issue(issue_mutex_);
  while (!held_.empty()) {
    Held& held = held_.front();
    std::shared_ptr<LaunchFailure> failure;
    try {
      if (group_) mark_last();
      // Removes them one by one, so that the native queue waits for none of them twice.
      for (; !held.dependencies.empty(); held.dependencies.pop_back()) {
        const Dependency& next = held.dependencies.back();
        if (is_over(next)) continue;
        // The dispatcher issues an operation that is held back, and then looks at all queues again.
        const bool is_woken = dynamic_cast<const UserEventQueue*>(&next.queue->native()) != nullptr ||
                              next.queue->is_held_back(next.ticket);
        result.rest = is_woken ? Rest::is_woken : Rest::polls;
        return result;
      }
      failure = held.known_failure();
      if (failure && held.operation)
        failure = std::make_shared<LaunchFailure>(std::move(failure), description_of(*held.operation),
                                                  held.error->place());
      if (!failure && held.operation) {
        LaunchErrorSource deferred(held.error);
        backend::TimingPtr timing = held.operation->issue(*native_, deferred);
        deferred.issued(nullptr);
        if (held.timing) held.timing->set(std::move(timing));
        native_->flush();
      }
    } catch (...) {
      failure = std::make_shared<LaunchFailure>(std::current_exception());
    }
    if (failure && held.error) held.error->failed(std::move(failure));
    // Whoever waits for the ticket may look at the memory in use right after: the operation's is released
    // before.
    const std::uint64_t ticket = held.ticket;
    held_.pop_front();
    set_issued(ticket);
    first_held_.store(held_.empty() ? UINT64_MAX : held_.front().ticket);
    result.issued = true;
  }
  result.rest = Rest::none;
  return result;
}

std::string held_back_text(std::size_t count, const std::string& first) {
  if (count == 0) return {};
  return (count == 1 ? "one operation is held back: "
                     : std::to_string(count) + " operations are held back: ") +
         first;
}

std::string QueueState::held_back() {
  if (lanes_) return lanes_->held_back();
  const std::lock_guard issue(issue_mutex_);
  return held_back_text(held_.size(), first_held_back());
}

std::string QueueState::first_held_back() {
  if (held_.empty()) return {};
  const Held& first = held_.front();
  std::string text = first.operation ? description_of(*first.operation) : "an operation";
  if (first.dependencies.empty()) return text + " is about to be issued";
  QueueState& other = *first.dependencies.back().queue;
  if (const auto* const user = dynamic_cast<const UserEventQueue*>(&other.native()))
    return text + " waits for " + user->name() + ", which is not set";
  text += " waits for " + other.description();
  return other.issued(first.dependencies.back().ticket) ? text : text + ", where it is held back, too";
}

void QueueState::resolve(std::shared_ptr<LaunchFailure> failure) {
  if (failure) add_failure(1, std::move(failure));
  next_ticket_.store(1);
  set_issued(1);
  Dispatcher::instance().wake();
}

}  // namespace quern::detail
