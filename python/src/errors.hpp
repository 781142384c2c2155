// SPDX-License-Identifier: MIT
// Conversion of C++ exceptions to Python exceptions, and the errors that the binding raises itself.
#pragma once

#include <exception>
#include <string>

#include "binding.hpp"

namespace quern::python {

// Sets Python's error from a C++ exception of the library or std::bad_alloc; rethrows any other exception.
void set_python_error(const std::exception_ptr& error);
// Runs f(), which may throw, for a type slot: returns a new reference, or null with Python's error set.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f().release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    set_python_error(std::current_exception());
  }
  return nullptr;
}
// The same exception as an object that is not raised.
nb::object python_error_object(const std::exception_ptr& error);
// The reverse: the C++ exception keeps the object, and python_error_object() returns it again.
std::exception_ptr exception_of(nb::object error);

// A BuildError that hasattr() and getattr() with a default treat as a missing attribute.
[[noreturn]] void raise_as_attribute_error(const BuildError& error);

[[noreturn]] void type_error(const std::string& what);   // ArgumentError and TypeError
[[noreturn]] void index_error(const std::string& what);  // ArgumentError and IndexError
[[noreturn]] void value_error(const std::string& what);  // ArgumentError and ValueError

[[noreturn]] void buffer_error(const std::string& what);  // Python's own TypeError, as its protocols require

std::string text_of(nb::handle object);     // str(object)
std::string class_name(nb::handle object);  // "numpy.ndarray"

}  // namespace quern::python
