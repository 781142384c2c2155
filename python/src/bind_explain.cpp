// SPDX-License-Identifier: MIT
// How expressions are evaluated: eager blocks, plans, and the precision of products.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "quern/staged.hpp"

namespace quern::python {
namespace {

// A context manager.
struct EagerBlock {
  EagerBlock() = default;
  EagerBlock(EagerBlock&&) = default;
  std::vector<std::unique_ptr<Eager>> entered;
};

std::vector<Array> arrays_of(const nb::args& arrays) {
  std::vector<Array> all;
  for (nb::handle one : arrays) {
    if (!nb::isinstance<PyArray>(one))
      type_error("explain: expected arrays, got " + class_name(one) +
                 "; pass them one by one: explain(*arrays)");
    all.push_back(nb::inst_ptr<PyArray>(one)->array);
  }
  return all;
}

std::vector<KernelPlan> plans_of(nb::args arrays) {
  const std::vector<Array> all = arrays_of(arrays);
  return without_gil([&] { return explain(all); });
}

std::vector<std::string> staged_of(nb::args arrays) {
  const std::vector<Array> all = arrays_of(arrays);
  return without_gil([&] { return staged_functions(all); });
}

const char* kind_name(PlanValue::Kind kind) {
  switch (kind) {
    case PlanValue::Kind::array:
      return "array";
    case PlanValue::Kind::number:
      return "number";
    case PlanValue::Kind::operation:
      break;
  }
  return "operation";
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
  nb::class_<PlanValue>(module, "PlanValue", nb::is_final(),
                        "Array or number that a kernel reads, or operation that it computes.")
      .def_prop_ro(
          "kind", [](const PlanValue& self) { return kind_name(self.kind); },
          "Kind: \"array\", \"number\" or \"operation\".")
      .def_ro("name", &PlanValue::name, "Name of an operation, digits of a number; empty for arrays.")
      .def_ro("dtype", &PlanValue::dtype, "Name of the dtype.")
      .def_prop_ro(
          "shape", [](const PlanValue& self) { return shape_tuple(self.shape); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Shape of an array.")
      .def_ro("line", &PlanValue::line, "Source line of an operation, as \"file:line\"; empty if unknown.")
      .def_ro("inputs", &PlanValue::inputs, "Indices of the values that an operation uses.")
      .def_ro("is_output", &PlanValue::is_output, "Whether the kernel writes the value to memory.");
  nb::class_<KernelPlan>(module, "KernelPlan", nb::is_final(), "Kernel that an evaluation would launch.")
      .def_ro("operations", &KernelPlan::operations, "Operations of the kernel, and where they were called.")
      .def_ro("elements", &KernelPlan::elements, "Number of elements that the kernel computes.")
      .def_ro("arrays_read", &KernelPlan::arrays_read, "Number of arrays that the kernel reads.")
      .def_ro("bytes_read", &KernelPlan::bytes_read, "Bytes that the kernel reads.")
      .def_ro("bytes_written", &KernelPlan::bytes_written, "Bytes that the kernel writes.")
      .def_ro("source", &KernelPlan::source, "Generated OpenCL C source.")
      .def_ro("values", &KernelPlan::values,
              "Arrays, numbers and operations of the kernel, inputs first; empty for matrix products and "
              "Fourier transforms.");
  module.def(
      "set_float32_matmul_precision",
      [](std::string_view precision) {
        if (precision != "highest" && precision != "high")
          throw ArgumentError(ArgumentError::Kind::value,
                              "set_float32_matmul_precision: expected 'highest' or 'high', got '" +
                                  std::string(precision) + "'");
        set_float32_matmul_precision(precision == "high" ? MatmulPrecision::high : MatmulPrecision::highest);
      },
      nb::arg("precision"),
      R"(Set how precisely products of float32 matrices are computed, on all threads.

Parameters
----------
precision : str
    "highest", the initial value: float32 throughout. "high": CUDA devices may round the operands to TF32, which has 10
    bits of mantissa, and use their tensor cores; sums stay float32. Other devices compute as with "highest".

Examples
--------
>>> qn.set_float32_matmul_precision("high")
>>> qn.get_float32_matmul_precision()
'high'
>>> qn.set_float32_matmul_precision("highest"))");
  module.def(
      "get_float32_matmul_precision",
      [] { return float32_matmul_precision() == MatmulPrecision::high ? "high" : "highest"; },
      R"(How precisely products of float32 matrices are computed.

Returns
-------
str
    "highest" or "high", as given to set_float32_matmul_precision().

Examples
--------
>>> qn.get_float32_matmul_precision()
'highest')");
  module.def("plans", &plans_of, nb::sig("def plans(*arrays: Array) -> list[KernelPlan]"));
  module.def("staged_functions", &staged_of, nb::sig("def staged_functions(*arrays: Array) -> list[str]"));
}

}  // namespace quern::python
