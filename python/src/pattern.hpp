// SPDX-License-Identifier: MIT
// Fill patterns: the bytes of a value.
#pragma once

#include <cstddef>
#include <vector>

#include "binding.hpp"

namespace quern::python {

// For a buffer: an element of the dtype; without one, an int is one byte, and bytes and NumPy scalars are
// used unchanged. For an array: one element of its dtype.
Event enqueue_fill(const Queue& queue, nb::handle target, nb::handle value, nb::handle dtype,
                   nb::handle wait_for);

}  // namespace quern::python
