// SPDX-License-Identifier: MIT
// The current device and queue: a context variable, so that threads and asyncio tasks each have their own.
#pragma once

#include "binding.hpp"

namespace quern::python {

// What `with queue` and `with device` do. The variable holds the whole nest, so leaving restores what was
// there.
void push_current(nb::handle queue_or_device);
void pop_current();

// The device of all threads and tasks that are in no such block. None: the library chooses.
void set_device(nb::handle device);

nb::object current_queue();  // a Queue; the default device's when nothing was chosen
Device current_device();

// None: the current queue. Another type is an ArgumentError.
const Queue& queue_or_current(nb::handle queue, nb::object& keep);
// None: the current device.
Device device_or_current(nb::handle device);

// The queue that work on memory of this context and device goes to when none is named: the current one if it
// can.
Queue queue_for(const Context& context, const Device& device);
Queue queue_for(nb::handle queue, const Buffer& buffer);  // None: the one above
Queue queue_for(nb::handle queue, const Array& array);
// The queue for a result that is a new array; None and None: the current one.
Queue queue_on(nb::handle device, nb::handle queue);

}  // namespace quern::python
