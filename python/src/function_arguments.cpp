// SPDX-License-Identifier: MIT
#include "function_arguments.hpp"

#include <algorithm>
#include <string>

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

// The parameter whose name is most like this one; empty where none is.
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
      type_error(name_of(plan) + ": '" + given + "' is given by position, not by name");
  type_error(name_of(plan) + ": there is no parameter '" + given + "'" +
             (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
}

bool is_array(nb::handle object) {
  static PyObject* const array_type = nb::type<PyArray>().ptr();
  return object.type().ptr() == array_type || nb::isinstance<PyArray>(object);
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

// One argument on its way to a value.
class Converter {
 public:
  // `first` is the first argument where it is an array, otherwise null.
  Converter(const CallPlan& plan, const Queue& queue, const PyArray* first)
      : plan_(plan), queue_(queue), first_(first) {}

  Value convert(const Parameter& parameter, nb::handle object) const {
    const Takes takes = parameter.takes;
    PyObject* const o = object.ptr();
    if (includes(takes, Takes::anything)) return std::monostate();
    if (o == Py_None) {
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
    if (includes(takes, Takes::target)) return target(parameter, object);
    if (includes(takes, Takes::targets)) return targets(parameter, object);
    if (includes(takes, Takes::positions)) return positions(parameter, object);
    if (includes(takes, Takes::values)) return values(parameter, object);
    if (includes(takes, Takes::operands)) return operands(parameter, object);
    if ((includes(takes, Takes::integer) || includes(takes, Takes::integers)) && is_integer(object))
      return integer(parameter, object);
    if (includes(takes, Takes::integers) && !includes(takes, Takes::array))
      return integers(parameter, object);
    if (includes(takes, Takes::groups)) return groups(parameter, object);
    if (includes(takes, Takes::integer) && !includes(takes, Takes::number) &&
        !includes(takes, Takes::array) && !includes(takes, Takes::arrays))
      type_error(role(parameter) + " is an integer, got " + nb::repr(object).c_str());
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
    if (includes(takes, Takes::text)) type_error(role(parameter) + " is a str, got " + class_name(object));
    refuse(parameter, object);
  }

  Array array(const Parameter& parameter, nb::handle object) const {
    if (is_array(object)) return nb::inst_ptr<PyArray>(object)->array;
    PyObject* const o = object.ptr();
    if (o == Py_None || PyUnicode_Check(o) || PyBytes_Check(o))
      type_error(name_of(plan_) + ": " + parameter.name + ": expected an array or numbers, got " +
                 class_name(object));
    const nb::object made =
        nb::module_::import_("quern._array").attr("asarray")(object, nb::arg("device") = queue_.device());
    return nb::inst_ptr<PyArray>(made)->array;
  }

  // An array, or a number of Python's, which takes the type of arrays beside it.
  registry::Item item(const Parameter& parameter, nb::handle object) const {
    if (const auto found = find_operand(object); found && found->array() == nullptr) return found->number();
    return array(parameter, object);
  }

 private:
  [[nodiscard]] std::string role(const Parameter& parameter) const {
    return name_of(plan_) + ": " + parameter.name;
  }
  [[noreturn]] void refuse(const Parameter& parameter, nb::handle object) const {
    type_error(role(parameter) + ": got " + class_name(object) + ", which it does not take");
  }

  static bool is_integer(nb::handle object) {
    return PyIndex_Check(object.ptr()) != 0 && !PyBool_Check(object.ptr()) &&
           (!is_array(object) || nb::inst_ptr<PyArray>(object)->array.shape().empty()) &&
           !is_numpy_array(object);
  }
  std::int64_t integer(const Parameter& parameter, nb::handle object) const {
    const auto index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const long long value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      value_error(role(parameter) + " is " + text_of(object) + ", which no 64 bits hold");
    }
    return value;
  }
  std::vector<std::int64_t> integers(const Parameter& parameter, nb::handle object) const {
    const auto iterator = nb::steal(PyUnicode_Check(object.ptr()) ? nullptr : PyObject_GetIter(object.ptr()));
    if (!iterator.is_valid()) {
      PyErr_Clear();
      type_error(role(parameter) + " is an integer or a sequence of them, got " + nb::repr(object).c_str());
    }
    std::vector<std::int64_t> result;
    while (PyObject* const next = PyIter_Next(iterator.ptr())) {
      const auto one = nb::steal(next);
      if (PyIndex_Check(one.ptr()) == 0 || PyBool_Check(one.ptr()))
        type_error(role(parameter) + " is an integer or a sequence of them, got " + nb::repr(object).c_str());
      result.push_back(integer(parameter, one));
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return result;
  }
  bool truth(const Parameter& parameter, nb::handle object) const {
    // Numbers and NumPy's booleans are truths; texts and arrays are mistakes.
    if (PyUnicode_Check(object.ptr()) || is_array(object) || is_sequence(object))
      type_error(role(parameter) + " is True or False, got " + nb::repr(object).c_str());
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
    // An array of one element is its number, which is waited for.
    if (is_array(object) || is_numpy_array(object))
      return number_of(nb::object(object.attr("item")()), role(parameter).c_str());
    return number_of(object, role(parameter).c_str());
  }
  Array target(const Parameter& parameter, nb::handle object) const {
    nb::handle one = object;
    if (PyTuple_Check(object.ptr()) && PyTuple_GET_SIZE(object.ptr()) == 1)
      one = PyTuple_GET_ITEM(object.ptr(), 0);
    if (!is_array(one) && parameter.is_required)
      type_error(role(parameter) + ": expected an array to write to, got " + class_name(one));
    if (!is_array(one))
      type_error(role(parameter) + ": the result is an array on a device, which a " + class_name(one) +
                 " cannot hold; leave out= away and use get()");
    return nb::inst_ptr<PyArray>(one)->array;
  }
  // A null array stands for None.
  std::vector<Array> targets(const Parameter& parameter, nb::handle object) const {
    if (!is_sequence(object))
      type_error(role(parameter) + " is a tuple of arrays or None, got " + class_name(object));
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
    if (is_number && !is_numpy_array(object)) return HostPositions{{}, {integer(parameter, object)}};
    const auto made = nb::object(numpy_attribute("asarray")(object));
    const auto kind = nb::cast<std::string>(made.attr("dtype").attr("kind"));
    if (kind == "b" && first_ != nullptr) return array(parameter, made);
    const bool is_empty = nb::cast<std::size_t>(made.attr("size")) == 0;
    if (kind != "i" && kind != "u" && !is_empty)
      throw ArgumentError(ArgumentError::Kind::index,
                          name_of(plan_) + ": positions are integers, got " +
                              nb::cast<std::string>(nb::str(nb::object(made.attr("dtype")))));
    const nb::object whole = kind == "u" || kind == "i" ? made : nb::object(made.attr("astype")("int64"));
    const ItemIndex index = host_index(whole, Array(std::shared_ptr<detail::ArrayValue>()));
    return std::get<HostPositions>(index);
  }
  // Python numbers that the type of the target does not hold are an error, as in NumPy.
  Array values(const Parameter& parameter, nb::handle object) const {
    if (is_array(object) || first_ == nullptr || nb::hasattr(object, "dtype"))
      return array(parameter, object);
    return array(parameter, numpy_attribute("asarray")(object, first_->dtype));
  }
  std::vector<registry::Item> operands(const Parameter& parameter, nb::handle object) const {
    const auto items = sequence(parameter, object);
    std::vector<registry::Item> result;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k)
      result.push_back(item(parameter, PySequence_Fast_GET_ITEM(items.ptr(), k)));
    return result;
  }
  std::vector<std::vector<std::int64_t>> groups(const Parameter& parameter, nb::handle object) const {
    const auto items = nb::steal(PyUnicode_Check(object.ptr()) ? nullptr : PySequence_Fast(object.ptr(), ""));
    if (!items.is_valid()) {
      PyErr_Clear();
      type_error(role(parameter) + " is a sequence of integers or of sequences of them, got " +
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
    PyErr_Clear();
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
  const Queue& queue_;
  const PyArray* first_;
};

Queue queue_of_call(const CallPlan& plan, const BoundArguments& bound) {
  nb::handle device = nb::none(), queue = nb::none();
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const Parameter& parameter = plan.parameters[k];
    PyObject* const object = bound.objects[k];
    if (includes(parameter.takes, Takes::device) && object != nullptr) device = object;
    if (includes(parameter.takes, Takes::queue) && object != nullptr) queue = object;
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
  for (std::size_t k = 0; k < plan.parameters.size(); ++k)
    if (bound.objects[k] == nullptr && plan.parameters[k].is_required)
      type_error(name_of(plan) + ": the argument '" + plan.parameters[k].name + "' is missing");
  return bound;
}

ConvertedArguments::ConvertedArguments(const CallPlan& plan, const BoundArguments& bound)
    : queue_(queue_of_call(plan, bound)) {
  const bool has_first = !bound.objects.empty() && bound.objects[0] != nullptr && is_array(bound.objects[0]);
  const Converter converter(plan, *queue_,
                            has_first ? nb::inst_ptr<PyArray>(nb::handle(bound.objects[0])) : nullptr);
  values_.reserve(plan.parameters.size());
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const Parameter& parameter = plan.parameters[k];
    if (plan.rest == k) {
      if (includes(parameter.takes, Takes::operand)) {
        std::vector<registry::Item> all;
        for (PyObject* const one : bound.rest) all.push_back(converter.item(parameter, one));
        values_.emplace_back(std::move(all));
        continue;
      }
      std::vector<Array> all;
      for (PyObject* const one : bound.rest) all.push_back(converter.array(parameter, one));
      values_.emplace_back(std::move(all));
    } else if (bound.objects[k] == nullptr) {
      values_.push_back(parameter.preset);
    } else if (includes(parameter.takes, Takes::device) || includes(parameter.takes, Takes::queue)) {
      values_.emplace_back();
    } else {
      values_.push_back(converter.convert(parameter, bound.objects[k]));
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
