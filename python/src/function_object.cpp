// SPDX-License-Identifier: MIT
// The Python type of the registry's functions: calls, methods, signatures, docstrings and pickling.
#include "function_object.hpp"

#include <structmember.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>

#include "current.hpp"
#include "errors.hpp"
#include "function_arguments.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "operands.hpp"
#include "views.hpp"

namespace quern::python {
namespace {

// It lives as long as the process.
struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  const registry::Function* function;
  const CallPlan* plan;  // created when first needed
  PyObject *name, *qualified_name, *doc;
  std::size_t arity;  // number of operands of an elementwise operation; 0 for other functions
  Array (*make)(const Queue&, Shape, DType);  // of empty() and zeros(); null for other functions
  bool is_method;
};

FunctionObject& self_of(PyObject* object) {
  return *reinterpret_cast<FunctionObject*>(object);
}

const CallPlan& plan_of(FunctionObject& self) {
  if (self.plan == nullptr) self.plan = new CallPlan(*self.function);
  return *self.plan;
}

// The first array among the arguments for which f is true; invalid if there is none.
template <class F>
nb::handle find_array(const BoundArguments& bound, F&& f) {
  const auto found_in = [&](auto&& self, nb::handle object) -> nb::handle {
    if (nb::isinstance<PyArray>(object)) return f(*nb::inst_ptr<PyArray>(object)) ? object : nb::handle();
    if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return {};
    for (nb::handle one : object)
      if (const nb::handle found = self(self, one); found.is_valid()) return found;
    return {};
  };
  for (PyObject* const object : bound.objects)
    if (object != nullptr)
      if (const nb::handle found = found_in(found_in, object); found.is_valid()) return found;
  for (PyObject* const object : bound.rest)
    if (const nb::handle found = found_in(found_in, object); found.is_valid()) return found;
  return {};
}

// NumPy's structured dtype carries more than its layout, so an argument's dtype object is kept.
nb::object dtype_like(const DType& dtype, const CallPlan& plan, const BoundArguments& bound) {
  const nb::handle like = find_array(bound, [&](const PyArray& one) { return one.array.dtype() == dtype; });
  if (like.is_valid()) return nb::inst_ptr<PyArray>(like)->dtype;
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    if (bound.objects[k] == nullptr || !includes(plan.parameters[k].takes, registry::Takes::dtype)) continue;
    return native_dtype(bound.objects[k]);
  }
  return numpy_dtype_of(dtype);
}

// The result of a call. If it is one of the arguments, the same object is returned.
class Returned {
 public:
  Returned(const CallPlan& plan, const BoundArguments& bound, std::span<const nb::handle> targets)
      : plan_(plan), bound_(bound), targets_(targets) {}
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool value) const { return nb::bool_(value); }
  nb::object operator()(std::int64_t value) const { return nb::int_(value); }
  nb::object operator()(double value) const { return nb::float_(value); }
  nb::object operator()(const std::string& text) const { return nb::str(text.c_str(), text.size()); }
  nb::object operator()(const DType& dtype) const { return numpy_dtype_of(dtype); }
  nb::object operator()(Array one) const {
    for (const nb::handle target : targets_)
      if (nb::inst_ptr<PyArray>(target)->array.value() == one.value()) return nb::borrow(target);
    // A new value has only this handle.
    if (one.value().use_count() > 1) {
      const nb::handle same =
          find_array(bound_, [&](const PyArray& given) { return given.array.value() == one.value(); });
      if (same.is_valid()) return nb::borrow(same);
    }
    const bool is_number = one.dtype().scalar != Scalar::structure;
    nb::object dtype = is_number ? numpy_dtype_of(one.dtype()) : dtype_like(one.dtype(), plan_, bound_);
    nb::object base = base_of(one);
    return array_object({std::move(one), std::move(dtype), std::move(base)});
  }
  nb::object operator()(const std::vector<Array>& all) const {
    nb::list list;
    for (const Array& one : all) list.append((*this)(one));
    const std::string type(plan_.function->type);
    if (type.starts_with("list")) return list;
    if (type == "tuple[Array, list[Array]]") {
      nb::list rest;
      for (std::size_t k = 1; k < all.size(); ++k) rest.append(list[k]);
      return nb::make_tuple(list[0], rest);
    }
    if (!type.ends_with("Result")) return nb::tuple(list);
    return nb::module_::import_("quern._results").attr(type.c_str())(*nb::tuple(list));
  }
  nb::object operator()(const std::vector<std::int64_t>& all) const {
    nb::list list;
    for (const std::int64_t one : all) list.append(one);
    return nb::tuple(list);
  }
  nb::object operator()(const std::pair<Array, registry::TypedNumber>& both) const {
    const auto& [number, dtype] = both.second;
    const std::complex<double> value = number.value();
    nb::object result =
        nb::steal(number.kind() == Number::Kind::complex ? PyComplex_FromDoubles(value.real(), value.imag())
                                                         : PyFloat_FromDouble(value.real()));
    if (!result.is_valid()) throw nb::python_error();
    if (dtype) result = numpy_dtype_of(*dtype).attr("type")(result);
    return nb::make_tuple((*this)(both.first), result);
  }

 private:
  // The argument that the result is a view of. New memory has only this handle.
  nb::object base_of(const Array& one) const {
    if (!one.in_memory() || one.buffer().allocation().use_count() == 1) return {};
    const nb::handle of =
        find_array(bound_, [&](const PyArray& given) { return are_in_one_allocation(given.array, one); });
    return of.is_valid() ? owner_of(of) : nb::object();
  }

  const CallPlan& plan_;
  const BoundArguments& bound_;
  std::span<const nb::handle> targets_;
};

// Whether a Python callable is given for a parameter that accepts one.
bool gives_callable(const CallPlan& plan, PyObject* const* arguments, std::size_t count, PyObject* names) {
  const std::size_t at = *plan.callable;
  if (count > at) return PyCallable_Check(arguments[at]) != 0;
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t n = 0; n < named; ++n)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names, n), plan.names[at]) == 0)
      return PyCallable_Check(arguments[count + static_cast<std::size_t>(n)]) != 0;
  return false;
}

// A short vector of the default dtype on a device that shares memory with the host, as in empty(10): nothing
// is enqueued, so the GIL stays held, and the only argument needs no parameters. Invalid for other calls.
nb::object make_vector(const FunctionObject& self, PyObject* length) {
  constexpr long kFew = 512;
  int overflow = 0;
  const long count = PyLong_AsLongAndOverflow(length, &overflow);
  if (overflow != 0 || count < 0 || count > kFew) return {};
  nb::object keep;
  const Queue& queue = queue_or_current(nb::none(), keep);
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  if (!properties.shares_host_memory) return {};
  const DType dtype = DType::of(properties.has_fp64 ? Scalar::float64 : Scalar::float32);
  return array_object(as_python_array(self.make(queue, {count}, dtype)));
}

nb::object called(FunctionObject& self, PyObject* const* arguments, std::size_t count, PyObject* names) {
  if (self.arity == count && names == nullptr) {
    if (nb::object result = apply_at_once(*self.function->op, {arguments, count}); result.is_valid())
      return result;
  }
  if (self.make != nullptr && count == 1 && names == nullptr && PyLong_CheckExact(arguments[0])) {
    if (nb::object result = make_vector(self, arguments[0]); result.is_valid()) return result;
  }
  const CallPlan& plan = plan_of(self);
  if (plan.callable && gives_callable(plan, arguments, count, names)) {
    // It may take any keyword.
    const std::string name = std::string(self.function->name) + "_by_calls";
    const nb::object python = nb::module_::import_("quern._callables").attr(name.c_str());
    nb::object result = nb::steal(PyObject_Vectorcall(python.ptr(), arguments, count, names));
    if (!result.is_valid()) throw nb::python_error();
    return result;
  }
  const BoundArguments bound = bind(plan, arguments, count, names);
  release_kept();
  const ConvertedArguments converted(plan, bound);
  const auto compute = [&] {
    const QueueScope scope(converted.queue());
    return self.function->call({*self.function, converted.values(), converted.queue()});
  };
  registry::Result result = self.function->is_brief ? compute() : without_gil(compute);
  if (const char* const warning = registry::take_warning()) warn_as_numpy(warning);
  return std::visit(Returned(plan, bound, converted.targets()), std::move(result));
}

PyObject* call(PyObject* object, PyObject* const* arguments, std::size_t flagged, PyObject* names) noexcept {
  FunctionObject& self = self_of(object);
  try {
    return called(self, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flagged)), names)
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const AxisError& error) {
    try {
      const nb::object raised =
          nb::module_::import_("quern._operands")
              .attr("ArgumentAxisError")(error.axis(), error.rank(), nb::handle(self.name));
      PyErr_SetObject(raised.type().ptr(), raised.ptr());
    } catch (nb::python_error& other) {
      other.restore();
    }
  } catch (...) {
    set_python_error(std::current_exception());
  }
  return nullptr;
}

PyObject* represent(PyObject* self) noexcept {
  return PyUnicode_FromFormat("<function quern.%U>", self_of(self).qualified_name);
}

PyObject* get_doc(PyObject* object, void*) noexcept {
  return guarded([&] {
    FunctionObject& self = self_of(object);
    if (self.doc == nullptr) {
      const std::string text =
          registry::documentation_of(*self.function, nb::borrow<nb::str>(self.name).c_str(), self.is_method);
      self.doc = nb::str(text.c_str(), text.size()).release().ptr();
    }
    return nb::borrow(self.doc);
  });
}

PyObject* get_module(PyObject* object) noexcept {
  const registry::Function& function = *self_of(object).function;
  const std::string_view name = function.name;
  const std::size_t dot =
      self_of(object).is_method || function.method_of != nullptr ? std::string_view::npos : name.rfind('.');
  const std::string module =
      dot == std::string_view::npos ? "quern" : "quern." + std::string(name.substr(0, dot));
  return PyUnicode_FromString(module.c_str());
}

// An inspect.Signature, taken from a lambda with the same parameters: only Python's compiler builds markers,
// defaults and annotations in a single step.
PyObject* get_signature(PyObject* object, void*) noexcept {
  return guarded([&] {
    FunctionObject& self = self_of(object);
    std::string text;
    using Passed = registry::Parameter::Passed;
    const std::vector<registry::Parameter>& parameters = plan_of(self).parameters;
    bool is_by_name = false;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const registry::Parameter& one = parameters[k];
      if (one.passed == Passed::by_name && !is_by_name) text += "*, ";
      is_by_name |= one.passed == Passed::by_name || one.passed == Passed::rest;
      text += (one.passed == Passed::rest ? "*" : "") + (self.is_method && k == 0 ? "self" : one.name);
      if (!one.preset_text.empty()) text += "=" + one.preset_text;
      text += ", ";
      const bool is_last = k + 1 == parameters.size() || parameters[k + 1].passed != Passed::by_position;
      if (one.passed == Passed::by_position && is_last) text += "/, ";
    }
    if (text.ends_with(", ")) text.resize(text.size() - 2);
    const nb::object lambda =
        nb::module_::import_("builtins").attr("eval")(nb::str(("lambda " + text + ": None").c_str()));
    return nb::object(nb::module_::import_("inspect").attr("signature")(lambda));
  });
}

char kReduce[] = "reduce", kAccumulate[] = "accumulate", kOuter[] = "outer", kAt[] = "at",
     kReduceAt[] = "reduceat";
char kOperands[] = "nin", kResults[] = "nout", kArguments[] = "nargs", kIdentity[] = "identity",
     kSignature[] = "signature";

// Methods such as add.reduce, for functions of two operands: one object for each row.
PyObject* get_ufunc_method(PyObject* object, void* name) noexcept {
  return guarded([&]() -> nb::object {
    static auto* const made = new std::unordered_map<const registry::Function*, nb::object>;
    FunctionObject& self = self_of(object);
    const auto* const method = static_cast<const char*>(name);
    const registry::Function* const row = registry::find_method(*self.function, method);
    if (row == nullptr) {
      PyErr_Format(PyExc_AttributeError, "the function %U has no attribute '%s'", self.qualified_name,
                   method);
      throw nb::python_error();
    }
    nb::object& one = (*made)[row];
    if (!one.is_valid()) one = function_object(*row, method, false);
    return one;
  });
}

// An attribute of numpy.ufunc.
PyObject* get_ufunc_property(PyObject* object, void* name) noexcept {
  return guarded([&]() -> nb::object {
    const FunctionObject& self = self_of(object);
    const std::string_view wanted(static_cast<const char*>(name));
    const std::optional<registry::UfuncProperties> found =
        self.is_method ? std::nullopt : registry::ufunc_properties(*self.function);
    if (!found) {
      PyErr_Format(PyExc_AttributeError, "the function %U has no attribute '%s'", self.qualified_name,
                   wanted.data());
      throw nb::python_error();
    }
    if (wanted == kOperands) return nb::int_(found->operands);
    if (wanted == kResults) return nb::int_(found->results);
    if (wanted == kArguments) return nb::int_(found->operands + found->results);
    if (wanted == kSignature)
      return found->signature.empty() ? nb::none()
                                      : nb::object(nb::str(found->signature.data(), found->signature.size()));
    if (!found->identity) return nb::none();
    const Number& number = *found->identity;
    if (number.kind() == Number::Kind::boolean) return nb::bool_(number.value().real() != 0);
    if (number.kind() == Number::Kind::integer) return nb::int_(static_cast<std::int64_t>(number.integer()));
    return nb::float_(number.value().real());
  });
}

PyObject* bind_to(PyObject* self, PyObject* object, PyObject*) noexcept {
  return object == nullptr || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

// The generic lookup would return the __module__ of the type instead of the function's.
PyObject* get_attribute(PyObject* object, PyObject* name) noexcept {
  if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0) return get_module(object);
  return PyObject_GenericGetAttr(object, name);
}

// Pickled by name.
PyObject* reduce_to_name(PyObject* self, PyObject*) noexcept {
  return Py_NewRef(self_of(self).qualified_name);
}

PyGetSetDef kAttributes[] = {
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {kReduce, get_ufunc_method, nullptr, nullptr, kReduce},
    {kAccumulate, get_ufunc_method, nullptr, nullptr, kAccumulate},
    {kOuter, get_ufunc_method, nullptr, nullptr, kOuter},
    {kAt, get_ufunc_method, nullptr, nullptr, kAt},
    {kReduceAt, get_ufunc_method, nullptr, nullptr, kReduceAt},
    {kOperands, get_ufunc_property, nullptr, "Number of operands.", kOperands},
    {kResults, get_ufunc_property, nullptr, "Number of results.", kResults},
    {kArguments, get_ufunc_property, nullptr, "Number of operands and results.", kArguments},
    {kIdentity, get_ufunc_property, nullptr, "Neutral element; None if there is none.", kIdentity},
    {kSignature, get_ufunc_property, nullptr, "Axes of each operand; None for elementwise functions.",
     kSignature},
    {},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__name__", T_OBJECT, offsetof(FunctionObject, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT, offsetof(FunctionObject, qualified_name), READONLY, nullptr},
    {},
};
PyMethodDef kMethods[] = {
    {"__reduce__", reduce_to_name, METH_NOARGS, nullptr},
    {},
};
PyType_Slot kSlots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_to)},
    {Py_tp_getset, kAttributes},
    {Py_tp_members, kMembers},
    {Py_tp_methods, kMethods},
    {0, nullptr},
};
PyType_Spec kSpec = {"quern.Function", sizeof(FunctionObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     kSlots};

PyTypeObject* function_type() {
  static PyObject* const type = PyType_FromSpec(&kSpec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

nb::object function_object(const registry::Function& function, const char* name, bool is_method) {
  PyTypeObject* const type = function_type();
  const auto object = nb::steal(type->tp_alloc(type, 0));
  if (!object.is_valid()) throw nb::python_error();
  FunctionObject& self = self_of(object.ptr());
  self.vectorcall = call;
  self.function = &function;
  self.plan = nullptr;
  self.doc = nullptr;
  self.is_method = is_method;
  self.make = nullptr;
  if (function.name == "empty") self.make = &empty;
  if (function.name == "zeros") self.make = &zeros;
  self.name = PyUnicode_InternFromString(name);
  const std::string method(function.method_of != nullptr ? function.name : std::string_view(name));
  self.qualified_name = PyUnicode_FromFormat(is_method ? "Array.%s" : "%s", method.c_str());
  if (self.name == nullptr || self.qualified_name == nullptr) throw nb::python_error();
  // Numbers beside booleans are converted to bool first.
  const bool is_plain = function.op != nullptr && !function.name.starts_with("logical_");
  const std::string_view parameters = function.parameters;
  self.arity = !is_plain                                          ? 0
               : parameters.find("x3:") != std::string_view::npos ? 3
               : parameters.find("x2:") != std::string_view::npos ? 2
                                                                  : 1;
  return object;
}

void bind_functions(nb::module_& module) {
  const nb::object arrays = module.attr("Array");
  nb::dict names;
  for (const registry::Function& function : registry::functions()) {
    const bool is_only_method = function.name.starts_with("Array.");
    for (const std::string& full : registry::names_of(function)) {
      const std::string name = is_only_method ? full.substr(full.find('.') + 1) : full;
      const std::string last = name.substr(name.rfind('.') + 1);  // without the module's name
      if (!is_only_method) names[name.c_str()] = function_object(function, last.c_str(), false);
      if (is_only_method || (function.is_method && full == function.name))
        nb::setattr(arrays, last.c_str(), function_object(function, last.c_str(), true));
    }
  }
  module.attr("functions") = names;
  module.def(
      "stub_of",
      [](const std::string& name, bool is_method) {
        const registry::Function* const own = is_method ? registry::find_function("Array." + name) : nullptr;
        const registry::Function* function = own != nullptr ? own : registry::find_function(name);
        const std::size_t dot = name.rfind('.');
        if (function == nullptr && dot != std::string::npos) {  // "add.reduce"
          const registry::Function* const of = registry::find_function(name.substr(0, dot));
          if (of != nullptr) function = registry::find_method(*of, name.substr(dot + 1));
        }
        if (function == nullptr) value_error("unknown function " + name);
        return registry::stub_of(*function, name.substr(name.rfind('.') + 1), is_method);
      },
      nb::arg("name"), nb::arg("is_method") = false, "Definition of a registry function for stubs.");
}

}  // namespace quern::python
