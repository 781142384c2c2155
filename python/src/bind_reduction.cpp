// SPDX-License-Identifier: MIT
// Reductions generated from C snippets.
#include <nanobind/stl/string.h>

#include "conversions.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// An int, a tuple of them, or None for all axes.
std::optional<std::vector<int>> axes_of(nb::handle axis) {
  if (axis.is_none()) return {};
  std::vector<int> result;
  const auto add = [&](nb::handle number) {
    const auto index = nb::steal(PyNumber_Index(number.ptr()));
    if (!index.is_valid()) {
      PyErr_Clear();
      type_error("axis: expected an int, a tuple of ints or None, got " + class_name(number));
    }
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || value < -1000 || value > 1000)
      value_error(std::string("axis ") + nb::str(index).c_str() + " is out of bounds");
    result.push_back(static_cast<int>(value));
  };
  if (PyIndex_Check(axis.ptr()) || !PySequence_Check(axis.ptr())) {
    add(axis);
  } else {
    for (nb::handle each : axis) add(each);
  }
  return result;
}

void make_reduction(ReductionKernel* self, nb::handle dtype, nb::handle neutral, nb::handle reduce_expr,
                    nb::handle map_expr, nb::handle arguments, nb::handle name, nb::handle preamble,
                    nb::handle options) {
  const GeneratorOptions all = generator_options(name, preamble, options);
  const ItemType item = item_type(dtype);
  const std::string map = optional_text_argument(map_expr, "map_expr");
  if (arguments.is_none() && !map_expr.is_none())
    type_error("arguments: what map_expr uses must be declared, as in 'const float *x'");
  const std::string declared = optional_text_argument(arguments, "arguments");
  make_of_items(self, item, text_argument(neutral, "neutral"), text_argument(reduce_expr, "reduce_expr"), map,
                declared, all);
}

ReductionKernel::Over over_of(const GeneratorCall& call) {
  ReductionKernel::Over over;
  over.axes = axes_of(call.own_option("axis"));
  over.keepdims = nb::cast<bool>(nb::bool_(call.own_option("keepdims")));
  over.range = call.range();
  return over;
}

std::string source_reduction(const ReductionKernel& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"axis", "keepdims", "out"},
                     [](std::size_t) { return false; });
  const ReductionKernel::Over over = over_of(call);
  return without_gil([&] { return self.source(call.queue(), std::as_const(call.arguments()).list(), over); });
}

nb::object call_reduction(const ReductionKernel& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"axis", "keepdims", "out"},
                     [](std::size_t) { return false; });
  const ReductionKernel::Over over = over_of(call);
  const auto arguments = [&] { return std::as_const(call.arguments()).list(); };
  const nb::object out = call.own_option("out");
  if (out.is_none()) {
    std::optional<Array> result;
    call.run([&] { return result = self.launch(call.queue(), arguments(), over, call.wait_for()), Event(); });
    return nb::cast(as_python_array(std::move(*result)));
  }
  if (!nb::isinstance<PyArray>(out)) type_error("out: expected a quern.Array, got " + class_name(out));
  const Array& target = nb::inst_ptr<PyArray>(out)->array;
  return nb::cast(
      call.run([&] { return self.launch_into(target, call.queue(), arguments(), over, call.wait_for()); }));
}

}  // namespace

void bind_reduction(nb::module_& module) {
  nb::class_<ReductionKernel> bound(
      module, "ReductionKernel",
      "A reduction generated from C.\n\n"
      "`map_expr` is an expression of x[i], `reduce_expr` combines `a` and `b` and is associative and "
      "commutative, and "
      "`neutral` leaves a value unchanged. `dtype` is NumPy's, a structured one (called item_t in C), or the "
      "name of a "
      "type that the preamble defines. Within map_expr, `i` counts the elements of a result.");
  bound
      .def("__init__", &make_reduction, nb::arg("dtype"), nb::arg("neutral").none(),
           nb::arg("reduce_expr").none(), nb::arg("map_expr") = nb::none(), nb::arg("arguments") = nb::none(),
           nb::kw_only(), nb::arg("name").none() = "", nb::arg("preamble").none() = "",
           nb::arg("options") = nb::none(),
           nb::sig("def __init__(self, dtype: numpy.typing.DTypeLike | str, neutral: str, reduce_expr: str, "
                   "map_expr: "
                   "str | None = None, arguments: str | None = None, *, name: str = '', preamble: str = '', "
                   "options: "
                   "str | collections.abc.Sequence[str] | None = None) -> None"))
      .def("__call__", &call_reduction,
           nb::sig("def __call__(self, *args: typing.Any, axis: int | collections.abc.Sequence[int] | None = "
                   "None, "
                   "keepdims: bool = False, out: Array | None = None, range: typing.Any = None, slice: "
                   "typing.Any = "
                   "None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | "
                   "None = None, wait: bool | None = None, "
                   "**named_args: typing.Any) -> typing.Any"),
           "The result as an array on the device, which nobody waits for; with `out`, the event. Reduces all "
           "elements, or along `axis`.")
      .def("source", &source_reduction,
           nb::sig("def source(self, *args: typing.Any, **named_args: typing.Any) -> str"),
           "The OpenCL C that the first pass over these arguments runs.");
  bind_item_properties(bound, "ReductionKernel");
}

}  // namespace quern::python
