// SPDX-License-Identifier: MIT
// Events of enqueued operations. An event is a queue and a ticket number, and uses no further resources until
// it is queried.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "quern/api.hpp"
#include "quern/properties.hpp"

namespace QUERN_API quern {

namespace backend {
class Timing;
}
namespace detail {
class QueueState;
}

enum class EventStatus : std::uint8_t {
  queued,     // held back until the operations it waits for are resolved
  submitted,  // submitted to the device
  complete,
  failed,
};

class Event {
 public:
  Event() = default;  // of no operation: complete

  // Waits until the operation is done; throws its error if it failed. In an in-order queue this may also wait
  // for a few operations that were enqueued later.
  void wait() const;
  // The same with a limit; false if the deadline passed first.
  bool wait_until(Deadline deadline) const;
  [[nodiscard]] bool done() const;
  [[nodiscard]] EventStatus status() const;
  [[nodiscard]] std::exception_ptr error() const;  // null unless failed
  // Waits for the operation; throws ArgumentError unless the queue is profiling.
  [[nodiscard]] Times times() const;
  // Whether the device records times of the operation. It has none for operations without work.
  [[nodiscard]] bool has_times() const noexcept { return timing_ != nullptr; }

  // Calls the function once with this event after the operation ended, also if it failed. One thread of the
  // library calls the functions of all events, without holding a lock: a function may enqueue work and wait
  // for it, but it delays the others. Functions that were not called when the process exits are dropped. For
  // exceptions see set_callback_error_handler() in quern/completion.hpp.
  void on_done(std::function<void(const Event&)> function) const;
  // The future of function(event), which is called as by on_done(). If the operation failed, the function is
  // not called, and the future has the error. Defined in quern/completion.hpp, as is co_await.
  template <class Function>
  [[nodiscard]] auto then(Function function) const;

  // Internal.
  Event(std::shared_ptr<detail::QueueState> queue, std::uint64_t ticket,
        std::shared_ptr<backend::Timing> timing = nullptr)
      : queue_(std::move(queue)), ticket_(ticket), timing_(std::move(timing)) {}
  [[nodiscard]] const std::shared_ptr<detail::QueueState>& queue_state() const noexcept { return queue_; }
  [[nodiscard]] std::uint64_t ticket() const noexcept { return ticket_; }

 private:
  std::shared_ptr<detail::QueueState> queue_;
  std::uint64_t ticket_ = 0;
  std::shared_ptr<backend::Timing> timing_;
};

// The events that an operation waits for; of any queue, device and backend.
using WaitList = std::span<const Event>;

}  // namespace quern
