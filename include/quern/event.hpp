// SPDX-License-Identifier: MIT
// Events: operations that were enqueued. An event is a queue and a ticket number, and costs nothing until it
// is used.
#pragma once

#include <cstdint>
#include <exception>
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
  queued,     // held back until what it waits for is resolved
  submitted,  // given to the device
  complete,
  failed,
};

class Event {
 public:
  Event() = default;  // of nothing: complete

  // Waits until the operation is done; throws what made it fail. In an in-order queue this may also wait for
  // a few operations that were enqueued after it.
  void wait() const;
  // The same with a limit; false when the deadline passed first.
  bool wait_until(Deadline deadline) const;
  [[nodiscard]] bool done() const;
  [[nodiscard]] EventStatus status() const;
  [[nodiscard]] std::exception_ptr error() const;  // null unless failed
  // Throws ArgumentError unless the queue is profiling; waits for the operation.
  [[nodiscard]] Times times() const;

  // For the library itself.
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

// Events an operation waits for; of any queue, device and backend.
using WaitList = std::span<const Event>;

}  // namespace quern
