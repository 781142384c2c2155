// SPDX-License-Identifier: MIT
// sort, argsort and sort_by_key.
#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

nb::object sort_keys(nb::handle keys, bool descending, nb::handle out, nb::handle queue,
                     nb::handle wait_for) {
  const PyArray& x = array_of(keys, "keys");
  const Queue user = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return sort(user, x.array, to, {descending}, events); });
  };
  return into(out, enqueue, user, x.array.shape(), x.array.dtype(), x.dtype);
}

nb::object argsort_keys(nb::handle keys, bool descending, nb::handle out, nb::handle queue,
                        nb::handle wait_for) {
  const PyArray& x = array_of(keys, "keys");
  const Queue user = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return argsort(user, x.array, to, {descending}, events); });
  };
  const nb::object numpy_type = out.is_none() ? numpy_dtype(nb::str("int64")) : nb::object();
  return into(out, enqueue, user, x.array.shape(), DType::of(Scalar::int64), numpy_type);
}

nb::object sort_pairs(nb::handle keys, nb::handle values, bool descending, nb::handle out, nb::handle queue,
                      nb::handle wait_for) {
  const PyArray &x = array_of(keys, "keys"), &y = array_of(values, "values");
  const Queue user = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to, const Array& values_to) {
    return without_gil(
        [&] { return sort_by_key(user, x.array, y.array, to, values_to, {descending}, events); });
  };
  if (!out.is_none()) {
    if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != 2)
      type_error("out: expected a tuple of two arrays, for keys and values, got " + class_name(out));
    return nb::cast(enqueue(array_of(out[0], "out[0]").array, array_of(out[1], "out[1]").array));
  }
  PyArray first = new_array(user, x.array.shape(), x.array.dtype(), x.dtype);
  PyArray second = new_array(user, y.array.shape(), y.array.dtype(), y.dtype);
  enqueue(first.array, second.array);
  return nb::make_tuple(std::move(first), std::move(second));
}

}  // namespace

void bind_sort(nb::module_& module) {
  module.def(
      "sort", &sort_keys, nb::arg("keys"), nb::kw_only(), nb::arg("descending") = false,
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def sort(keys: Array, *, descending: bool = False, out: Array | None = None, queue: Queue | "
              "None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
              "typing.Any"),
      documented(R"(Sort the keys, NaNs last.

Parameters
----------
@sort_keys
@descending
out : Array, optional
    Array to store the sorted keys in. It may be `keys`.
@queue
@wait_for

Returns
-------
Array or Event
    Sorted copy of the keys. With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.sort(qn.asarray([3, 1, 2])))
[1 2 3])")
          .c_str());
  module.def(
      "argsort", &argsort_keys, nb::arg("keys"), nb::kw_only(), nb::arg("descending") = false,
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def argsort(keys: Array, *, descending: bool = False, out: Array | None = None, queue: "
              "Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
              "typing.Any"),
      documented(R"(Indices that sort the keys, NaNs last. The sort is stable.

Parameters
----------
@sort_keys
@descending
out : Array, optional
    Array of 32-bit or 64-bit integers to store the indices in.
@queue
@wait_for

Returns
-------
Array or Event
    Indices (int64). With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.argsort(qn.asarray([30, 10, 20])))
[1 2 0])")
          .c_str());
  module.def(
      "sort_by_key", &sort_pairs, nb::arg("keys"), nb::arg("values"), nb::kw_only(),
      nb::arg("descending") = false, nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def sort_by_key(keys: Array, values: Array, *, descending: bool = False, out: tuple[Array, "
              "Array] | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      documented(R"(Sort keys and reorder their values. The sort is stable.

Parameters
----------
@sort_keys
values : Array
    Value of each key, of any dtype.
@descending
out : tuple of Array, optional
    Pair of arrays to store the sorted keys and their values in.
@queue
@wait_for

Returns
-------
tuple of Array, or Event
    Sorted keys and their values. With `out`, the Event of the work.

Examples
--------
>>> keys, values = qn.algorithms.sort_by_key(qn.asarray([3, 1, 2]), qn.asarray([0.3, 0.1, 0.2]))
>>> print(keys, values)
[1 2 3] [0.1 0.2 0.3])")
          .c_str());
}

}  // namespace quern::python
