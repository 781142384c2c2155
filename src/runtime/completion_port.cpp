// SPDX-License-Identifier: MIT
// A server of functions whose thread is that of an event loop.
#include "quern/completion_port.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/wake_descriptor.hpp"
#include "runtime/callbacks.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

// Signals of backends hold it, so it may outlive the port.
class LoopServer final : public detail::CallbackServer {
 public:
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

  // Begins or continues a wait, for a function that the loop's thread will add. Returns whether it polls.
  [[nodiscard]] bool wait() noexcept {
    if (!slept_) return true;  // the loop will call serve()
    if (pending() == 0) spin_.begin();
    if (!spin_.goes_on()) return false;
    slept_ = false;
    // If no signal came while it slept, the descriptor is not readable.
    if (!sleeps_.exchange(false)) descriptor_.clear();
    accept_polled(true);
    return true;
  }
  // Ends polling: signals make the descriptor readable.
  void rest() noexcept {
    spin_.stop();
    accept_polled(false);
    slept_ = true;
    sleeps_.store(true);
    // A thread that lists a queue does so before it looks whether this one sleeps.
    if (is_listed()) wake();
  }

  bool serve() noexcept {
    if (std::exchange(slept_, false)) {
      sleeps_.store(false);
      descriptor_.clear();
    }
    serve_listed();
    serve_polled();
    if (pending() != 0 && spin_.goes_on()) return true;
    rest();
    return false;
  }

  // No thread calls functions any more; those that were pending are gone.
  void close() noexcept {
    spin_.stop();
    accept_polled(false);
    is_closed_.store(true);
    drop_listed();
  }

 private:
  void wake() noexcept override {
    if (is_closed_.load()) {
      drop_listed();
    } else if (sleeps_.exchange(false)) {
      descriptor_.wake();
    }
  }

  WakeDescriptor descriptor_;
  std::atomic<bool> sleeps_{true}, is_closed_{false};
  bool slept_ = true;  // whether it polls no longer; of the loop's thread
};

}  // namespace

struct CompletionPort::State {
  std::shared_ptr<LoopServer> server = std::make_shared<LoopServer>();
  // By the owner of the queue, which no other queue has, and not by its address, which a later queue may
  // have.
  std::map<std::weak_ptr<detail::QueueState>, std::shared_ptr<detail::QueueCallbacks>, std::owner_less<>>
      queues;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    // Here, and not in a thread of a driver that raises the last signal: functions may own queues.
    for (const auto& [queue, callbacks] : queues) callbacks->drop_functions();
    server->close();
  }

  detail::QueueCallbacks& callbacks_of(const Event& event) {
    auto& callbacks = queues[event.queue_state()];
    if (!callbacks) callbacks = std::make_shared<detail::QueueCallbacks>(server);
    return *callbacks;
  }

  // Removes the entries without functions, of queues that may be gone.
  void drop_unused() {
    if (queues.size() < drop_at_) return;
    std::erase_if(queues, [](const auto& each) { return each.second->empty(); });
    drop_at_ = std::max<std::size_t>(64, 2 * queues.size());
  }

 private:
  std::size_t drop_at_ = 64;
};

CompletionPort::CompletionPort() : state_(std::make_unique<State>()) {}
CompletionPort::CompletionPort(CompletionPort&&) noexcept = default;
CompletionPort& CompletionPort::operator=(CompletionPort&&) noexcept = default;

CompletionPort::~CompletionPort() = default;

int CompletionPort::descriptor() const noexcept {
  return state_->server->descriptor();
}

bool CompletionPort::on_done(const Event& event, std::function<void(const Event&)> function) {
  process::check_not_forked();
  state_->drop_unused();
  const bool polls = state_->server->wait();
  try {
    state_->callbacks_of(event).add(event, std::move(function));
  } catch (...) {
    if (polls) state_->server->rest();  // the caller does not know that it polls
    throw;
  }
  return polls;
}

bool CompletionPort::serve() {
  return state_->server->serve();
}

bool CompletionPort::serve_all() {
  std::vector<std::shared_ptr<detail::QueueCallbacks>> all;  // functions may add queues
  for (const auto& [queue, callbacks] : state_->queues) all.push_back(callbacks);
  for (const auto& each : all) each->serve();
  return serve();
}

std::size_t CompletionPort::pending() const noexcept {
  return state_->server->pending();
}

}  // namespace quern
