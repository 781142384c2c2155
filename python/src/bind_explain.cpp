// SPDX-License-Identifier: MIT
// Inspection of lazy evaluation: eager blocks and plans.

#include <memory>
#include <string>
#include <vector>

#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// A context manager.
struct EagerBlock {
  EagerBlock() = default;
  EagerBlock(EagerBlock&&) = default;
  std::vector<std::unique_ptr<Eager>> entered;
};

std::vector<KernelPlan> plans_of(nb::args arrays) {
  std::vector<Array> all;
  for (nb::handle one : arrays) {
    if (!nb::isinstance<PyArray>(one))
      type_error("explain: expected arrays, got " + class_name(one) +
                 "; pass them one by one: explain(*arrays)");
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
          [](nb::handle_t<EagerBlock> self) {
            nb::inst_ptr<EagerBlock>(self)->entered.push_back(std::make_unique<Eager>());
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> EagerBlock"))
      .def(
          "__exit__", [](EagerBlock& self, nb::args) { self.entered.pop_back(); },
          nb::sig("def __exit__(self, *exc_info: object) -> None"));
  nb::class_<KernelPlan>(module, "KernelPlan", nb::is_final(), "Kernel that an evaluation would launch.")
      .def_ro("operations", &KernelPlan::operations)
      .def_ro("elements", &KernelPlan::elements)
      .def_ro("arrays_read", &KernelPlan::arrays_read)
      .def_ro("bytes_read", &KernelPlan::bytes_read)
      .def_ro("bytes_written", &KernelPlan::bytes_written)
      .def_ro("source", &KernelPlan::source, "Generated OpenCL C source.");
  module.def("plans", &plans_of, nb::sig("def plans(*arrays: Array) -> list[KernelPlan]"));
}

}  // namespace quern::python
