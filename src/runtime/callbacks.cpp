// SPDX-License-Identifier: MIT
// When functions of completed events are called, and how their thread learns of it.
#include "runtime/callbacks.hpp"

#include <new>
#include <string>
#include <utility>

#include "backend/late_notification.hpp"
#include "base/process.hpp"
#include "base/warning.hpp"
#include "quern/completion.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

std::atomic<void (*)(std::exception_ptr)> error_handler{nullptr};

void report(const std::exception_ptr& error) noexcept try {
  if (auto* const handler = error_handler.load()) {
    handler(error);
    return;
  }
  std::string text = "an unknown exception";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    text = known.what();
  } catch (...) {
  }
  warn_once("a function given to Event::on_done() threw: " + text);
} catch (...) {
  // The handler failed, too.
}

}  // namespace

void set_callback_error_handler(void (*handler)(std::exception_ptr error)) {
  error_handler.store(handler);
}

namespace detail {
namespace {

bool notifies_late(QueueState& queue) noexcept {
  const auto* const late = dynamic_cast<const backend::LateNotification*>(&queue.native());
  return late != nullptr && late->notifies_late();
}

}  // namespace

void QueueCallbacks::add(const Event& event, Function function) {
  const std::uint64_t ticket = event.ticket();
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = waiting_.empty() || ticket < waiting_.begin()->first;
    waiting_.emplace(ticket, Waiting{event, std::move(function)});
  }
  server_->count();
  if (!event.queue_state()) {
    wake();
    return;
  }
  QueueState& queue = *event.queue_state();
  try {
    if (!is_first) {
      // A marker that is recorded now covers fewer later operations than one that is recorded when all
      // earlier functions were called.
      (void)queue.marker_for(ticket);
    } else if (notifies_late(queue) && server_->take_polled(shared_from_this())) {
      (void)queue.marker_for(ticket);
    } else if (!arm(queue, ticket)) {
      wake();
    }
  } catch (...) {  // a lost device: the thread calls the function, which queries the error
    wake();
  }
}

bool QueueCallbacks::arm(QueueState& queue, std::uint64_t ticket) {
  if (queue.done(ticket)) return false;
  if (armed_.exchange(ticket) == ticket) return true;
  bool will_be_raised = false;
  try {
    will_be_raised = queue.notify(ticket, shared_from_this());
  } catch (...) {
    armed_.store(0);
    throw;
  }
  // No signal resets it.
  if (!will_be_raised) armed_.store(0);
  return will_be_raised;
}

void QueueCallbacks::raise() noexcept {
  armed_.store(0);
  wake();
}

void QueueCallbacks::wake() noexcept {
  if (is_listed_.exchange(true)) return;
  keep_ = shared_from_this();
  server_->push(this);
}

QueueCallbacks::Waitings::node_type QueueCallbacks::take_done() noexcept {
  std::shared_ptr<QueueState> queue;
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return {};
    const auto first = waiting_.begin();
    queue = first->second.event.queue_state();
    ticket = first->first;
    if (!queue || queue->known_done(ticket)) return waiting_.extract(first);
  }
  try {
    if (is_polled_.load() ? !queue->done(ticket) : arm(*queue, ticket)) return {};
  } catch (const std::bad_alloc&) {
    return {};     // the next check of all queues tries again
  } catch (...) {  // a lost device: waiting for the event throws this error
  }
  const std::lock_guard lock(mutex_);
  return waiting_.extract(waiting_.begin());  // only this thread removes functions
}

void QueueCallbacks::serve() noexcept {
  // Each function is destroyed after its call, without a lock: it may hold the last reference to its queue.
  bool is_first = true;
  while (const Waitings::node_type next = take_done()) {
    if (std::exchange(is_first, false)) server_->spin_.end();
    server_->uncount();
    if (process::must_not_touch_drivers()) continue;
    try {
      next.mapped().function(next.mapped().event);
    } catch (...) {
      report(std::current_exception());
    }
  }
  if (!is_first) server_->spin_.begin();
}

bool QueueCallbacks::empty() noexcept {
  const std::lock_guard lock(mutex_);
  return waiting_.empty();
}

void QueueCallbacks::drop_functions() noexcept {
  Waitings dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  dropped.swap(waiting_);
}

void CallbackServer::push(QueueCallbacks* callbacks) noexcept {
  QueueCallbacks* head = listed_.load(std::memory_order_relaxed);
  do {
    callbacks->next_ = head;
  } while (!listed_.compare_exchange_weak(head, callbacks));
  wake();
}

bool CallbackServer::take_polled(const std::shared_ptr<QueueCallbacks>& callbacks) {
  constexpr std::size_t kMost = 16;  // each pass of the thread queries the driver for each of them
  const std::lock_guard lock(polled_mutex_);
  if (callbacks->is_polled_.load()) return true;
  if (!accepts_polled_ || polled_.size() == kMost) return false;
  polled_.push_back(callbacks);
  callbacks->is_polled_.store(true);
  return true;
}

void CallbackServer::serve_listed() noexcept {
  QueueCallbacks* newest = listed_.exchange(nullptr);
  QueueCallbacks* oldest = nullptr;
  while (newest != nullptr) {  // serves them in the order in which they were listed
    QueueCallbacks* const next = std::exchange(newest->next_, oldest);
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    const std::shared_ptr<QueueCallbacks> each = std::move(oldest->keep_);
    oldest = std::exchange(oldest->next_, nullptr);
    each->is_listed_.store(false);
    each->serve();
  }
}

void CallbackServer::drop_listed() noexcept {
  QueueCallbacks* next = listed_.exchange(nullptr);
  while (next != nullptr) {
    const std::shared_ptr<QueueCallbacks> each = std::move(next->keep_);
    next = std::exchange(next->next_, nullptr);
  }
}

void CallbackServer::serve_polled() noexcept {
  std::shared_ptr<QueueCallbacks> each;
  for (std::size_t i = 0;; ++i) {
    {
      const std::lock_guard lock(polled_mutex_);
      if (each && each->empty()) {  // a thread that adds a function now finds the flag under this lock
        each->is_polled_.store(false);
        std::erase(polled_, each);
        --i;
      }
      if (i >= polled_.size()) return;
      each = polled_[i];
    }
    each->serve();
  }
}

void CallbackServer::accept_polled(bool accepts) noexcept {
  std::vector<std::shared_ptr<QueueCallbacks>> polled;
  {
    const std::lock_guard lock(polled_mutex_);
    accepts_polled_ = accepts;
    if (accepts) return;
    polled.swap(polled_);
    for (const auto& each : polled) each->is_polled_.store(false);
  }
  for (const auto& each : polled) each->serve();  // which arms them
}

}  // namespace detail
}  // namespace quern
