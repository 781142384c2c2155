// SPDX-License-Identifier: MIT
// inspect.signature() of nanobind's functions and methods, for IDEs and help(): an attribute __signature__ of
// their types, parsed from nanobind's text.
#include "binding.hpp"

namespace quern::python {
namespace {

PyObject* signature_of(PyObject* function, void*) noexcept {
  try {
    return nb::module_::import_("quern._signatures")
        .attr("signature_of")(nb::handle(function))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

void add_signature(nb::handle type) {
  static PyGetSetDef definition = {"__signature__", &signature_of, nullptr, "Signature for inspect.",
                                   nullptr};
  auto* const python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  const nb::object attribute = nb::steal(PyDescr_NewGetSet(python_type, &definition));
  // Python code cannot set it. The types belong to this module: it links nanobind statically, in its own
  // domain.
  if (!attribute.is_valid() ||
      PyDict_SetItemString(python_type->tp_dict, definition.name, attribute.ptr()) != 0)
    throw nb::python_error();
  PyType_Modified(python_type);
}

}  // namespace

void bind_signatures(nb::module_& module) {
  const nb::object function = module.attr("stats"), method = module.attr("Array").attr("get");
  add_signature(function.type());
  add_signature(method.type());
  add_signature(nb::object(method.attr("__get__")(nb::int_(0))).type());  // bound methods
}

}  // namespace quern::python
