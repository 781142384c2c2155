// SPDX-License-Identifier: MIT
// Python objects as operands of arithmetic: arrays, Python's numbers, NumPy's numbers and arrays.
#include "operands.hpp"

#include <algorithm>
#include <climits>
#include <string>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "quern/casting.hpp"

namespace quern::python {
namespace {

Number integer(nb::handle object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return Number(static_cast<std::int64_t>(value));
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object.ptr()) : 0;
  if (overflow > 0 && PyErr_Occurred() == nullptr) return Number(static_cast<std::uint64_t>(large));
  PyErr_Clear();
  const double near = PyLong_AsDouble(object.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw NumberError("the integer is out of bounds for every dtype");
  }
  return Number::huge(near, PyLong_AsUnsignedLongLongMask(object.ptr()));
}

Number complex_of(nb::handle object) {
  const Py_complex value = PyComplex_AsCComplex(object.ptr());
  return Number(std::complex<double>(value.real, value.imag));
}

bool is_numpy_number(nb::handle object) {
  return nb::isinstance(object, numpy_attribute("generic"));
}

DType default_dtype(const Number& number, const Queue& queue) {
  switch (number.kind()) {
    case Number::Kind::boolean:
      return DType::of(Scalar::boolean);
    case Number::Kind::integer:
      return DType::of(Scalar::int64);
    case Number::Kind::floating:
      return DType::of(queue.device().properties().has_fp64 ? Scalar::float64 : Scalar::float32);
    case Number::Kind::complex:
      break;
  }
  return DType::of(queue.device().properties().has_fp64 ? Scalar::complex128 : Scalar::complex64);
}

}  // namespace

int axis_of(nb::handle axis, const char* function) {
  if (!PyIndex_Check(axis.ptr()) || nb::isinstance<PyArray>(axis))
    type_error(std::string(function) + ": axis must be an integer, got " + class_name(axis));
  const Py_ssize_t value = PyNumber_AsSsize_t(axis.ptr(), nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (value < INT_MIN || value > INT_MAX)
    value_error(std::string(function) + ": axis out of range: " + nb::cast<std::string>(nb::str(axis)));
  return static_cast<int>(value);
}

std::vector<int> axes_of(nb::handle axes, const char* function) {
  if (PyIndex_Check(axes.ptr())) return {axis_of(axes, function)};
  if (PySequence_Check(axes.ptr()) == 0 || PyUnicode_Check(axes.ptr()))
    type_error(std::string(function) + ": expected an axis or a sequence of axes, got " + class_name(axes));
  std::vector<int> result;
  for (nb::handle axis : axes) result.push_back(axis_of(axis, function));
  return result;
}

std::optional<Operand> find_operand(nb::handle object) {
  static PyObject* const array_type = nb::type<PyArray>().ptr();
  PyObject* const o = object.ptr();
  if (object.type().ptr() == array_type) return Operand(nb::inst_ptr<PyArray>(object)->array);
  if (PyFloat_CheckExact(o)) return Operand(Number(PyFloat_AS_DOUBLE(o)));
  if (PyLong_CheckExact(o)) return Operand(integer(object));
  if (PyBool_Check(o)) return Operand(Number(o == Py_True));
  if (PyComplex_CheckExact(o)) return Operand(complex_of(object));
  // Subclasses of Python's numbers are numbers, but NumPy's scalars have a dtype of their own.
  if (!(PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o)) || is_numpy_number(object)) return {};
  if (PyFloat_Check(o)) return Operand(Number(PyFloat_AsDouble(o)));
  return Operand(PyLong_Check(o) ? integer(object) : complex_of(object));
}

void warn_of_overflow(const Number& number, const DType& dtype) {
  if (overflows(number, dtype)) warn_as_numpy("overflow encountered in cast");
}

void warn_of_overflow(std::span<const Operand> operands) {
  for (const Operand& one : operands) {
    if (one.array() != nullptr) continue;
    for (const Operand& other : operands)
      if (other.array() != nullptr) warn_of_overflow(one.number(), other.array()->dtype());
  }
}

Operand operand_of(nb::handle object, const char* function) {
  if (const auto found = find_operand(object)) return *found;
  type_error(std::string(function) + ": expected an array or a number, got " + class_name(object));
}

Operand Operands::moved(nb::handle object, const Queue& queue) {
  if (is_numpy_number(object)) {
    const DType dtype = element_type(nb::object(object.attr("dtype")));
    const Number number = number_of(object, "operand");
    return kept_.emplace_back(without_gil([&] { return full(queue, {}, number, dtype); }));
  }
  const nb::object array =
      nb::module_::import_("quern._array").attr("asarray")(object, nb::arg("device") = queue.device());
  return kept_.emplace_back(nb::inst_ptr<PyArray>(array)->array);
}

std::vector<Operand> Operands::all(std::span<const nb::handle> objects, const char* function,
                                   nb::handle given, std::optional<Queue>& queue) {
  std::vector<Operand> result;
  result.reserve(objects.size());
  bool is_complete = true;
  for (const nb::handle object : objects) {
    const auto found = find(object);
    if (!found && !is_foreign(object))
      type_error(std::string(function) + ": expected an array or a number, got " + class_name(object));
    is_complete &= found.has_value();
    result.push_back(found.value_or(Operand(Number(false))));
  }
  queue = queue_of(given, result);
  if (queue && is_complete) return result;
  nb::object keep;
  if (!queue) queue = queue_or_current(given, keep);
  for (std::size_t k = 0; k < objects.size(); ++k)
    if (!find(objects[k])) result[k] = moved(objects[k], *queue);
  if (std::none_of(result.begin(), result.end(), [](const Operand& one) { return one.array() != nullptr; }) &&
      !result.empty()) {
    const Number number = result[0].number();
    result[0] = kept_.emplace_back(
        without_gil([&] { return full(*queue, {}, number, default_dtype(number, *queue)); }));
  }
  return result;
}

std::optional<Queue> queue_of(nb::handle given, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) return queue_for(given, *operand.array());
  return {};
}

bool is_temporary(nb::handle object) {
#if PY_VERSION_HEX < 0x030E0000
  return Py_REFCNT(object.ptr()) == 1;
#else
  // Since that version, references on the stack may be borrowed from a variable and are not counted.
  return PyUnstable_Object_IsUniqueReferencedTemporary(object.ptr()) == 1;
#endif
}

long spare_handles(nb::handle value) {
  return is_temporary(value) && nb::isinstance<PyArray>(value) ? 2 : 0;
}

std::optional<Operand> Operands::find(nb::handle object) {
  const auto found = find_operand(object);
  return found && found->array() != nullptr ? Operand(kept_.emplace_back(*found->array())) : found;
}

Operand Operands::get(nb::handle object, const char* function) {
  const Operand found = operand_of(object, function);
  return found.array() != nullptr ? Operand(kept_.emplace_back(*found.array())) : found;
}

bool is_foreign(nb::handle object) {
  return is_numpy_array(object) || PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) ||
         is_numpy_number(object);
}

Number number_of(nb::handle object, const char* role) {
  const nb::object plain = is_numpy_number(object) ? object.attr("item")() : nb::borrow(object);
  const auto operand = find_operand(plain);
  if (!operand || operand->array() != nullptr)
    type_error(std::string(role) + ": expected a number, got " + class_name(object));
  return operand->number();
}

}  // namespace quern::python
