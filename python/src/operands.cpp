// SPDX-License-Identifier: MIT
// Python objects as operands of arithmetic: arrays, Python's numbers, NumPy's numbers and arrays.
#include "operands.hpp"

#include "current.hpp"
#include "errors.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

Number integer(nb::handle object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return Number(static_cast<std::int64_t>(value));
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    value_error(std::string("the integer ") + nb::str(object).c_str() + " is out of bounds for every dtype");
  }
  return Number(static_cast<std::uint64_t>(large));
}

}  // namespace

std::optional<Operand> find_operand(nb::handle object) {
  static PyObject* const array_type = nb::type<PyArray>().ptr();
  PyObject* const o = object.ptr();
  if (object.type().ptr() == array_type) return Operand(nb::inst_ptr<PyArray>(object)->array);
  if (PyFloat_CheckExact(o)) return Operand(Number(PyFloat_AS_DOUBLE(o)));
  if (PyLong_CheckExact(o)) return Operand(integer(object));
  if (PyBool_Check(o)) return Operand(Number(o == Py_True));
  if (PyComplex_CheckExact(o)) {
    const Py_complex value = PyComplex_AsCComplex(o);
    return Operand(Number(std::complex<double>(value.real, value.imag)));
  }
  return {};
}

Operand operand_of(nb::handle object, const char* function) {
  if (const auto found = find_operand(object)) return *found;
  type_error(std::string(function) + ": expected an array or a number, got " + class_name(object));
}

Number number_of(nb::handle object, const char* function) {
  const Operand operand = operand_of(object, function);
  if (operand.array() != nullptr) type_error(std::string(function) + ": expected a number, got an array");
  return operand.number();
}

std::optional<Queue> queue_of(nb::handle given, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) return queue_for(given, *operand.array());
  return {};
}

std::optional<Operand> Operands::find(nb::handle object) {
  const auto found = find_operand(object);
  return found && found->array() != nullptr ? Operand(kept_.emplace_back(*found->array())) : found;
}

Operand Operands::get(nb::handle object, const char* function) {
  const Operand found = operand_of(object, function);
  return found.array() != nullptr ? Operand(kept_.emplace_back(*found.array())) : found;
}

}  // namespace quern::python
