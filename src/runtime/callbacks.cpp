// SPDX-License-Identifier: MIT
// The thread that calls functions of completed events.
#include "runtime/callbacks.hpp"

#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "base/process.hpp"
#include "base/signals.hpp"
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

QueueCallbacks& QueueCallbacks::of_no_queue() {
  static auto* const callbacks = [] {
    auto made = std::make_shared<QueueCallbacks>();
    CallbackThread::instance().watch(made);
    return new std::shared_ptr<QueueCallbacks>(std::move(made));  // never destroyed, as the thread
  }();
  return **callbacks;
}

void QueueCallbacks::add(const Event& event, Function function) {
  CallbackThread& thread = CallbackThread::instance();
  const std::uint64_t ticket = event.ticket();
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = waiting_.empty() || ticket < waiting_.begin()->first;
    waiting_.emplace(ticket, Waiting{event, std::move(function)});
  }
  thread.count();
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
  try {
    return queue.notify(ticket, shared_from_this());
  } catch (...) {
    armed_.store(0);
    throw;
  }
}

void QueueCallbacks::raise() noexcept {
  armed_.store(0);
  wake();
}

void QueueCallbacks::wake() noexcept {
  if (is_listed_.exchange(true)) return;
  keep_ = shared_from_this();
  CallbackThread::instance().push(this);
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
    if (arm(*queue, ticket)) return {};
  } catch (const std::bad_alloc&) {
    return {};     // the next check of all queues tries again
  } catch (...) {  // a lost device: waiting for the event throws this error
  }
  const std::lock_guard lock(mutex_);
  return waiting_.extract(waiting_.begin());  // only this thread removes functions
}

void QueueCallbacks::serve() noexcept {
  // Each function is destroyed after its call, without a lock: it may hold the last reference to its queue.
  while (const Waitings::node_type next = take_done()) {
    CallbackThread::instance().uncount();
    if (process::must_not_touch_drivers()) continue;
    try {
      next.mapped().function(next.mapped().event);
    } catch (...) {
      report(std::current_exception());
    }
  }
}

CallbackThread& CallbackThread::instance() {
  static auto* const thread = new CallbackThread;  // never destroyed: its thread runs until the process ends
  return *thread;
}

void CallbackThread::watch(const std::shared_ptr<QueueCallbacks>& callbacks) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [](const auto& weak) { return weak.expired(); });
  watched_.push_back(callbacks);
  if (started_) return;
  process::mark_used();
  const ThreadSignals signals;
  std::thread([this] { run(); }).detach();
  started_ = true;
}

void CallbackThread::count() noexcept {
  pending_.fetch_add(1);
  if (sleeps_long_.load()) wake();
}

void CallbackThread::push(QueueCallbacks* callbacks) noexcept {
  QueueCallbacks* head = listed_.load(std::memory_order_relaxed);
  do {
    callbacks->next_ = head;
  } while (
      !listed_.compare_exchange_weak(head, callbacks, std::memory_order_release, std::memory_order_relaxed));
  wake();
}

void CallbackThread::wake() noexcept {
  progress_.fetch_add(1);
  futex::wake(progress_, 1);
}

void CallbackThread::serve_listed() noexcept {
  QueueCallbacks* newest = listed_.exchange(nullptr, std::memory_order_acquire);
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

void CallbackThread::serve_all() noexcept {
  std::vector<std::shared_ptr<QueueCallbacks>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : watched_)
      if (auto callbacks = weak.lock()) all.push_back(std::move(callbacks));
  }
  for (const auto& each : all) each->serve();
}

void CallbackThread::run() noexcept {
  // A driver that lost its device does not notify, so all queues are checked now and then.
  constexpr auto kCheck = std::chrono::seconds(1);
  for (;;) {
    const std::uint32_t seen = progress_.load();
    serve_listed();
    if (pending_.load() == 0) {
      sleeps_long_.store(true);
      // A thread that adds a function counts it before it looks whether this thread sleeps.
      if (pending_.load() == 0) futex::wait(progress_, seen);
      sleeps_long_.store(false);
      continue;
    }
    futex::wait(progress_, seen, std::chrono::steady_clock::now() + kCheck);
    if (progress_.load() == seen) serve_all();
  }
}

}  // namespace detail
}  // namespace quern
