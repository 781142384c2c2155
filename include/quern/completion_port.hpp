// SPDX-License-Identifier: MIT
// Completed events for a program that waits on file descriptors: epoll, libuv, Asio, Python's asyncio.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "quern/api.hpp"
#include "quern/event.hpp"

namespace QUERN_API quern {

// Calls functions of completed events on the thread of an event loop, without a thread in between. One thread
// at a time uses an object. The loop calls serve() when the descriptor is readable, and when on_done() or
// serve() returned true: then before it waits for its descriptors. As long as they return true, the loop
// polls, which is at most 200 us for each wait, and only if the wait before was as short.
class CompletionPort {
 public:
  CompletionPort();
  CompletionPort(CompletionPort&&) noexcept;
  CompletionPort& operator=(CompletionPort&&) noexcept;
  ~CompletionPort();  // functions that were not called are dropped

  // Readable when serve() should be called. Closed some time after this object is destroyed.
  [[nodiscard]] int descriptor() const noexcept;
  // serve() will call the function once with this event after the operation ended, also if it failed. It must
  // not destroy the port. Returns whether serve() should be called soon.
  bool on_done(const Event& event, std::function<void(const Event&)> function);
  // Calls the functions of events that are done. Returns whether it should be called again soon.
  bool serve();
  // The same for a loop that calls it about once a second: a driver that lost its device makes no descriptor
  // readable.
  bool serve_all();
  // The number of functions that were not called yet.
  [[nodiscard]] std::size_t pending() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quern
