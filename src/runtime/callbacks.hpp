// SPDX-License-Identifier: MIT
// Functions that are called when events are complete, and the thread that calls them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "base/futex.hpp"
#include "quern/event.hpp"

namespace quern::detail {

class QueueState;

// The functions that wait for operations of one queue. The backend raises it when the first of these
// operations may be done.
class QueueCallbacks final : public backend::Signal, public std::enable_shared_from_this<QueueCallbacks> {
 public:
  using Function = std::function<void(const Event&)>;
  // The functions of events of no operation.
  static QueueCallbacks& of_no_queue();

  // Any thread. The pending functions keep the queue alive.
  void add(const Event& event, Function function);
  void raise() noexcept override;
  // Has the callback thread call serve().
  void wake() noexcept;
  // Calls the functions of all operations that are done, and arranges for the next signal. Only the callback
  // thread.
  void serve() noexcept;

 private:
  friend class CallbackThread;
  struct Waiting {
    Event event;
    Function function;
  };
  using Waitings = std::multimap<std::uint64_t, Waiting>;
  // Takes the first function if its operation is done; empty if there is none, or if it is not done. The
  // signal will then be raised.
  Waitings::node_type take_done() noexcept;
  // False if the ticket is done; otherwise the signal will be raised.
  bool arm(QueueState& queue, std::uint64_t ticket);

  std::mutex mutex_;
  Waitings waiting_;  // by ticket

  std::atomic<std::uint64_t> armed_{0};  // the ticket for which the signal will be raised

  // In the list of the callback thread, of which each has one place.
  std::atomic<bool> is_listed_{false};
  std::shared_ptr<QueueCallbacks> keep_;  // itself, while it is in the list
  QueueCallbacks* next_ = nullptr;
};

// One thread for the whole process, started with the first function. It is never joined: it runs until the
// process ends.
class CallbackThread {
 public:
  static CallbackThread& instance();
  // Starts the thread if necessary.
  void watch(const std::shared_ptr<QueueCallbacks>& callbacks);
  // Called when a function is added.
  void count() noexcept;
  void uncount() noexcept { pending_.fetch_sub(1); }
  // Lock-free, because threads of drivers call it.
  void push(QueueCallbacks* callbacks) noexcept;

 private:
  void run() noexcept;
  void wake() noexcept;
  void serve_listed() noexcept;
  void serve_all() noexcept;

  std::atomic<QueueCallbacks*> listed_{nullptr};
  futex::Word progress_{0};
  std::atomic<std::size_t> pending_{0};   // functions that were not called yet
  std::atomic<bool> sleeps_long_{false};  // the thread sleeps until it is woken

  std::mutex mutex_;
  bool started_ = false;
  std::vector<std::weak_ptr<QueueCallbacks>> watched_;
};

}  // namespace quern::detail
