// SPDX-License-Identifier: MIT
// What all commands have in common: the wait list, the event that is returned, and blocking.
#pragma once

#include <functional>
#include <vector>

#include "platform/errors.hpp"
#include "platform/objects.hpp"
#include "quern/error.hpp"

namespace quern::platform {

// The last three parameters of a command.
struct CommandEvents {
  cl_uint count;
  const cl_event* wait_list;
  cl_event* result;
};

// The events to wait for. Fails for a malformed list and for events of other contexts.
[[nodiscard]] std::vector<Event> wait_list_of(const _cl_context& context, cl_uint count,
                                              const cl_event* events);

// Makes the event object that the program asked for, if it did.
void return_event(_cl_command_queue& queue, cl_command_type type, Event event, cl_event* result);
// An event with the status of a command that did not run because of its wait list.
[[nodiscard]] Event failed_event(const _cl_context& context);

// Enqueues a command: `submit` gets the wait list and returns the event of the engine. If an event of the
// list has failed already, the command fails as it would have later.
template <class Submit>
void enqueue(_cl_command_queue& queue, cl_command_type type, const CommandEvents& events, bool is_blocking,
             Submit&& submit) {
  const std::vector<Event> waits = wait_list_of(*queue.context, events.count, events.wait_list);
  Event event;
  try {
    event = submit(WaitList(waits));
  } catch (const DependencyError&) {
    if (is_blocking) throw;
    event = failed_event(*queue.context);
  }
  if (is_blocking) event.wait();
  return_event(queue, type, std::move(event), events.result);
}

// An operation of a queue without work: complete after its wait list and, in an in-order queue, after all
// work enqueued before.
[[nodiscard]] Event enqueue_nothing(const Queue& queue, WaitList waits);

}  // namespace quern::platform
