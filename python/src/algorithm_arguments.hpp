// SPDX-License-Identifier: MIT
// The arrays of a call to an algorithm: those that are given, and those that it allocates for the caller.
#pragma once

#include <string>
#include <utility>

#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {

inline const PyArray& array_of(nb::handle object, const char* name) {
  if (!nb::isinstance<PyArray>(object))
    type_error(std::string(name) + ": expected quern.Array, got " + class_name(object));
  return *nb::inst_ptr<PyArray>(object);
}

// None: no array.
inline const Array* array_or_none(nb::handle object, const char* name) {
  return object.is_none() ? nullptr : &array_of(object, name).array;
}

inline PyArray new_array(const Queue& queue, const Shape& shape, const DType& dtype, nb::object numpy_type) {
  return {without_gil([&] { return empty(queue, shape, dtype); }), std::move(numpy_type)};
}

// Enqueues into `out` and returns the event, or into a new array and returns that.
template <class Enqueue>
nb::object into(nb::handle out, Enqueue&& enqueue, const Queue& queue, const Shape& shape, const DType& dtype,
                const nb::object& numpy_type) {
  if (!out.is_none()) return nb::cast(enqueue(array_of(out, "out").array));
  PyArray result = new_array(queue, shape, dtype, numpy_type);
  enqueue(result.array);
  return nb::cast(std::move(result));
}

}  // namespace quern::python
