// SPDX-License-Identifier: MIT
// The exception classes, and their attributes.

#include <new>
#include <string>
#include <tuple>

#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "quern/distributed_error.hpp"
#include "quern/map.hpp"

namespace quern::python {
namespace {

// Borrowed references to the module's classes, which are never freed.
struct Classes {
  PyObject* error = nullptr;
  PyObject* argument = nullptr;
  PyObject* argument_type = nullptr;
  PyObject* argument_value = nullptr;
  PyObject* argument_index = nullptr;
  PyObject* argument_overflow = nullptr;
  PyObject* build = nullptr;
  PyObject* build_attribute = nullptr;
  PyObject* out_of_memory = nullptr;
  PyObject* device_not_found = nullptr;
  PyObject* device_lost = nullptr;
  PyObject* kernel = nullptr;
  PyObject* dependency = nullptr;
  PyObject* map = nullptr;
  PyObject* capture = nullptr;
  PyObject* fork = nullptr;
  PyObject* distributed = nullptr;
};
Classes classes;

PyObject* make_class(nb::module_& module, const char* name, const char* doc, nb::tuple bases,
                     nb::dict attributes = {}) {
  const std::string full = std::string("quern.") + name;
  attributes["__module__"] = module.attr("__name__");
  PyObject* result = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), attributes.ptr());
  if (result == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(result);
  return result;
}

const char* severity_name(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::note:
      return "note";
    case Diagnostic::Severity::warning:
      return "warning";
    case Diagnostic::Severity::error:
      break;
  }
  return "error";
}

nb::object instance(PyObject* type, const std::exception& error) {
  // Messages quote compilers and drivers, whose bytes need not be UTF-8.
  const std::string_view what = error.what();
  auto text = nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace"));
  if (!text.is_valid()) throw nb::python_error();
  return nb::handle(type)(text);
}

nb::object decode(const std::string& text) {
  auto result = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

nb::object describe(const BuildError& error, PyObject* type = classes.build) {
  nb::object result = instance(type, error);
  result.attr("log") = decode(error.log());
  result.attr("options") = decode(error.options());
  result.attr("device") = decode(error.device());
  nb::list diagnostics;
  for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics.append(nb::cast(diagnostic));
  result.attr("diagnostics") = nb::tuple(diagnostics);
  return result;
}

// A diagnostic as a pickle stores it.
using DiagnosticState = std::tuple<int, std::string, int, int, std::string>;
DiagnosticState state_of(const Diagnostic& self) {
  return {static_cast<int>(self.severity), self.file, self.line, self.column, self.text};
}

// An exception of Python code that C++ passes on.
class PythonError : public Error {
 public:
  PythonError(const std::string& what, nb::object object)
      : Error(what), object_(object.ptr()), keep_(keep_object(std::move(object))) {}
  [[nodiscard]] nb::handle object() const noexcept { return object_; }

 private:
  nb::handle object_;
  std::shared_ptr<void> keep_;
};

nb::object describe(const OutOfDeviceMemory& error) {
  nb::object result = instance(classes.out_of_memory, error);
  const OutOfDeviceMemory::Figures& figures = error.figures();
  result.attr("requested") = figures.requested;
  result.attr("in_use") = figures.in_use;
  result.attr("in_pool") = figures.in_pool;
  result.attr("limit") = figures.limit;
  return result;
}

}  // namespace

nb::object python_error_object(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const PythonError& e) {
    return nb::borrow(e.object());
  } catch (const DependencyError& e) {
    nb::object result = instance(classes.dependency, e);
    PyException_SetCause(result.ptr(), python_error_object(e.cause()).release().ptr());
    return result;
  } catch (const BuildError& e) {
    return describe(e);
  } catch (const OutOfDeviceMemory& e) {
    return describe(e);
  } catch (const NumberError& e) {
    return instance(classes.argument_overflow, e);
  } catch (const AxisError& e) {
    return nb::module_::import_("quern._operands").attr("ArgumentAxisError")(e.axis(), e.rank());
  } catch (const ArgumentError& e) {
    return instance(e.kind() == ArgumentError::Kind::type    ? classes.argument_type
                    : e.kind() == ArgumentError::Kind::index ? classes.argument_index
                                                             : classes.argument_value,
                    e);
  } catch (const LinAlgError& e) {
    return nb::module_::import_("quern._operands").attr("LinAlgError")(e.what());
  } catch (const DeviceNotFound& e) {
    return instance(classes.device_not_found, e);
  } catch (const DeviceLost& e) {
    return instance(classes.device_lost, e);
  } catch (const KernelError& e) {
    return instance(classes.kernel, e);
  } catch (const MapError& e) {
    return instance(classes.map, e);
  } catch (const CaptureError& e) {
    return instance(classes.capture, e);
  } catch (const ForkError& e) {
    return instance(classes.fork, e);
  } catch (const DistributedError& e) {
    nb::object result = instance(classes.distributed, e);
    result.attr("ranks") = nb::tuple(nb::cast(e.ranks()));
    return result;
  } catch (const Error& e) {
    return instance(classes.error, e);
  } catch (const nb::cast_error&) {
    return nb::handle(classes.argument_type)("an argument has an unsupported type");
  } catch (const std::bad_alloc& e) {
    return instance(PyExc_MemoryError, e);
  }
}

std::exception_ptr exception_of(nb::object error) {
  std::string text = class_name(error) + ": " + text_of(error);
  return std::make_exception_ptr(PythonError(text, std::move(error)));
}

void set_python_error(const std::exception_ptr& error) {
  const nb::object object = python_error_object(error);
  PyErr_SetObject(object.type().ptr(), object.ptr());
}

void raise_as_attribute_error(const BuildError& error) {
  const nb::object object = describe(error, classes.build_attribute);
  PyErr_SetObject(object.type().ptr(), object.ptr());
  throw nb::python_error();
}

void type_error(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::type, what);
}
void index_error(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::index, what);
}
void value_error(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, what);
}

void buffer_error(const std::string& what) {
  PyErr_SetString(PyExc_BufferError, what.c_str());
  throw nb::python_error();
}

std::string text_of(nb::handle object) {
  // Messages may quote text that UTF-8 cannot hold.
  const nb::str text(object);
  const auto bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::string class_name(nb::handle object) {
  return nb::type_name(object.type()).c_str();
}

void bind_errors(nb::module_& module) {
  nb::class_<Diagnostic>(module, "Diagnostic",
                         R"(One compiler message, with the file and line of the user's source.

Examples
--------
>>> try:
...     qn.Program("kernel void f(global int *x) { x[0] = y; }").build()
... except qn.BuildError as error:
...     first = error.diagnostics[0]
>>> first.severity, first.line
('error', 1))")
      .def_prop_ro(
          "severity", [](const Diagnostic& self) { return severity_name(self.severity); },
          "Severity: \"error\", \"warning\" or \"note\".")
      .def_ro("file", &Diagnostic::file, "Name of the source file.")
      .def_ro("line", &Diagnostic::line, "Line in the file, counted from 1; 0 if unknown.")
      .def_ro("column", &Diagnostic::column, "Column in the line, counted from 1; 0 if unknown.")
      .def_ro("text", &Diagnostic::text, "Text of the message.")
      .def("__eq__",
           [](const Diagnostic& self, nb::handle other) {
             const Diagnostic* const right =
                 nb::isinstance<Diagnostic>(other) ? nb::inst_ptr<Diagnostic>(other) : nullptr;
             return right != nullptr && state_of(self) == state_of(*right);
           })
      .def("__hash__", [](const Diagnostic& self) { return nb::hash(nb::cast(state_of(self))); })
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](Diagnostic& self, const DiagnosticState& state) {
             const auto& [severity, file, line, column, text] = state;
             new (&self) Diagnostic{static_cast<Diagnostic::Severity>(severity), file, line, column, text};
           })
      .def("__repr__", [](const Diagnostic& self) {
        return "<Diagnostic " + self.file + ":" + std::to_string(self.line) + ":" +
               std::to_string(self.column) + ": " + severity_name(self.severity) + ": " + self.text + ">";
      });

  const nb::handle exception = PyExc_Exception;
  classes.error =
      make_class(module, "Error", "Base class of all exceptions of quern.", nb::make_tuple(exception));
  const nb::handle error = classes.error;
  classes.argument =
      make_class(module, "ArgumentError",
                 "Invalid argument. The message names the argument, what was expected and what was given.",
                 nb::make_tuple(error));
  const nb::handle argument = classes.argument;
  classes.argument_type = make_class(module, "ArgumentTypeError", "Argument of the wrong type.",
                                     nb::make_tuple(argument, nb::handle(PyExc_TypeError)));
  classes.argument_value =
      make_class(module, "ArgumentValueError", "Argument of the right type with an invalid value.",
                 nb::make_tuple(argument, nb::handle(PyExc_ValueError)));
  classes.argument_index = make_class(module, "ArgumentIndexError", "Index out of bounds.",
                                      nb::make_tuple(argument, nb::handle(PyExc_IndexError)));
  classes.argument_overflow =
      make_class(module, "ArgumentOverflowError", "Number out of range for the dtype.",
                 nb::make_tuple(nb::handle(classes.argument_value), nb::handle(PyExc_OverflowError)));

  nb::dict build;
  build["log"] = build["options"] = build["device"] = "";
  build["diagnostics"] = nb::tuple();
  classes.build = make_class(
      module, "BuildError",
      "A program failed to build. The message shows the numbered source lines around each "
      "diagnostic.\n\n`diagnostics` is a tuple of Diagnostic; `log` is the compiler's output, `options` and "
      "`device` are those of the build.",
      nb::make_tuple(error), build);
  classes.build_attribute = make_class(
      module, "BuildAttributeError", "Attribute access to a kernel of a program that failed to build.",
      nb::make_tuple(nb::handle(classes.build), nb::handle(PyExc_AttributeError)));

  nb::dict memory;
  memory["requested"] = memory["in_use"] = memory["in_pool"] = memory["limit"] = 0;
  classes.out_of_memory = make_class(module, "OutOfDeviceMemory",
                                     "Device memory allocation failed. Existing allocations are "
                                     "intact.\n\n`requested`, `in_use`, `in_pool` and "
                                     "`limit` are in bytes; a `limit` of 0 means no limit.",
                                     nb::make_tuple(error, nb::handle(PyExc_MemoryError)), memory);
  classes.device_not_found =
      make_class(module, "DeviceNotFound", "No device matches the request.", nb::make_tuple(error));
  classes.device_lost =
      make_class(module, "DeviceLost", "The device failed; the contents of its memory are no longer valid.",
                 nb::make_tuple(error));
  classes.kernel =
      make_class(module, "KernelError",
                 "A kernel failed at run time: divergent barriers in a work-group, or a stack overflow.",
                 nb::make_tuple(error));
  classes.dependency =
      make_class(module, "DependencyError",
                 "An operation was not run, because one that it depends on failed; see `__cause__`.",
                 nb::make_tuple(error));
  classes.map = make_class(module, "MapError",
                           "Memory is used while it is mapped, or a map after it was unmapped. The message "
                           "names the line that opened the map.",
                           nb::make_tuple(error));
  classes.capture = make_class(
      module, "CaptureError",
      "Work cannot be captured in a graph: reads of values, waits, maps, random draws, or a nested capture.",
      nb::make_tuple(error));
  classes.fork =
      make_class(module, "ForkError", "quern was used before fork() and again in the child process.",
                 nb::make_tuple(error));

  nb::dict ranks;
  ranks["ranks"] = nb::tuple();
  classes.distributed = make_class(
      module, "DistributedError",
      "Ranks do not call the same operations, or one of them failed, ended or does not answer.\n\n`ranks` "
      "names those at fault, as far as known.",
      nb::make_tuple(error), ranks);

  nb::register_exception_translator([](const std::exception_ptr& e, void*) { set_python_error(e); });
}

}  // namespace quern::python
