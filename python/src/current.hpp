// SPDX-License-Identifier: MIT
// The current device and queue: a context variable, so that each thread and asyncio task has its own.
#pragma once

#include "binding.hpp"

namespace quern::python {

// Enter and leave `with queue` and `with device`. The variable holds the whole stack, so leaving restores the
// previous value.
void push_current(nb::handle queue_or_device);
void pop_current();

// The device of all threads and tasks outside such a block. None: the library chooses.
void set_device(nb::handle device);

nb::object current_queue();  // a Queue; that of the default device if nothing was selected
Device current_device();

// None: the current queue. Any other type raises ArgumentError.
const Queue& queue_or_current(nb::handle queue, nb::object& keep);
// None: the current device.
Device device_or_current(nb::handle device);

// The queue for work on memory of this context and device if the call names none: the current queue if
// possible.
Queue queue_for(const Context& context, const Device& device);
Queue queue_for(nb::handle queue, const Buffer& buffer);  // None: the one above
Queue queue_for(nb::handle queue, const Array& array);
// The queue for a result that is a new array; None and None: the current one.
Queue queue_on(nb::handle device, nb::handle queue);

}  // namespace quern::python
