// SPDX-License-Identifier: MIT
// Converts single arguments to C++ values; each error names the argument by its role.
#include "conversions.hpp"

#include "errors.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

[[noreturn]] void expected(const char* role, const char* what, nb::handle value) {
  type_error(std::string(role) + ": expected " + what + ", got " + class_name(value));
}

nb::object integer_of(nb::handle value, const char* role, const char* what) {
  auto index = nb::steal(PyNumber_Index(value.ptr()));
  if (index.is_valid()) return index;
  PyErr_Clear();
  expected(role, what, value);
}

[[noreturn]] void refuse_surrogate(nb::handle text, const std::string& role) {
  PyErr_Clear();
  value_error(role + ": the text has a lone surrogate, which UTF-8 cannot hold: " + text_of(nb::repr(text)));
}

}  // namespace

std::size_t size_argument(nb::handle value, const char* role) {
  const nb::object index = integer_of(value, role, "an int");
  const Py_ssize_t size = PyLong_AsSsize_t(index.ptr());
  if (size < 0) {
    PyErr_Clear();
    value_error(std::string(role) + ": " + nb::str(index).c_str() + " is not a size");
  }
  return static_cast<std::size_t>(size);
}

std::uintptr_t address_argument(nb::handle value, const char* role) {
  const nb::object index = integer_of(value, role, "an int, the native handle");
  const unsigned long long address = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    value_error(std::string(role) + ": " + nb::str(index).c_str() + " is not a handle");
  }
  return static_cast<std::uintptr_t>(address);
}

std::string text_argument(nb::handle value, const std::string& role) {
  if (!PyUnicode_Check(value.ptr())) expected(role.c_str(), "a str", value);
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) refuse_surrogate(value, role);
  return {text, static_cast<std::size_t>(size)};
}

std::string optional_text_argument(nb::handle value, const std::string& role) {
  return value.is_none() ? std::string() : text_argument(value, role);
}

std::string path_argument(nb::handle value, const std::string& role) {
  const nb::object text = nb::str(value);
  const auto bytes = nb::steal<nb::bytes>(PyUnicode_EncodeFSDefault(text.ptr()));
  if (!bytes.is_valid()) refuse_surrogate(text, role);
  return {bytes.c_str(), bytes.size()};
}

bool flag_argument(nb::handle value, const char* role) {
  if (number_kind(value) != 'b') expected(role, "True or False", value);
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

const Device& device_argument(nb::handle value, const char* role) {
  if (!nb::isinstance<Device>(value)) expected(role, "a quern.Device", value);
  return *nb::inst_ptr<Device>(value);
}

const Context& context_argument(nb::handle value, const char* role) {
  if (!nb::isinstance<Context>(value)) expected(role, "a quern.Context", value);
  return *nb::inst_ptr<Context>(value);
}

}  // namespace quern::python
