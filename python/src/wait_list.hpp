// SPDX-License-Identifier: MIT
// The events that an enqueued operation waits for, as Python gives them.
#pragma once

#include <vector>

#include "binding.hpp"
#include "errors.hpp"

namespace quern::python {

// None, an event, or a sequence of events.
inline std::vector<Event> events_of(nb::handle wait_for) {
  if (wait_for.is_none()) return {};
  if (nb::isinstance<Event>(wait_for)) return {*nb::inst_ptr<Event>(wait_for)};
  std::vector<Event> result;
  if (!PySequence_Check(wait_for.ptr()))
    type_error("wait_for: expected events, or a sequence of them, got " + class_name(wait_for));
  for (nb::handle item : wait_for) {
    if (!nb::isinstance<Event>(item)) type_error("wait_for: expected quern.Event, got " + class_name(item));
    result.push_back(*nb::inst_ptr<Event>(item));
  }
  return result;
}

}  // namespace quern::python
