// SPDX-License-Identifier: MIT
// Converts a Python value to the bytes that fill a buffer.
#include "pattern.hpp"

#include <string>

#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

std::vector<std::byte> bytes_of(nb::handle object) {
  const HostMemory memory(object, false, "value");
  const auto* first = static_cast<const std::byte*>(memory.data());
  return {first, first + memory.size()};
}

std::vector<std::byte> buffer_pattern(nb::handle value) {
  if (PyLong_Check(value.ptr())) {
    const long byte = PyLong_AsLong(value.ptr());
    if (byte < 0 || byte > 255) {
      PyErr_Clear();
      value_error(
          "fill: an int is one byte and must be from 0 to 255; pass a NumPy scalar to fill wider elements");
    }
    return {static_cast<std::byte>(byte)};
  }
  const bool plain = PyFloat_CheckExact(value.ptr()) || !PyObject_CheckBuffer(value.ptr());
  if (plain) type_error("fill: expected an int, bytes or a NumPy scalar, got " + class_name(value));
  return bytes_of(value);
}

std::vector<std::byte> element_pattern(nb::handle dtype, nb::handle value) {
  // NumPy decides which values fit which elements.
  nb::object element = empty_numpy_array({1}, dtype);
  element[nb::int_(0)] = value;
  return bytes_of(element);
}

Event fill_elements(const Queue& queue, const Array& array, const std::vector<std::byte>& pattern,
                    WaitList wait_for) {
  if (array.evaluate().contiguous) return queue.fill(array.elements(), pattern, wait_for);
  const Array one = empty(queue, {}, array.dtype());
  queue.fill(one.buffer(), pattern, wait_for);
  assign(array, one, &queue);
  return queue.barrier();
}

}  // namespace

Event enqueue_fill(const Queue& queue, nb::handle target, nb::handle value, nb::handle dtype,
                   nb::handle wait_for) {
  Buffer buffer;
  std::vector<std::byte> pattern;
  if (nb::isinstance<PyArray>(target)) {
    const PyArray& array = *nb::inst_ptr<PyArray>(target);
    if (!dtype.is_none()) type_error("fill: dtype: an array has its own dtype; expected None");
    pattern = element_pattern(array.dtype, value);
    const Array to = array.array;
    const std::vector<Event> events = events_of(wait_for);
    release_kept();
    return without_gil([&] { return fill_elements(queue, to, pattern, events); });
  } else if (nb::isinstance<Buffer>(target)) {
    pattern = dtype.is_none() ? buffer_pattern(value) : element_pattern(numpy_dtype(dtype), value);
    buffer = *nb::inst_ptr<Buffer>(target);
  } else {
    type_error("fill: expected a quern.Buffer or quern.Array, got " + class_name(target));
  }
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  return without_gil([&] { return queue.fill(buffer, pattern, events); });
}

}  // namespace quern::python
