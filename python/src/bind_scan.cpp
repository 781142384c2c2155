// SPDX-License-Identifier: MIT
// Scans generated from C snippets.

#include <array>
#include <limits>

#include "conversions.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

constexpr std::array<const char*, 5> kStrategies = {"automatic", "sequential", "chunks", "multi_pass",
                                                    "look_back"};

ScanStrategy strategy_of(const std::string& name) {
  for (std::size_t k = 0; k < kStrategies.size(); ++k)
    if (name == kStrategies[k]) return static_cast<ScanStrategy>(k);
  value_error("strategy: expected automatic, sequential, chunks, multi_pass or look_back, got '" + name +
              "'");
}

int offset_of(nb::handle offset) {
  int value = 0;
  if (PyBool_Check(offset.ptr()) || !nb::try_cast(offset, value, false))
    type_error("input_fetch_exprs: expected an int for the offset, got " + text_of(nb::repr(offset)));
  return value;
}

std::vector<InputFetch> fetches_of(nb::handle fetches) {
  std::vector<InputFetch> result;
  if (fetches.is_none()) return result;
  for (nb::handle each : fetches) {
    if (!nb::isinstance<nb::tuple>(each) || nb::len(each) != 3)
      type_error("input_fetch_exprs: expected (name, argument, offset), got " +
                 std::string(nb::repr(each).c_str()));
    result.push_back({text_argument(nb::object(each[0]), "input_fetch_exprs"),
                      text_argument(nb::object(each[1]), "input_fetch_exprs"),
                      offset_of(nb::object(each[2]))});
  }
  return result;
}

unsigned tuning_of(nb::handle number, const char* role) {
  const std::size_t value = size_argument(number, role);
  if (value > std::numeric_limits<unsigned>::max())
    value_error(std::string(role) + ": " + std::to_string(value) + " is too large");
  return static_cast<unsigned>(value);
}

void make_scan(Made<ScanKernel>* self, nb::handle dtype, nb::handle arguments, nb::handle input_expr,
               nb::handle scan_expr, nb::handle neutral, nb::handle output_statement,
               nb::handle is_segment_start_expr, nb::handle input_fetch_exprs, nb::handle name,
               nb::handle preamble, nb::handle options, nb::handle strategy, nb::handle group_size,
               nb::handle items) {
  const GeneratorOptions all = generator_options(name, preamble, options);
  const ScanSnippets snippets{text_argument(arguments, "arguments"),
                              text_argument(input_expr, "input_expr"),
                              text_argument(scan_expr, "scan_expr"),
                              text_argument(output_statement, "output_statement"),
                              optional_text_argument(neutral, "neutral"),
                              optional_text_argument(is_segment_start_expr, "is_segment_start_expr"),
                              fetches_of(input_fetch_exprs)};
  const ScanTuning tuning{strategy_of(text_argument(strategy, "strategy")),
                          tuning_of(group_size, "group_size"), tuning_of(items, "items")};
  make_of_items(self, item_type(dtype), snippets, all, tuning);
  nb::dict named;
  named["name"] = name;
  named["preamble"] = preamble;
  named["options"] = options;
  named["strategy"] = strategy;
  named["group_size"] = group_size;
  named["items"] = items;
  self->arguments = nb::make_tuple(nb::make_tuple(dtype, arguments, input_expr, scan_expr, neutral,
                                                  output_statement, is_segment_start_expr, input_fetch_exprs),
                                   named);
}

std::optional<std::int64_t> size_of(const GeneratorCall& call) {
  const nb::object size = call.own_option("size");
  if (call.range()) value_error("scan: range and slice are not supported; use size");
  if (size.is_none()) return {};
  const auto index = nb::steal(PyNumber_Index(size.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  return nb::cast<std::int64_t>(index);
}

Event call_scan(const Made<ScanKernel>& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"size"}, [](std::size_t) { return false; });
  const std::optional<std::int64_t> size = size_of(call);
  return call.run([&] {
    return self.launch(call.queue(), std::as_const(call.arguments()).list(), size, call.wait_for());
  });
}

std::string source_scan(const Made<ScanKernel>& self, nb::args positional, nb::kwargs named) {
  GeneratorCall call(self.signature(), positional, named, {"size"}, [](std::size_t) { return false; });
  const std::optional<std::int64_t> size = size_of(call);
  return without_gil([&] { return self.source(call.queue(), std::as_const(call.arguments()).list(), size); });
}

}  // namespace

void bind_scan(nb::module_& module) {
  nb::class_<Made<ScanKernel>> bound(
      module, "ScanKernel",
      R"(Scan (prefix sum) kernel with a user-defined operator, generated from C expressions.

In the expressions `i` is the index of the element, and `N` the number of elements.

Parameters
----------
dtype : dtype or str
    Type of the scanned values: a NumPy dtype, a structured one (item_t in C), or the name of a type that `preamble` defines.
arguments : str
    Arguments of the kernel, declared as in C.
input_expr : str
    Value of element `i`.
scan_expr : str
    Associative expression that combines `a` and the later `b`. In a segmented scan `across_seg_boundary` is true if a segment
    starts between them; if the expression does not use it, `a` is dropped there.
neutral : str, optional
    Identity of `scan_expr`.
output_statement : str
    Statement that stores the results: `item` is the result up to element `i`, `prev_item` the one before it, and `last_item`
    that of the last element. `prev_item` requires `neutral`, which is its value at the start of a segment.
is_segment_start_expr : str, optional
    Whether a segment starts at element `i`, whose value is `a`.
input_fetch_exprs : sequence of (name, argument, offset), optional
    Makes `name` available as argument[i + offset], or as argument[0] before the first element.
name : str, optional
    Name of the kernel.
preamble : str, optional
    Source before the kernel, such as functions and types.
options : str or sequence of str, optional
    Options for the compiler.
strategy : str, optional
    'sequential' runs the scan in one work-item, for debugging.
group_size : int, optional
    Work-items of a work-group; by default it follows from the device.
items : int, optional
    Elements of a work-item; by default it follows from the device.

Raises
------
ValueError
    If the declarations cannot be read.

Examples
--------
>>> cumsum = qn.ScanKernel("int32", "const int *x, int *y", "x[i]", "a + b", output_statement="y[i] = item")
>>> x = qn.asarray([1, 2, 3], dtype="int32")
>>> y = qn.empty_like(x)
>>> event = cumsum(x, y)
>>> print(y)
[1 3 6])");
  bound
      .def("__init__", &make_scan, nb::arg("dtype"), nb::arg("arguments").none(),
           nb::arg("input_expr").none(), nb::arg("scan_expr").none(), nb::arg("neutral") = nb::none(),
           nb::arg("output_statement").none() = "", nb::arg("is_segment_start_expr") = nb::none(),
           nb::arg("input_fetch_exprs") = nb::none(), nb::kw_only(), nb::arg("name").none() = "",
           nb::arg("preamble").none() = "", nb::arg("options") = nb::none(),
           nb::arg("strategy").none() = "automatic", nb::arg("group_size").none() = 0,
           nb::arg("items").none() = 0,
           nb::sig("def __init__(self, dtype: numpy.typing.DTypeLike | str, arguments: str, input_expr: str, "
                   "scan_expr: str, neutral: str | None = None, output_statement: str = '', "
                   "is_segment_start_expr: str | None = None, input_fetch_exprs: "
                   "collections.abc.Sequence[tuple[str, str, int]] | None = None, *, name: str = '', "
                   "preamble: str = '', options: str | collections.abc.Sequence[str] | None = None, "
                   "strategy: str = 'automatic', group_size: int = 0, items: int = 0) -> None"))
      .def("__call__", &call_scan,
           nb::sig(
               "def __call__(self, *args: typing.Any, size: int | None = None, queue: Queue | None = "
               "None, wait_for: Event | collections.abc.Sequence[Event] | None = None, wait: bool | None = "
               "None, **named_args: typing.Any) -> Event"),
           documented(R"(Run the scan, without waiting.

Parameters
----------
*args
    Arguments in the order of their declarations: arrays and numbers.
size : int, optional
    Number of elements to scan; by default that of the first array among the arguments.
@queue
@wait_for
wait : bool, optional
    Whether the call waits for the kernel; by default it does not.
@named_args

Returns
-------
Event
    Event of the work.)")
               .c_str())
      .def("source", &source_scan,
           nb::sig("def source(self, *args: typing.Any, size: int | None = None, queue: Queue | None = None, "
                   "**named_args: typing.Any) -> str"),
           "Source of the program that a call with these arguments runs.");
  bind_generator(bound, "ScanKernel");
  bind_item_type(bound);
}

}  // namespace quern::python
