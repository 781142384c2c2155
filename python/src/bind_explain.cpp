// SPDX-License-Identifier: MIT
// Looking into laziness: eager evaluation, plans, and where operations were written.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// The folder of the package, whose own lines tell a user nothing. Known before it is asked for.
std::string package_folder;

std::string line_of_python() {
  const nb::gil_scoped_acquire gil;  // nodes are also made without it
  PyFrameObject* innermost = PyEval_GetFrame();
  if (innermost == nullptr) return {};
  auto frame = nb::borrow(reinterpret_cast<PyObject*>(innermost));
  while (frame.is_valid()) {
    auto* const raw = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const auto code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(raw)));
    const std::string file = text_of(nb::object(code.attr("co_filename")));
    if (!file.starts_with(package_folder)) return file + ":" + std::to_string(PyFrame_GetLineNumber(raw));
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(raw)));
  }
  return {};
}

// A `with` block.
struct EagerBlock {
  EagerBlock() = default;
  EagerBlock(EagerBlock&&) = default;
  std::vector<std::unique_ptr<Eager>> entered;
};

std::vector<KernelPlan> plans_of(nb::args arrays) {
  std::vector<Array> all;
  for (nb::handle one : arrays) {
    if (!nb::isinstance<PyArray>(one)) type_error("explain: expected arrays, got " + class_name(one));
    all.push_back(nb::inst_ptr<PyArray>(one)->array);
  }
  return without_gil([&] { return explain(all); });
}

}  // namespace

void bind_explain(nb::module_& module) {
  nb::class_<EagerBlock>(module, "EagerBlock", nb::is_final())
      .def(nb::init<>())
      .def(
          "__enter__",
          [](nb::handle self) {
            nb::inst_ptr<EagerBlock>(self)->entered.push_back(std::make_unique<Eager>());
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> EagerBlock"))
      .def(
          "__exit__", [](EagerBlock& self, nb::args) { self.entered.pop_back(); },
          nb::sig("def __exit__(self, *exc_info: object) -> None"));
  nb::class_<KernelPlan>(module, "KernelPlan", nb::is_final(), "A kernel that an evaluation would launch.")
      .def_ro("operations", &KernelPlan::operations)
      .def_ro("elements", &KernelPlan::elements)
      .def_ro("arrays_read", &KernelPlan::arrays_read)
      .def_ro("bytes_read", &KernelPlan::bytes_read)
      .def_ro("bytes_written", &KernelPlan::bytes_written)
      .def_ro("source", &KernelPlan::source, "The generated OpenCL C.");
  module.def("plans", &plans_of, nb::sig("def plans(*arrays: Array) -> list[KernelPlan]"));
  module.def(
      "remember_origins",
      [](bool remember) {
        if (package_folder.empty()) {
          const nb::object path = nb::module_::import_("quern").attr("__path__");
          package_folder = text_of(nb::object(path[nb::int_(0)])) + "/";
        }
        set_origin(remember ? &line_of_python : nullptr);
      },
      nb::arg("remember"));
}

}  // namespace quern::python
