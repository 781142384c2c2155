// SPDX-License-Identifier: MIT
// scan and reduce_by_key.

#include <array>

#include "algorithm_arguments.hpp"
#include "binding.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

ScanOperation operation_of(const std::string& name) {
  constexpr std::array<const char*, 4> kNames = {"sum", "product", "max", "min"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (name == kNames[k]) return static_cast<ScanOperation>(k);
  value_error("op: expected sum, product, max or min, got '" + name + "'");
}

nb::object scan_of(nb::handle input, const std::string& op, bool exclusive, nb::handle starts,
                   nb::handle keys, nb::handle dtype, nb::handle out, nb::handle queue, nb::handle wait_for) {
  const PyArray& x = array_of(input, "x");
  ScanOptions options{operation_of(op), exclusive, {}};
  if (!starts.is_none()) options.segments.starts = &array_of(starts, "starts").array;
  if (!keys.is_none()) options.segments.keys = &array_of(keys, "keys").array;
  const Queue on = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  if (!out.is_none()) {
    if (!dtype.is_none()) type_error("scan: dtype cannot be combined with out, whose dtype is used");
    const Array& to = array_of(out, "out").array;
    return nb::cast(without_gil([&] { return scan(on, x.array, to, options, events); }));
  }
  nb::object numpy_type =
      dtype.is_none() ? numpy_dtype_of(scan_dtype(x.array.dtype(), options.operation)) : native_dtype(dtype);
  const DType element = element_type(numpy_type);
  Array result = without_gil([&] {
    Array to = empty(on, x.array.shape(), element);
    scan(on, x.array, to, options, events);
    return to;
  });
  return nb::cast(PyArray{std::move(result), std::move(numpy_type)});
}

nb::object reduce_of(nb::handle keys, nb::handle values, const std::string& op, nb::handle out,
                     nb::handle count, nb::handle queue, nb::handle wait_for) {
  const PyArray &k = array_of(keys, "keys"), &v = array_of(values, "values");
  const ScanOperation operation = operation_of(op);
  if (out.is_none() != count.is_none())
    type_error("out and count must be given together: count receives the number of elements in out");
  const Queue on = queue_for(queue, k.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  if (!out.is_none()) {
    if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != 2)
      type_error("out: expected a tuple of two arrays, for keys and values, got " + class_name(out));
    const Array &to = array_of(out[0], "out[0]").array, &values_to = array_of(out[1], "out[1]").array;
    const Array& number = array_of(count, "count").array;
    return nb::cast(without_gil(
        [&] { return reduce_by_key(on, k.array, v.array, to, values_to, number, operation, events); }));
  }
  auto result = without_gil([&] {
    if (!events.empty()) on.barrier(events);
    return reduce_by_key(on, k.array, v.array, operation);
  });
  return nb::make_tuple(PyArray{std::move(result.first), k.dtype}, as_python_array(std::move(result.second)));
}

}  // namespace

void bind_scans(nb::module_& module) {
  module.def(
      "scan", &scan_of, nb::arg("x"), nb::kw_only(), nb::arg("op") = "sum", nb::arg("exclusive") = false,
      nb::arg("starts") = nb::none(), nb::arg("keys") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def scan(x: Array, *, op: str = 'sum', exclusive: bool = False, starts: Array | None = None, "
              "keys: Array | None = None, dtype: numpy.typing.DTypeLike | None = None, out: Array | None = "
              "None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = "
              "None) -> typing.Any"),
      documented(R"(Scan: combine each element with all elements before it.

A segmented scan starts anew where `starts` is nonzero, or where neighbouring `keys` differ.

Parameters
----------
x : Array
    Elements to combine: a contiguous one-dimensional array.
op : str, optional
    Operation: 'sum', 'product', 'max' or 'min'.
exclusive : bool, optional
    If True, the element itself is left out.
starts : Array, optional
    Nonzero where a segment starts.
keys : Array, optional
    Key of each element. Neighbours with equal keys are in one segment.
dtype : dtype, optional
    Dtype of the result. By default sums and products of integers shorter than 64 bits are int64 or uint64.
out : Array, optional
    Array to store the result in. It may be `x`.
@queue
@wait_for

Returns
-------
Array or Event
    The combined elements. With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.scan(qn.asarray([1, 2, 3, 4]), starts=qn.asarray([1, 0, 1, 0])))
[1 3 3 7])")
          .c_str());
  module.def(
      "reduce_by_key", &reduce_of, nb::arg("keys"), nb::arg("values"), nb::kw_only(), nb::arg("op") = "sum",
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("queue") = nb::none(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def reduce_by_key(keys: Array, values: Array, *, op: str = 'sum', out: tuple[Array, Array] | "
              "None = None, count: Array | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      documented(R"(Reduce the values of each run of equal keys.

Parameters
----------
keys : Array
    Keys: a contiguous one-dimensional array. Equal neighbours are one run.
values : Array
    Value of each key.
op : str, optional
    Operation: 'sum', 'product', 'max' or 'min'.
out : tuple of Array, optional
    Pair of arrays to store the keys of the runs and the reduced values in. It is given together with `count`. The
    length of `keys` always suffices. If there are more runs, only the first ones are stored, and `count` is greater than the
    length of the arrays.
@count_of_runs
@queue
@wait_for

Returns
-------
tuple of Array, or Event
    Keys of the runs and reduced values; the call waits for the number of runs. With `out` it does not wait, and returns the
    Event of the work.

Examples
--------
>>> keys, sums = qn.algorithms.reduce_by_key(qn.asarray([1, 1, 2]), qn.asarray([10, 20, 30]))
>>> print(keys, sums)
[1 2] [30 30])")
          .c_str());
}

}  // namespace quern::python
