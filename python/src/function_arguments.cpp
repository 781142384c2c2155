// SPDX-License-Identifier: MIT
// Binds the arguments of a call to the parameters of a registry row, and converts each to its kind.
#include "function_arguments.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "item_index.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace quern::python {
namespace {

using registry::includes;
using registry::Parameter;
using registry::Takes;
using registry::Value;

std::string name_of(const CallPlan& plan) {
  return std::string(plan.function->name);
}

// The parameter whose name is most similar to this one; empty if there is none.
std::string nearest(const CallPlan& plan, const std::string& name) {
  for (const Parameter& parameter : plan.parameters) {
    const std::string& other = parameter.name;
    const bool is_near = other.size() > 1 && (name.find(other) != std::string::npos ||
                                              (name.size() > 1 && other.find(name) != std::string::npos));
    std::size_t equal = 0;
    while (equal < std::min(name.size(), other.size()) && name[equal] == other[equal]) ++equal;
    if (is_near || (equal >= 2 && equal + 2 >= std::max(name.size(), other.size()))) return other;
  }
  return {};
}

[[noreturn]] void refuse_name(const CallPlan& plan, nb::handle name) {
  const std::string given = text_of(name), meant = nearest(plan, given);
  for (const Parameter& parameter : plan.parameters)
    if (parameter.name == given)
      type_error(name_of(plan) + ": '" + given + "' must be given by position, not by name");
  type_error(name_of(plan) + ": unexpected keyword argument '" + given + "'" +
             (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
}

// Array has no subclasses.
bool is_array(nb::handle object) {
  static PyObject* const array_type = nb::type<PyArray>().ptr();
  return object.type().ptr() == array_type;
}

bool is_sequence(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

// The first array among the arguments, also inside of lists.
const PyArray* first_array(nb::handle object) {
  if (is_array(object)) return nb::inst_ptr<PyArray>(object);
  if (!is_sequence(object)) return nullptr;
  const auto items = nb::steal(PySequence_Fast(object.ptr(), ""));
  if (!items.is_valid()) throw nb::python_error();
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k)
    if (const PyArray* found = first_array(PySequence_Fast_GET_ITEM(items.ptr(), k))) return found;
  return nullptr;
}

// Whether a string is one of NumPy's orders; no device specification is so short.
bool is_order(nb::handle object) {
  return PyUnicode_Check(object.ptr()) && PyUnicode_GET_LENGTH(object.ptr()) == 1;
}

// Conversion of one argument.
class Converter {
 public:
  Converter(const CallPlan& plan, const BoundArguments& bound, const Queue& queue)
      : plan_(plan), bound_(bound), queue_(queue) {}

  Value convert(const Parameter& parameter, nb::handle object) const {
    const Takes takes = parameter.takes;
    PyObject* const o = object.ptr();
    const bool takes_integer = includes(takes, Takes::integer) || includes(takes, Takes::integers);
    if (takes_integer && PyLong_CheckExact(o)) return counted(parameter, object);
    if (includes(takes, Takes::anything)) return std::monostate();
    if (o == Py_None && !includes(takes, Takes::index)) {
      if (includes(takes, Takes::nothing)) return std::monostate();
      if (includes(takes, Takes::dtype)) return element_type(native_dtype(object));  // NumPy's float64
      refuse(parameter, object);
    }
    if (includes(takes, Takes::flag)) {
      if (PyBool_Check(o)) return o == Py_True;
      const bool is_text = includes(takes, Takes::text) && PyUnicode_Check(o);
      if (!includes(takes, Takes::array) && !is_text) return truth(parameter, object);
    }
    if (includes(takes, Takes::text) && PyUnicode_Check(o)) return text(parameter, object);
    if (includes(takes, Takes::device) && !includes(takes, Takes::text)) return std::monostate();
    if (includes(takes, Takes::slice) && PySlice_Check(o)) return registry::value_of(slice(object));
    if (includes(takes, Takes::nested)) return registry::value_of(nested(parameter, object));
    if (includes(takes, Takes::target)) return target(parameter, object);
    if (includes(takes, Takes::targets)) return targets(parameter, object);
    if (includes(takes, Takes::index) && has_first())
      return registry::value_of(item_index(object, nb::inst_ptr<PyArray>(bound_.objects[0])->array));
    if (includes(takes, Takes::positions)) return positions(parameter, object);
    if (includes(takes, Takes::operands)) return operands(parameter, object);
    if (takes_integer && is_integer(object)) return integer(parameter, object);
    if (includes(takes, Takes::arrays) && includes(takes, Takes::array) && is_sequence(object))
      return arrays(parameter, object);
    if (includes(takes, Takes::numbers) && !(includes(takes, Takes::array) && is_array(object)))
      return registry::value_of(numbers(parameter, object));
    if (includes(takes, Takes::lists)) return lists(parameter, object);
    if (includes(takes, Takes::integers) && !includes(takes, Takes::array))
      return integers(parameter, object);
    if (includes(takes, Takes::groups)) return groups(parameter, object);
    if (includes(takes, Takes::texts)) return texts(parameter, object);
    if (includes(takes, Takes::integer) && !includes(takes, Takes::number) &&
        !includes(takes, Takes::array) && !includes(takes, Takes::arrays)) {
      if (plan_.takes_list && (is_array(object) || is_numpy_array(object) || is_sequence(object)))
        refuse_list(object);
      type_error(role(parameter) + " must be an integer, got " + nb::repr(object).c_str());
    }
    if (includes(takes, Takes::dtype)) return element_type(native_dtype(object));
    if (includes(takes, Takes::number)) {
      if (const auto found = find_operand(object)) {
        if (found->array() == nullptr) return found->number();
        if (includes(takes, Takes::array)) return *found->array();
      }
      if (!includes(takes, Takes::array)) return number(parameter, object);
    }
    if (includes(takes, Takes::array)) return array(parameter, object);
    if (includes(takes, Takes::arrays)) return arrays(parameter, object);
    if (includes(takes, Takes::text)) {
      const std::string text = role(parameter) + " must be a str, got " + class_name(object);
      if (parameter.name == "order") value_error(text);
      type_error(text);
    }
    refuse(parameter, object);
  }

  Array array(const Parameter& parameter, nb::handle object) const {
    if (is_array(object)) return nb::inst_ptr<PyArray>(object)->array;
    PyObject* const o = object.ptr();
    if (o == Py_None || PyUnicode_Check(o) || PyBytes_Check(o))
      type_error(name_of(plan_) + ": " + parameter.name + ": expected an array or numbers, got " +
                 class_name(object) +
                 (o == Py_None
                      ? ""
                      : "; devices do not support strings; elements must be bool, integers, floats, complex "
                        "numbers and structures of them"));
    const nb::object made =
        nb::module_::import_("quern._array")
            .attr("asarray")(object, type_for(parameter, object), nb::arg("device") = queue_.device());
    return nb::inst_ptr<PyArray>(made)->array;
  }

  // An array, or a Python number, which takes the dtype of the arrays beside it.
  registry::Item item(const Parameter& parameter, nb::handle object) const {
    if (const auto found = find_operand(object); found && found->array() == nullptr) return found->number();
    return array(parameter, object);
  }

 private:
  // Whether the first argument is an array.
  [[nodiscard]] bool has_first() const {
    return !bound_.objects.empty() && bound_.objects[0] != nullptr && is_array(bound_.objects[0]);
  }
  // The dtype of the array that an argument becomes: None for its own.
  [[nodiscard]] nb::object type_for(const Parameter& parameter, nb::handle object) const {
    // A Python number that is written to an array whose dtype cannot hold it is an error.
    if (includes(parameter.takes, Takes::written) && !nb::hasattr(object, "dtype") && has_first())
      return nb::inst_ptr<PyArray>(bound_.objects[0])->dtype;
    if (includes(parameter.takes, Takes::typed))
      for (std::size_t k = 0; k < plan_.parameters.size(); ++k)
        if (includes(plan_.parameters[k].takes, Takes::dtype) && bound_.objects[k] != nullptr)
          return nb::borrow(bound_.objects[k]);
    return nb::none();
  }
  [[nodiscard]] std::string role(const Parameter& parameter) const {
    return name_of(plan_) + ": " + parameter.name;
  }
  [[noreturn]] void refuse_list(nb::handle object) const {
    const std::string name = name_of(plan_);
    type_error(name + ": pass the arrays in one list, " + name + "([a, b]), and an integer as axis; got " +
               class_name(object));
  }
  [[noreturn]] void refuse(const Parameter& parameter, nb::handle object) const {
    type_error(role(parameter) + ": got " + class_name(object) + ", which is not supported");
  }

  static bool is_integer(nb::handle object) {
    return PyIndex_Check(object.ptr()) != 0 && !PyBool_Check(object.ptr()) &&
           (!is_array(object) || nb::inst_ptr<PyArray>(object)->array.shape().empty()) &&
           (!is_numpy_array(object) || nb::cast<int>(object.attr("ndim")) == 0);
  }
  std::int64_t integer(const Parameter& parameter, nb::handle object) const {
    if (PyLong_CheckExact(object.ptr())) return counted(parameter, object);
    const auto index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) {
      PyErr_Clear();
      type_error(role(parameter) + " must be an integer, got " + nb::repr(object).c_str());
    }
    return counted(parameter, index);
  }
  std::int64_t counted(const Parameter& parameter, nb::handle integer) const {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0) return value;
    if (includes(parameter.takes, Takes::offset)) return overflow < 0 ? INT64_MIN : INT64_MAX;
    value_error(role(parameter) + " is " + text_of(integer) + ", which exceeds the largest possible length");
  }
  std::vector<std::int64_t> integers(const Parameter& parameter, nb::handle object) const {
    const nb::object all = is_array(object) ? object.attr("get")() : nb::borrow(object);
    const auto iterator = nb::steal(PyUnicode_Check(object.ptr()) ? nullptr : PyObject_GetIter(all.ptr()));
    const std::string what = parameter.name.ends_with("shape") ? name_of(plan_) + ": shape" : role(parameter);
    if (!iterator.is_valid()) {
      PyErr_Clear();
      type_error(what + " must be an integer or a sequence of integers, got " + nb::repr(object).c_str());
    }
    std::vector<std::int64_t> result;
    while (PyObject* const next = PyIter_Next(iterator.ptr())) {
      const auto one = nb::steal(next);
      if (PyIndex_Check(one.ptr()) == 0 || PyBool_Check(one.ptr()))
        type_error(what + " must be an integer or a sequence of integers, got " + nb::repr(object).c_str());
      result.push_back(integer(parameter, one));
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return result;
  }
  // Converted by NumPy; waits for a Quern array.
  registry::Numbers nested(const Parameter& parameter, nb::handle object) const {
    registry::Numbers result;
    if (PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr())) {
      result.values.push_back(number(parameter, object));
      result.kind = result.values.front().kind();
      return result;
    }
    nb::object given = is_array(object) ? object.attr("get")() : nb::borrow(object);
    if (PyDict_Check(object.ptr()) && includes(parameter.takes, Takes::by_axis)) {
      nb::list rows;
      for (const auto [key, row] : nb::borrow<nb::dict>(object)) {
        result.keys.push_back(integer(parameter, key));
        rows.append(is_sequence(row) ? nb::borrow(row) : nb::object(nb::make_tuple(row, row)));
      }
      given = rows;
    }
    const bool is_typed = nb::hasattr(given, "dtype");
    const nb::object values = numpy_attribute("asarray")(given);
    const char kind = nb::cast<char>(values.attr("dtype").attr("kind"));
    const std::size_t place = std::string_view("biufc").find(kind);
    if (place == std::string_view::npos)
      type_error(role(parameter) + ": expected numbers, got " + nb::repr(object).c_str());
    constexpr Number::Kind kKinds[] = {Number::Kind::boolean, Number::Kind::integer, Number::Kind::integer,
                                       Number::Kind::floating, Number::Kind::complex};
    result.shape = shape_of(values.attr("shape"));
    for (nb::handle one : nb::object(values.attr("ravel")().attr("tolist")()))
      result.values.push_back(number(parameter, one));
    // An empty list counts as integers, not as NumPy's default float64.
    result.kind = !is_typed && result.values.empty() ? Number::Kind::integer : kKinds[place];
    return result;
  }
  static Index slice(nb::handle object) {
    const auto* const given = reinterpret_cast<const PySliceObject*>(object.ptr());
    const auto bound = [](PyObject* one) -> std::optional<std::int64_t> {
      if (one == Py_None) return {};
      const Py_ssize_t value = PyNumber_AsSsize_t(one, nullptr);
      if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return value;
    };
    return Index::slice(bound(given->start), bound(given->stop), bound(given->step).value_or(1));
  }
  bool truth(const Parameter& parameter, nb::handle object) const {
    // Numbers and NumPy's booleans are converted; strings and arrays are errors.
    if (PyUnicode_Check(object.ptr()) || is_array(object) || is_sequence(object))
      type_error(role(parameter) + " must be True or False, got " + nb::repr(object).c_str());
    const int truth = PyObject_IsTrue(object.ptr());
    if (truth < 0) throw nb::python_error();
    return truth != 0;
  }
  std::string text(const Parameter& parameter, nb::handle object) const {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      value_error(role(parameter) + ": the text has characters that UTF-8 cannot hold");
    }
    return {bytes, static_cast<std::size_t>(size)};
  }
  Number number(const Parameter& parameter, nb::handle object) const {
    // An array of one element is its number; waits for it.
    if (is_array(object) || is_numpy_array(object))
      return number_of(nb::object(object.attr("item")()), role(parameter).c_str());
    return number_of(object, role(parameter).c_str());
  }
  HostNumbers numbers(const Parameter& parameter, nb::handle object) const {
    PyObject* const o = object.ptr();
    if (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) return number(parameter, object);
    const nb::object given = is_array(object) ? nb::object(object.attr("get")()) : nb::borrow(object);
    const nb::object array = numpy_attribute("asarray")(given);
    const nb::object dtype = array.attr("dtype");
    const char kind = nb::cast<std::string>(dtype.attr("kind")).front();
    if (std::string_view("biuf").find(kind) == std::string_view::npos)
      type_error(role(parameter) + ": expected real numbers, got " + nb::repr(object).c_str());
    const nb::object native =
        numpy_attribute("asarray")(array, nb::arg("dtype") = native_dtype(dtype), nb::arg("order") = "C");
    const HostMemory memory(native, false, parameter.name.c_str());
    const auto* const first = static_cast<const std::byte*>(memory.data());
    return {element_type(native.attr("dtype")), shape_of(native.attr("shape")),
            std::vector<std::byte>(first, first + memory.size())};
  }
  std::vector<HostNumbers> lists(const Parameter& parameter, nb::handle object) const {
    const auto iterator = nb::steal(PyUnicode_Check(object.ptr()) ? nullptr : PyObject_GetIter(object.ptr()));
    if (!iterator.is_valid()) {
      PyErr_Clear();
      type_error(role(parameter) + ": expected a sequence, got " + nb::repr(object).c_str());
    }
    std::vector<HostNumbers> result;
    while (PyObject* const next = PyIter_Next(iterator.ptr())) {
      const auto one = nb::steal(next);
      result.push_back(one.is_none() ? HostNumbers() : numbers(parameter, one));
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return result;
  }
  Array target(const Parameter& parameter, nb::handle object) const {
    nb::handle one = object;
    if (PyTuple_Check(object.ptr()) && PyTuple_GET_SIZE(object.ptr()) == 1)
      one = PyTuple_GET_ITEM(object.ptr(), 0);
    if (!is_array(one) && parameter.is_required)
      type_error(role(parameter) + ": expected an array to write to, got " + class_name(one));
    if (!is_array(one))
      type_error(role(parameter) + ": the result is an array on a device, which a " + class_name(one) +
                 " cannot hold; omit out= and use get()");
    return nb::inst_ptr<PyArray>(one)->array;
  }
  // A null array represents None.
  std::vector<Array> targets(const Parameter& parameter, nb::handle object) const {
    if (!is_sequence(object))
      type_error(role(parameter) + " must be a tuple of arrays or None, got " + class_name(object));
    const auto items = nb::steal(PySequence_Fast(object.ptr(), ""));
    if (!items.is_valid()) throw nb::python_error();
    std::vector<Array> result;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k) {
      const nb::handle one = PySequence_Fast_GET_ITEM(items.ptr(), k);
      result.push_back(one.is_none() ? Array(std::shared_ptr<detail::ArrayValue>()) : target(parameter, one));
    }
    return result;
  }
  Value positions(const Parameter& parameter, nb::handle object) const {
    if (is_array(object)) return nb::inst_ptr<PyArray>(object)->array;
    const bool is_number = PyIndex_Check(object.ptr()) != 0 && !PyBool_Check(object.ptr());
    if (is_number && !is_numpy_array(object))
      return registry::value_of(HostPositions{{}, {integer(parameter, object)}});
    const auto made = nb::object(numpy_attribute("asarray")(object));
    const auto kind = nb::cast<std::string>(made.attr("dtype").attr("kind"));
    if (kind == "b" && has_first()) return array(parameter, made);
    const bool is_empty = nb::cast<std::size_t>(made.attr("size")) == 0;
    if (kind != "i" && kind != "u" && !is_empty)
      throw ArgumentError(ArgumentError::Kind::index,
                          name_of(plan_) + ": indices must be integers, got " +
                              nb::cast<std::string>(nb::str(nb::object(made.attr("dtype")))));
    const nb::object whole = kind == "u" || kind == "i" ? made : nb::object(made.attr("astype")("int64"));
    const ItemIndex index = host_index(whole, Array(std::shared_ptr<detail::ArrayValue>()));
    return registry::value_of(std::get<HostPositions>(index));
  }
  std::vector<registry::Item> operands(const Parameter& parameter, nb::handle object) const {
    const auto items = sequence(parameter, object);
    std::vector<registry::Item> result;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k)
      result.push_back(item(parameter, PySequence_Fast_GET_ITEM(items.ptr(), k)));
    return result;
  }
  std::vector<std::string> texts(const Parameter& parameter, nb::handle object) const {
    std::vector<std::string> result;
    if (!is_sequence(object)) refuse(parameter, object);
    for (nb::handle one : object) {
      if (!PyUnicode_Check(one.ptr())) refuse(parameter, one);
      result.push_back(text(parameter, one));
    }
    return result;
  }
  std::vector<std::vector<std::int64_t>> groups(const Parameter& parameter, nb::handle object) const {
    const auto items = nb::steal(PyUnicode_Check(object.ptr()) ? nullptr : PySequence_Fast(object.ptr(), ""));
    if (!items.is_valid()) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
      PyErr_Clear();
      type_error(role(parameter) + " must be a sequence of integers or of sequences of integers, got " +
                 nb::repr(object).c_str());
    }
    std::vector<std::vector<std::int64_t>> result;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k) {
      const nb::handle one = PySequence_Fast_GET_ITEM(items.ptr(), k);
      if (is_integer(one))
        result.push_back({integer(parameter, one)});
      else
        result.push_back(integers(parameter, one));
    }
    return result;
  }
  nb::object sequence(const Parameter& parameter, nb::handle object) const {
    const bool is_text = PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr());
    nb::object items = nb::steal(is_text ? nullptr : PySequence_Fast(object.ptr(), ""));
    if (items.is_valid()) return items;
    if (!is_text && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    if (!is_text && plan_.takes_list) refuse_list(object);
    type_error(role(parameter) + ": expected a sequence of arrays, got " + class_name(object));
  }
  std::vector<Array> arrays(const Parameter& parameter, nb::handle object) const {
    const auto items = sequence(parameter, object);
    std::vector<Array> result;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k)
      result.push_back(array(parameter, PySequence_Fast_GET_ITEM(items.ptr(), k)));
    return result;
  }

  const CallPlan& plan_;
  const BoundArguments& bound_;
  const Queue& queue_;
};

Queue queue_of_call(const CallPlan& plan, const BoundArguments& bound) {
  nb::handle device = nb::none(), queue = nb::none();
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const Parameter& parameter = plan.parameters[k];
    PyObject* const object = bound.objects[k];
    if (object == nullptr || object == Py_None) continue;
    if (plan.device == k) device = object;
    if (includes(parameter.takes, Takes::queue)) queue = object;
  }
  if (!queue.is_none() || !device.is_none()) return queue_on(device, queue);
  const PyArray* first = nullptr;
  for (std::size_t k = 0; k < plan.parameters.size() && first == nullptr; ++k)
    if (bound.objects[k] != nullptr) first = first_array(bound.objects[k]);
  for (std::size_t k = 0; k < bound.rest.size() && first == nullptr; ++k) first = first_array(bound.rest[k]);
  if (first != nullptr) return queue_for(nb::none(), first->array);
  return queue_on(nb::none(), nb::none());
}

}  // namespace

CallPlan::CallPlan(const registry::Function& row) : function(&row), parameters(registry::parameters_of(row)) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    PyObject* const name = PyUnicode_InternFromString(parameters[k].name.c_str());
    if (name == nullptr) throw nb::python_error();
    names.push_back(name);
    if (parameters[k].passed == Parameter::Passed::rest) rest = k;
    if (parameters[k].takes == Takes::device || parameters[k].takes == (Takes::device | Takes::nothing))
      device = k;
    else if (includes(parameters[k].takes, Takes::device))
      order = k;
    if (includes(parameters[k].takes, Takes::callable)) callable = k;
    if (parameters[k].name == "signature") signature = k;
    if (parameters[k].name == "dtype") dtype = k;
    takes_list |= includes(parameters[k].takes, Takes::arrays);
    if (!rest && parameters[k].passed != Parameter::Passed::by_name) positional = k + 1;
  }
}

BoundArguments bind(const CallPlan& plan, PyObject* const* arguments, std::size_t count, PyObject* names) {
  BoundArguments bound;
  bound.objects.resize(plan.parameters.size(), nullptr);
  if (count > plan.positional && !plan.rest)
    type_error(name_of(plan) + ": it takes " + std::to_string(plan.positional) +
               " arguments by position at most, got " + std::to_string(count));
  const std::size_t by_position = std::min(count, plan.positional);
  for (std::size_t k = 0; k < by_position; ++k) bound.objects[k] = arguments[k];
  bound.rest = {arguments + by_position, count - by_position};
  // As in zeros(3, "float32", "host"), at the position of NumPy's order.
  if (plan.order && plan.device && bound.objects[*plan.order] != nullptr) {
    PyObject*& given = bound.objects[*plan.order];
    if (given != Py_None && !is_order(given)) bound.objects[*plan.device] = std::exchange(given, nullptr);
  }
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t n = 0; n < named; ++n) {
    PyObject* const name = PyTuple_GET_ITEM(names, n);
    auto at = std::find(plan.names.begin(), plan.names.end(), name);
    if (at == plan.names.end())
      at = std::find_if(plan.names.begin(), plan.names.end(),
                        [&](PyObject* one) { return PyUnicode_Compare(one, name) == 0; });
    if (at == plan.names.end()) refuse_name(plan, name);
    const auto k = static_cast<std::size_t>(at - plan.names.begin());
    const Parameter::Passed passed = plan.parameters[k].passed;
    if (passed == Parameter::Passed::by_position || passed == Parameter::Passed::rest)
      refuse_name(plan, name);
    if (bound.objects[k] != nullptr)
      type_error(name_of(plan) + ": '" + plan.parameters[k].name + "' is given twice");
    bound.objects[k] = arguments[count + static_cast<std::size_t>(n)];
  }
  if (plan.signature && bound.objects[*plan.signature] != nullptr &&
      bound.objects[*plan.signature] != Py_None) {
    PyObject*& given = bound.objects[*plan.dtype];
    if (given != nullptr && given != Py_None)
      type_error(name_of(plan) + ": signature= and dtype= cannot be given together");
    bound.dtype = nb::module_::import_("quern._operands")
                      .attr("dtype_of_signature")(name_of(plan), nb::handle(bound.objects[*plan.signature]));
    given = bound.dtype.ptr();
  }
  for (std::size_t k = 0; k < plan.parameters.size(); ++k)
    if (bound.objects[k] == nullptr && plan.parameters[k].is_required)
      type_error(name_of(plan) + ": the argument '" + plan.parameters[k].name + "' is missing");
  return bound;
}

ConvertedArguments::ConvertedArguments(const CallPlan& plan, const BoundArguments& bound)
    : queue_(queue_of_call(plan, bound)) {
  const Converter converter(plan, bound, *queue_);
  std::size_t given = plan.rest ? 1 : 0;
  for (PyObject* const object : bound.objects) given += object != nullptr ? 1 : 0;
  made_.reserve(given);  // The values stay where they are.
  values_.reserve(plan.parameters.size());
  static const Value nothing;
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const Parameter& parameter = plan.parameters[k];
    if (plan.rest == k) {
      if (includes(parameter.takes, Takes::operand)) {
        std::vector<registry::Item> all;
        for (PyObject* const one : bound.rest) all.push_back(converter.item(parameter, one));
        values_.push_back(&made_.emplace_back(std::move(all)));
        continue;
      }
      std::vector<Array> all;
      for (PyObject* const one : bound.rest) all.push_back(converter.array(parameter, one));
      values_.push_back(&made_.emplace_back(std::move(all)));
    } else if (bound.objects[k] == nullptr) {
      values_.push_back(&parameter.preset);
    } else if (includes(parameter.takes, Takes::queue)) {
      values_.push_back(&nothing);
    } else {
      values_.push_back(&made_.emplace_back(converter.convert(parameter, bound.objects[k])));
      const bool is_written =
          includes(parameter.takes, Takes::target) || includes(parameter.takes, Takes::targets);
      if (is_written && bound.objects[k] != Py_None) add_targets(bound.objects[k]);
    }
  }
}

void ConvertedArguments::add_targets(nb::handle given) {
  if (!PyTuple_Check(given.ptr())) {
    targets_.push_back(given);
    return;
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given.ptr()); ++k) {
    const nb::handle one = PyTuple_GET_ITEM(given.ptr(), k);
    if (!one.is_none()) targets_.push_back(one);
  }
}

}  // namespace quern::python
