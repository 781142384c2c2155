// SPDX-License-Identifier: MIT
// Elementwise kernels generated from C snippets.

#include "conversions.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// One array as it is, several arrays as a tuple.
nb::object as_result(std::vector<Array> arrays) {
  if (arrays.size() == 1) return nb::cast(as_python_array(std::move(arrays.front())));
  nb::list list;
  for (Array& array : arrays) list.append(as_python_array(std::move(array)));
  return nb::tuple(list);
}

void make_elementwise(Made<ElementwiseKernel>* self, nb::handle first, nb::handle second, nb::handle third,
                      nb::handle name, nb::handle preamble, nb::handle options) {
  GeneratorOptions all = generator_options(name, preamble, options);
  if (third.is_none()) {
    const std::string arguments = text_argument(first, "arguments");
    const std::string operation = text_argument(second, "operation");
    without_gil([&] { new (self) Made<ElementwiseKernel>(arguments, operation, std::move(all)); });
  } else {
    const std::string inputs = text_argument(first, "inputs"), outputs = text_argument(second, "outputs");
    const std::string operation = text_argument(third, "operation");
    without_gil([&] { new (self) Made<ElementwiseKernel>(inputs, outputs, operation, std::move(all)); });
  }
  nb::dict named;
  named["preamble"] = preamble;
  named["options"] = options;
  self->arguments = nb::make_tuple(nb::make_tuple(first, second, third, name), named);
}

// `size=n` is CuPy's form of range(n).
std::optional<IndexRange> range_of(const GeneratorCall& call) {
  const nb::object size = call.own_option("size");
  if (size.is_none()) return call.range();
  if (call.range()) value_error("size: cannot be combined with range or slice");
  return IndexRange{0, static_cast<std::int64_t>(size_argument(size, "size")), 1};
}

nb::object call_elementwise(const Made<ElementwiseKernel>& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"size"},
                     [&](std::size_t a) { return self.is_output(a); });
  const std::optional<IndexRange> range = range_of(call);
  std::vector<Array> made;
  if (call.misses_any())
    made = without_gil([&] { return self.allocate_outputs(call.queue(), call.arguments().list(), range); });
  Event event = call.run([&] {
    return self.launch(call.queue(), std::as_const(call.arguments()).list(), range, call.wait_for());
  });
  return made.empty() ? nb::cast(std::move(event)) : as_result(std::move(made));
}

std::string source_elementwise(const Made<ElementwiseKernel>& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"size"},
                     [&](std::size_t a) { return self.is_output(a); });
  const std::optional<IndexRange> range = range_of(call);
  std::vector<Array> made;
  if (call.misses_any())
    made = without_gil([&] { return self.allocate_outputs(call.queue(), call.arguments().list(), range); });
  return without_gil(
      [&] { return self.source(call.queue(), std::as_const(call.arguments()).list(), range); });
}

}  // namespace

void bind_elementwise(nb::module_& module) {
  nb::class_<Made<ElementwiseKernel>> bound(
      module, "ElementwiseKernel",
      R"(Element-wise kernel, generated from a C statement that runs for each element.

PyOpenCL's form, ElementwiseKernel(arguments, operation): scalars and pointers are declared as in C, and `i` is the element
index. Arrays that are used as x[i] only are broadcast against each other and may be strided views.

CuPy's form, ElementwiseKernel(inputs, outputs, operation): names refer to elements, and a single letter is a type that
follows from the arguments: "T x, T y", "T z", "z = x + y".

Parameters
----------
arguments : str
    Arguments of the kernel, declared as in C. In CuPy's form, the inputs.
operation : str
    Statement that runs for each element; `continue` skips the rest of it. In CuPy's form, the outputs.
cupy_operation : str, optional
    Statement of CuPy's form.
name : str, optional
    Name of the kernel.
preamble : str, optional
    Source before the kernel, such as functions and types.
options : str or sequence of str, optional
    Options for the compiler.

Raises
------
ValueError
    If the declarations cannot be read.

Examples
--------
>>> scale = qn.ElementwiseKernel("float a, const float *x, float *z", "z[i] = a * x[i]")
>>> x = qn.arange(3, dtype="float32")
>>> z = qn.empty_like(x)
>>> event = scale(2, x, z)
>>> print(z)
[0. 2. 4.])");
  bound
      .def("__init__", &make_elementwise, nb::arg("arguments").none(), nb::arg("operation").none(),
           nb::arg("cupy_operation") = nb::none(), nb::arg("name").none() = "", nb::kw_only(),
           nb::arg("preamble").none() = "", nb::arg("options") = nb::none(),
           nb::sig("def __init__(self, arguments: str, operation: str, cupy_operation: str | None = None, "
                   "name: str = "
                   "'', *, preamble: str = '', options: str | collections.abc.Sequence[str] | None = None) "
                   "-> None"))
      .def("__call__", &call_elementwise,
           nb::sig("def __call__(self, *args: typing.Any, range: typing.Any = None, slice: typing.Any = "
                   "None, size: int | None = None, queue: "
                   "Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None, "
                   "wait: bool | None = None, **named_args: typing.Any) -> typing.Any"),
           documented(R"(Run the kernel for every element.

Parameters
----------
*args
    Arguments in the order of their declarations: arrays and numbers. Outputs at the end may be omitted.
range : range or int, optional
    Values of `i` to run for; an int n is range(n).
slice : slice, optional
    Elements of the first array to run for; not together with `range`.
size : int, optional
    Number of elements to run for, from the first one on.
@queue
@wait_for
wait : bool, optional
    Whether the call waits for the kernel; by default it does not, unless an argument is Out() or InOut().
@named_args

Returns
-------
Array, tuple of Array, or Event
    The outputs if they were omitted, otherwise the Event of the work.)")
               .c_str())
      .def("source", &source_elementwise,
           nb::sig("def source(self, *args: typing.Any, **named_args: typing.Any) -> str"),
           "OpenCL C source that a call with these arguments runs.");
  bind_generator(bound, "ElementwiseKernel");
}

}  // namespace quern::python
