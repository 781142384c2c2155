// SPDX-License-Identifier: MIT
// Reductions generated from C snippets.

#include "conversions.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// An int, a tuple of ints, or None for all axes.
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

// CuPy's form begins with a type and a name, which is not a dtype.
bool declares_parameters(nb::handle text) {
  return nb::isinstance<nb::str>(text) && nb::len(text.attr("split")()) > 1;
}

void make_reduction(Made<ReductionKernel>* self, nb::handle dtype, nb::handle neutral, nb::handle reduce_expr,
                    nb::handle map_expr, nb::handle arguments, nb::handle name, nb::handle preamble,
                    nb::handle options) {
  const GeneratorOptions all = generator_options(name, preamble, options);
  if (declares_parameters(dtype) && nb::isinstance<nb::str>(arguments) &&
      text_of(arguments).find('=') != std::string::npos)
    value_error(
        "identity: missing; CuPy's form is ReductionKernel(in_params, out_params, map_expr, reduce_expr, "
        "post_map_expr, identity), here ReductionKernel(" +
        text_of(nb::repr(dtype)) + ", " + text_of(nb::repr(neutral)) + ", " + text_of(nb::repr(reduce_expr)) +
        ", " + text_of(nb::repr(map_expr)) + ", " + text_of(nb::repr(arguments)) + ", '0')");
  const ItemType item = item_type(dtype);
  const std::string map = optional_text_argument(map_expr, "map_expr");
  if (arguments.is_none() && !map_expr.is_none())
    type_error("arguments: declare the names that map_expr uses, as in 'const float *x'");
  const std::string declared = optional_text_argument(arguments, "arguments");
  make_of_items(self, item, text_argument(neutral, "neutral"), text_argument(reduce_expr, "reduce_expr"), map,
                declared, all);
  nb::dict named;
  named["name"] = name;
  named["preamble"] = preamble;
  named["options"] = options;
  self->arguments = nb::make_tuple(nb::make_tuple(dtype, neutral, reduce_expr, map_expr, arguments), named);
}

void make_named_reduction(Made<ReductionKernel>* self, nb::handle in_params, nb::handle out_params,
                          nb::handle map_expr, nb::handle reduce_expr, nb::handle post_map_expr,
                          nb::handle identity, nb::handle name, nb::handle reduce_type, nb::handle,
                          nb::handle preamble, nb::handle options) {
  // Six strings may be PyOpenCL's form, whose last one is the name.
  if (!declares_parameters(in_params) && name.is_none() && reduce_type.is_none())
    return make_reduction(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                          preamble, options);
  NamedReduction text{text_argument(in_params, "in_params"),
                      text_argument(out_params, "out_params"),
                      text_argument(map_expr, "map_expr"),
                      text_argument(reduce_expr, "reduce_expr"),
                      optional_text_argument(post_map_expr, "post_map_expr"),
                      text_argument(identity, "identity"),
                      optional_text_argument(reduce_type, "reduce_type")};
  const nb::object no_name = nb::str("");
  GeneratorOptions all = generator_options(name.is_none() ? nb::handle(no_name) : name, preamble, options);
  without_gil([&] { new (self) Made<ReductionKernel>(std::move(text), std::move(all)); });
  nb::dict named;
  named["name"] = name;
  named["reduce_type"] = reduce_type;
  named["preamble"] = preamble;
  named["options"] = options;
  self->arguments = nb::make_tuple(
      nb::make_tuple(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity), named);
}

ReductionKernel::Over over_of(const GeneratorCall& call) {
  ReductionKernel::Over over;
  over.axes = axes_of(call.own_option("axis"));
  over.keepdims = nb::cast<bool>(nb::bool_(call.own_option("keepdims")));
  over.range = call.range();
  return over;
}

std::string source_reduction(const Made<ReductionKernel>& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"axis", "keepdims", "out"},
                     [](std::size_t) { return false; });
  const ReductionKernel::Over over = over_of(call);
  return without_gil([&] { return self.source(call.queue(), std::as_const(call.arguments()).list(), over); });
}

nb::object call_reduction(const Made<ReductionKernel>& self, nb::args positional, nb::kwargs named) {
  // CuPy also takes the output after the inputs.
  const std::size_t inputs = self.signature().parameters.size();
  nb::object last = nb::none();
  if (self.is_named() && positional.size() == inputs + 1) {
    last = positional[inputs];
    positional = nb::steal<nb::args>(PyTuple_GetSlice(positional.ptr(), 0, static_cast<Py_ssize_t>(inputs)));
  }
  GeneratorCall call(self.signature(), positional, named, {"axis", "keepdims", "out"},
                     [](std::size_t) { return false; });
  const ReductionKernel::Over over = over_of(call);
  const auto arguments = [&] { return std::as_const(call.arguments()).list(); };
  if (!last.is_none() && !call.own_option("out").is_none())
    type_error("out: the output is given by position and by name");
  const nb::object out = last.is_none() ? call.own_option("out") : last;
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
  nb::class_<Made<ReductionKernel>> bound(module, "ReductionKernel",
                                          R"doc(Reduction kernel, generated from C expressions.

CuPy's form, ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name): names refer to
elements, and a single letter is a type that follows from the arguments: "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
"l2norm". `reduce_type` is the type of a and b; by default that of the output. `reduce_dims` is accepted and has no effect.

Parameters
----------
dtype : dtype or str
    Type of the reduced values: a NumPy dtype, a structured one (item_t in C), or the name of a type that `preamble` defines.
neutral : str
    Identity of `reduce_expr`.
reduce_expr : str
    Associative and commutative expression that combines `a` and `b`.
map_expr : str, optional
    Value of element `i`, where `i` is the index among the elements of one result; x[i] of the first array by default.
arguments : str, optional
    Arguments of the kernel, declared as in C.
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
>>> dot = qn.ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
>>> x = qn.arange(4, dtype="float32")
>>> print(dot(x, x))
14.0)doc");
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
      .def("__init__", &make_named_reduction, nb::arg("in_params").none(), nb::arg("out_params").none(),
           nb::arg("map_expr").none(), nb::arg("reduce_expr").none(), nb::arg("post_map_expr").none(),
           nb::arg("identity").none(), nb::arg("name") = nb::none(), nb::arg("reduce_type") = nb::none(),
           nb::arg("reduce_dims") = nb::none(), nb::arg("preamble").none() = "",
           nb::arg("options") = nb::none(),
           nb::sig("def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, "
                   "post_map_expr: str | None, identity: str, name: str | None = None, reduce_type: str | "
                   "None = None, reduce_dims: bool | None = None, preamble: str = '', options: str | "
                   "collections.abc.Sequence[str] | None = None) -> None"))
      .def("__call__", &call_reduction,
           nb::sig("def __call__(self, *args: typing.Any, axis: int | collections.abc.Sequence[int] | None = "
                   "None, "
                   "keepdims: bool = False, out: Array | None = None, range: typing.Any = None, slice: "
                   "typing.Any = "
                   "None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | "
                   "None = None, wait: bool | None = None, "
                   "**named_args: typing.Any) -> typing.Any"),
           documented(R"(Reduce all elements, or along axes, without waiting.

Parameters
----------
*args
    Arguments in the order of their declarations: arrays and numbers.
axis : int or sequence of int, optional
    Axes to reduce; all by default.
keepdims : bool, optional
    If True, the reduced axes are kept with length 1.
out : Array, optional
    Array to store the result in.
range : range or int, optional
    Values of `i` to reduce; an int n is range(n).
slice : slice, optional
    Elements of the first array to reduce; not together with `range`.
@queue
@wait_for
wait : bool, optional
    Whether the call waits for the kernel; by default it does not.
@named_args

Returns
-------
Array or Event
    The result. With `out`, the Event of the work.)")
               .c_str())
      .def("source", &source_reduction,
           nb::sig("def source(self, *args: typing.Any, **named_args: typing.Any) -> str"),
           "OpenCL C source of the first pass over these arguments.");
  bind_generator(bound, "ReductionKernel");
  bind_item_type(bound);
}

}  // namespace quern::python
