// SPDX-License-Identifier: MIT
// Copies of arrays between devices, and between devices and host memory, for any strides. No function here
// waits.
#pragma once

#include <memory>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// The array on the queue's device: itself if it is there, otherwise a copy that the queue makes.
Array to_device(const Array& array, const Queue& queue);

// Copies all elements to, and from, host memory in C order. The host memory must stay valid until the event
// is done; `keep` is held that long. The queue belongs to the array's device.
Event get_elements(const Array& array, const Queue& queue, void* to, WaitList wait_for = {},
                   std::shared_ptr<void> keep = nullptr);
Event set_elements(const Array& array, const Queue& queue, const void* from, WaitList wait_for = {},
                   std::shared_ptr<void> keep = nullptr);

}  // namespace quern
