// SPDX-License-Identifier: MIT
// Elementwise kernels generated from C snippets.
#include <nanobind/stl/string.h>

#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// One array as it is, several as a tuple.
nb::object as_result(std::vector<Array> arrays) {
  if (arrays.size() == 1) return nb::cast(as_python_array(std::move(arrays.front())));
  nb::list list;
  for (Array& array : arrays) list.append(as_python_array(std::move(array)));
  return nb::tuple(list);
}

nb::object call(const ElementwiseKernel& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {},
                     [&](std::size_t a) { return self.is_output(a); });
  std::vector<Array> made;
  if (call.misses_any())
    made = without_gil([&] { return self.allocate_outputs(call.queue(), call.arguments().list()); });
  Event event = call.run([&] {
    return self.launch(call.queue(), std::as_const(call.arguments()).list(), call.range(), call.wait_for());
  });
  return made.empty() ? nb::cast(std::move(event)) : as_result(std::move(made));
}

std::string source(const ElementwiseKernel& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {},
                     [&](std::size_t a) { return self.is_output(a); });
  std::vector<Array> made;
  if (call.misses_any())
    made = without_gil([&] { return self.allocate_outputs(call.queue(), call.arguments().list()); });
  return without_gil([&] { return self.source(call.queue(), std::as_const(call.arguments()).list()); });
}

}  // namespace

void bind_elementwise(nb::module_& module) {
  nb::class_<ElementwiseKernel>(module, "ElementwiseKernel")
      .def(
          "__init__",
          [](ElementwiseKernel* self, const std::string& arguments, const std::string& operation,
             const std::string& name, const std::string& preamble, nb::handle options) {
            GeneratorOptions all = generator_options(name, preamble, options);
            without_gil([&] { new (self) ElementwiseKernel(arguments, operation, std::move(all)); });
          },
          nb::arg("arguments"), nb::arg("operation"), nb::kw_only(), nb::arg("name") = "",
          nb::arg("preamble") = "", nb::arg("options") = nb::none())
      .def("__call__", &call)
      .def("source", &source)
      .def_prop_ro("name", &ElementwiseKernel::name)
      .def_prop_ro("signature", &ElementwiseKernel::signature)
      .def("__repr__", [](const ElementwiseKernel& self) {
        return "<quern.ElementwiseKernel " + signature_text(self.signature()) + ">";
      });
}

}  // namespace quern::python
