// SPDX-License-Identifier: MIT
// User events: queues with one operation, which the program completes.
#include "quern/user_event.hpp"

#include <atomic>
#include <utility>

#include "base/process.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/user_event_queue.hpp"

namespace quern {
namespace detail {

class UserEventState {
 public:
  // `description` is what messages show: "user event 'upload'".
  UserEventState(std::shared_ptr<QueueState> queue, std::string name, std::string description)
      : queue_(std::move(queue)), name_(std::move(name)), description_(std::move(description)) {}
  UserEventState(const UserEventState&) = delete;
  UserEventState& operator=(const UserEventState&) = delete;
  ~UserEventState() {
    if (is_set_.load() || process::must_not_touch_drivers()) return;
    try {
      set(std::make_exception_ptr(Error("it was destroyed before it was set")));
    } catch (...) {
      // No memory for the error: operations that wait for the event stay held back.
    }
  }

  void set(std::exception_ptr error) {
    process::check_not_forked();
    std::shared_ptr<LaunchFailure> failure;
    if (error) failure = std::make_shared<LaunchFailure>(std::move(error), description_);
    if (is_set_.exchange(true)) throw Error(description_ + " is set already; an event can be set once only");
    queue_->resolve(std::move(failure));
  }
  [[nodiscard]] Event event() const { return {queue_, 1}; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::shared_ptr<QueueState> queue_;
  std::string name_, description_;
  std::atomic<bool> is_set_{false};
};

namespace {

std::shared_ptr<UserEventState> make_state(const Context& context, const std::string& name) {
  process::check_not_forked();
  const std::string shown = name.empty() ? "a user event" : "user event '" + name + "'";
  auto queue = std::make_shared<QueueState>(context.state(), 0, std::make_unique<UserEventQueue>(shown),
                                            QueueOptions{}, nullptr);
  return std::make_shared<UserEventState>(std::move(queue), name, shown);
}

}  // namespace
}  // namespace detail

UserEvent::UserEvent(const Context& context, const std::string& name)
    : UserEvent(detail::make_state(context, name)) {}

UserEvent::UserEvent(std::shared_ptr<detail::UserEventState> state)
    : Event(state->event()), state_(std::move(state)) {}

const std::string& UserEvent::name() const noexcept {
  return state_->name();
}

void UserEvent::set_done() const {
  state_->set(nullptr);
}

void UserEvent::set_error(std::exception_ptr error) const {
  if (!error)
    throw ArgumentError(ArgumentError::Kind::value, "set_error: expected an error; use set_done() for none");
  state_->set(std::move(error));
}

}  // namespace quern
