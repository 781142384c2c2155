// SPDX-License-Identifier: MIT
// Functions that are called when events are complete, in the order of their queue, by one thread each.
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
#include "quern/event.hpp"
#include "runtime/spin.hpp"

namespace quern::detail {

class CallbackServer;
class QueueState;

// The functions that wait for operations of one queue and that one server calls. The backend raises it when
// the first of these operations may be done.
class QueueCallbacks final : public backend::Signal, public std::enable_shared_from_this<QueueCallbacks> {
 public:
  using Function = std::function<void(const Event&)>;
  explicit QueueCallbacks(std::shared_ptr<CallbackServer> server) : server_(std::move(server)) {}
  // The functions of events of no operation, which the callback thread calls.
  static QueueCallbacks& of_no_queue();

  // Any thread. The pending functions keep the queue alive.
  void add(const Event& event, Function function);
  void raise() noexcept override;
  // Has the server call serve().
  void wake() noexcept;
  // Calls the functions of all operations that are done, and arranges for the next signal. Only the thread of
  // the server.
  void serve() noexcept;
  [[nodiscard]] bool empty() noexcept;
  // Destroys the functions without calling them.
  void drop_functions() noexcept;

 private:
  friend class CallbackServer;
  struct Waiting {
    Event event;
    Function function;
  };
  using Waitings = std::multimap<std::uint64_t, Waiting>;
  // Takes the first function if its operation is done; empty if there is none, or if it is not done. The
  // signal will then be raised, unless the server polls.
  Waitings::node_type take_done() noexcept;
  // False if the ticket is done; otherwise the signal will be raised.
  bool arm(QueueState& queue, std::uint64_t ticket);

  const std::shared_ptr<CallbackServer> server_;
  std::mutex mutex_;
  Waitings waiting_;  // by ticket

  std::atomic<std::uint64_t> armed_{0};  // the ticket for which the signal will be raised
  std::atomic<bool> is_polled_{false};  // in the server's list of queues to poll; set under the server's lock

  // In the server's list of queues to serve, of which each has one place.
  std::atomic<bool> is_listed_{false};
  std::shared_ptr<QueueCallbacks> keep_;  // itself, while it is in the list
  QueueCallbacks* next_ = nullptr;
};

// What a thread needs that calls functions: the queues that it has to serve, and those that it polls.
class CallbackServer {
 public:
  CallbackServer() = default;
  CallbackServer(const CallbackServer&) = delete;
  CallbackServer& operator=(const CallbackServer&) = delete;
  virtual ~CallbackServer() = default;

  // Called when a function is added.
  virtual void count() noexcept { pending_.fetch_add(1); }
  void uncount() noexcept { pending_.fetch_sub(1); }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_.load(); }

  // Has the thread serve the queue. Lock-free, because threads of drivers call it.
  void push(QueueCallbacks* callbacks) noexcept;
  // Has the thread poll the queue, whose notifications would be late. Returns false if the thread sleeps.
  bool take_polled(const std::shared_ptr<QueueCallbacks>& callbacks);

 protected:
  // Only the thread of the server:
  void serve_listed() noexcept;
  void serve_polled() noexcept;
  // From now on the thread polls queues that it is given, or does not. If not, it has those that it polled
  // notify it.
  void accept_polled(bool accepts) noexcept;
  // Any thread: empties the list of a server that calls no functions any more.
  void drop_listed() noexcept;
  [[nodiscard]] bool is_listed() const noexcept { return listed_.load() != nullptr; }

  Spin spin_;

 private:
  friend class QueueCallbacks;
  // Has the thread look for listed queues. Any thread.
  virtual void wake() noexcept = 0;

  std::atomic<QueueCallbacks*> listed_{nullptr};
  std::atomic<std::size_t> pending_{0};  // functions that were not called yet

  std::mutex polled_mutex_;
  std::vector<std::shared_ptr<QueueCallbacks>> polled_;
  bool accepts_polled_ = true;
};

}  // namespace quern::detail
