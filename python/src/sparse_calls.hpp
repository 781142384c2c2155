// SPDX-License-Identifier: MIT
// What the bindings of sparse matrices share: results as arrays of Python, and the queue of a call.
#pragma once

#include <utility>

#include "binding.hpp"
#include "current.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {

inline PyArray wrapped(Array array) {
  nb::object dtype = numpy_dtype_of(array.dtype());
  return {std::move(array), std::move(dtype)};
}

// Runs f() without the GIL; new work goes to the current queue if it is on the array's device.
template <class F>
auto on_queue_of(const Array& array, F&& f) {
  const Queue queue = queue_for(nb::none(), array);
  return without_gil([&] {
    const QueueScope scope(queue);
    return f();
  });
}

}  // namespace quern::python
