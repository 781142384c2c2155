// SPDX-License-Identifier: MIT
// quern.eval(). It is a vectorcall function, so a call for an array in memory is cheap.
#include <string>

#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

const Array& array_to_evaluate(nb::handle object) {
  static PyObject* const type = nb::type<PyArray>().ptr();
  if (object.type().ptr() != type && !nb::isinstance<PyArray>(object))
    type_error("eval: expected arrays, got " + class_name(object) + "; pass them one by one: eval(*arrays)");
  return nb::inst_ptr<PyArray>(object)->array;
}

PyObject* eval_arrays(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) noexcept {
  return guarded([&]() -> nb::object {
    if (names != nullptr && PyTuple_GET_SIZE(names) > 0)
      type_error("eval: unexpected keyword argument " +
                 std::string(nb::repr(PyTuple_GET_ITEM(names, 0)).c_str()));
    if (count == 1) {  // the usual case
      const Array one = array_to_evaluate(arguments[0]);
      if (!one.in_memory()) {
        if (Profile::is_any_open()) note_origin();
        const ReleaseGil released{ReleaseGil::WithoutOrigin()};
        evaluate({&one, 1});
      }
      return nb::none();
    }
    InlineVector<Array, 4> lazy;
    for (Py_ssize_t k = 0; k < count; ++k)
      if (const Array& one = array_to_evaluate(arguments[k]); !one.in_memory()) lazy.push_back(one);
    if (!lazy.empty()) {
      if (Profile::is_any_open()) note_origin();
      const ReleaseGil released{ReleaseGil::WithoutOrigin()};
      evaluate({lazy.data(), lazy.size()});
    }
    return nb::none();
  });
}

// CPython reads the signature from the first line.
constexpr const char* kEvalText = R"(eval(*arrays)
--

Evaluate lazy arrays: enqueue the kernels that compute them.

The call does not wait for the kernels. Arrays of one shape share one kernel. An array that is already evaluated stays
as it is.

Parameters
----------
*arrays : Array
    Arrays to evaluate.

Raises
------
TypeError
    If an argument is not an Array. A list is passed as eval(*arrays).

Examples
--------
>>> x = qn.ones(3) + 1
>>> x.in_memory
False
>>> qn.eval(x)
>>> x.in_memory
True
)";

}  // namespace

void bind_evaluation(nb::module_& module) {
  // CPython stores functions with and without keywords in one type by this cast.
  static PyMethodDef definition = {"eval",
                                   reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&eval_arrays)),
                                   METH_FASTCALL | METH_KEYWORDS, kEvalText};
  const nb::str package("quern");
  const nb::object function = nb::steal(PyCFunction_NewEx(&definition, nullptr, package.ptr()));
  if (!function.is_valid()) throw nb::python_error();
  module.attr("eval") = function;
}

}  // namespace quern::python
