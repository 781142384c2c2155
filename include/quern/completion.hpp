// SPDX-License-Identifier: MIT
// What a program does when events are complete: waits for several events, futures, coroutines.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "quern/api.hpp"
#include "quern/event.hpp"

namespace QUERN_API quern {

// Waits until all operations have ended, then throws the first error in the order of the list.
void wait_all(WaitList events);
bool wait_all_until(WaitList events, Deadline deadline);  // false if the deadline passed first

// Waits until one operation has ended and returns its index. Does not throw its error. Throws ArgumentError
// for an empty list.
std::size_t wait_any(WaitList events);
std::optional<std::size_t> wait_any_until(WaitList events, Deadline deadline);

// The events of a list in the order in which their operations end.
class AsCompleted {
 public:
  explicit AsCompleted(WaitList events);
  AsCompleted(AsCompleted&&) noexcept;
  AsCompleted& operator=(AsCompleted&&) noexcept;
  ~AsCompleted();
  // The number of events that next() has not returned.
  [[nodiscard]] std::size_t left() const noexcept;
  // Waits for the next event and returns its index in the list. Nothing if none is left or if the deadline
  // passed first.
  std::optional<std::size_t> next(Deadline deadline = Deadline::max());

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Called on the library's thread with exceptions of functions given to on_done(). Null: a warning on standard
// error.
void set_callback_error_handler(void (*handler)(std::exception_ptr error));

template <class Function>
auto Event::then(Function function) const {
  using Result = std::invoke_result_t<Function&, const Event&>;
  struct Shared {
    Function function;
    std::promise<Result> promise;
  };
  // std::function needs a copyable object.
  auto shared = std::make_shared<Shared>(Shared{std::move(function), {}});
  std::future<Result> future = shared->promise.get_future();
  on_done([shared](const Event& event) {
    try {
      event.wait();
      if constexpr (std::is_void_v<Result>) {
        shared->function(event);
        shared->promise.set_value();
      } else {
        shared->promise.set_value(shared->function(event));
      }
    } catch (...) {
      shared->promise.set_exception(std::current_exception());
    }
  });
  return future;
}

// A future that becomes ready when the operation has ended, with its error if it failed.
[[nodiscard]] inline std::future<void> future_of(const Event& event) {
  return event.then([](const Event&) {});
}

// co_await event: the coroutine continues on the library's thread; throws the error of the operation.
class EventAwaiter {
 public:
  explicit EventAwaiter(Event event) : event_(std::move(event)) {}
  [[nodiscard]] bool await_ready() const { return event_.done(); }
  void await_suspend(std::coroutine_handle<> coroutine) const {
    // A copy: the coroutine may end, and this object with it, before on_done() returns.
    const Event event = event_;
    event.on_done([coroutine](const Event&) { coroutine.resume(); });
  }
  void await_resume() const { event_.wait(); }

 private:
  Event event_;
};

inline EventAwaiter operator co_await(const Event& event) {
  return EventAwaiter(event);
}

}  // namespace quern
