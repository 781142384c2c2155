// SPDX-License-Identifier: MIT
// Events: they query their queue.
#include "quern/event.hpp"

#include "quern/error.hpp"
#include "runtime/callbacks.hpp"
#include "runtime/queue_state.hpp"

namespace quern {

void Event::wait() const {
  wait_until(Deadline::max());
}

bool Event::wait_until(Deadline deadline) const {
  if (!queue_) return true;
  if (!queue_->wait_until(ticket_, deadline)) return false;
  if (const std::exception_ptr failure = queue_->failure(ticket_, true)) std::rethrow_exception(failure);
  queue_->check_deferred_errors_of(ticket_);
  return true;
}

bool Event::done() const {
  return !queue_ || queue_->done(ticket_);
}

EventStatus Event::status() const {
  if (done()) return queue_ && queue_->find_failure(ticket_) ? EventStatus::failed : EventStatus::complete;
  return queue_->issued(ticket_) ? EventStatus::submitted : EventStatus::queued;
}

std::exception_ptr Event::error() const {
  return queue_ && done() ? queue_->failure(ticket_) : nullptr;
}

void Event::on_done(std::function<void(const Event&)> function) const {
  if (queue_) {
    queue_->on_done(*this, std::move(function));
  } else {
    detail::QueueCallbacks::of_no_queue().add(*this, std::move(function));
  }
}

Times Event::times() const {
  if (!timing_) {
    throw ArgumentError(
        ArgumentError::Kind::value,
        "the event has no times: create the queue with profiling, as in Queue(profiling=True)");
  }
  wait();
  return timing_->times();
}

}  // namespace quern
