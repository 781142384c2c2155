// SPDX-License-Identifier: MIT
// lower_bound, upper_bound, merge and merge_by_key.
#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

using Find = Event (*)(const Queue&, const Array&, const Array&, const Array&, SortOptions, WaitList);

template <Find find>
nb::object bound(nb::handle keys, nb::handle values, bool descending, nb::handle out, nb::handle queue,
                 nb::handle wait_for) {
  const Array &x = array_of(keys, "keys").array, &y = array_of(values, "values").array;
  const Queue user = queue_for(queue, x);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return find(user, x, y, to, {descending}, events); });
  };
  return into(out, enqueue, user, y.shape(), DType::of(Scalar::int64), numpy_dtype(nb::str("int64")));
}

nb::object merge_arrays(nb::handle a, nb::handle b, bool descending, nb::handle out, nb::handle queue,
                        nb::handle wait_for) {
  const PyArray &x = array_of(a, "a"), &y = array_of(b, "b");
  const Queue user = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return merge(user, x.array, y.array, to, {descending}, events); });
  };
  return into(out, enqueue, user, {static_cast<std::int64_t>(x.array.size() + y.array.size())},
              x.array.dtype(), x.dtype);
}

KeysAndValues pair_of(nb::handle object, const char* name) {
  if (!PyTuple_Check(object.ptr()) || PyTuple_GET_SIZE(object.ptr()) != 2)
    type_error(std::string(name) + ": expected a tuple of two arrays, keys and values, got " +
               class_name(object));
  return {array_of(object[0], name).array, array_of(object[1], name).array};
}

nb::object merge_pairs(nb::handle a, nb::handle b, bool descending, nb::handle out, nb::handle queue,
                       nb::handle wait_for) {
  const KeysAndValues x = pair_of(a, "a"), y = pair_of(b, "b");
  const Queue user = queue_for(queue, x.keys);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const KeysAndValues& to) {
    return without_gil([&] { return merge_by_key(user, x, y, to, {descending}, events); });
  };
  if (!out.is_none()) return nb::cast(enqueue(pair_of(out, "out")));
  const Shape keys = {static_cast<std::int64_t>(x.keys.size() + y.keys.size())};
  const Shape values = {static_cast<std::int64_t>(x.values.size() + y.values.size())};
  PyArray first = new_array(user, keys, x.keys.dtype(), array_of(a[0], "a").dtype);
  PyArray second = new_array(user, values, x.values.dtype(), array_of(a[1], "a").dtype);
  enqueue({first.array, second.array});
  return nb::make_tuple(std::move(first), std::move(second));
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def(
      "lower_bound", &bound<static_cast<Find>(&lower_bound)>, nb::arg("keys"), nb::arg("values"),
      nb::kw_only(), nb::arg("descending") = false, nb::arg("out") = nb::none(),
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def lower_bound(keys: Array, values: Array, *, descending: bool = False, out: Array | None = "
              "None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = "
              "None) -> typing.Any"),
      documented(R"(Indices at which to insert values into sorted keys, before equal keys.

It is numpy.searchsorted with side='left'.

Parameters
----------
keys : Array
    Sorted keys: a contiguous one-dimensional array.
values : Array
    Values to find the place of.
@descending
out : Array, optional
    Array to store the indices in.
@queue
@wait_for

Returns
-------
Array or Event
    Indices (int64). With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.lower_bound(qn.asarray([1, 3, 3, 5]), qn.asarray([3, 4])))
[1 3])")
          .c_str());
  module.def(
      "upper_bound", &bound<static_cast<Find>(&upper_bound)>, nb::arg("keys"), nb::arg("values"),
      nb::kw_only(), nb::arg("descending") = false, nb::arg("out") = nb::none(),
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def upper_bound(keys: Array, values: Array, *, descending: bool = False, out: Array | None = "
              "None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = "
              "None) -> typing.Any"),
      documented(R"(Indices at which to insert values into sorted keys, after equal keys.

It is numpy.searchsorted with side='right'.

Parameters
----------
keys : Array
    Sorted keys: a contiguous one-dimensional array.
values : Array
    Values to find the place of.
@descending
out : Array, optional
    Array to store the indices in.
@queue
@wait_for

Returns
-------
Array or Event
    Indices (int64). With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.upper_bound(qn.asarray([1, 3, 3, 5]), qn.asarray([3, 4])))
[3 3])")
          .c_str());
  module.def(
      "merge", &merge_arrays, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("descending") = false,
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def merge(a: Array, b: Array, *, descending: bool = False, out: Array | None = None, queue: "
              "Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
              "typing.Any"),
      documented(R"(Merge two sorted arrays into one. Of equal elements, those of `a` come first.

Parameters
----------
a : Array
    First sorted array.
b : Array
    Second sorted array.
@descending
out : Array, optional
    Array to store the merged elements in.
@queue
@wait_for

Returns
-------
Array or Event
    The merged elements. With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.merge(qn.asarray([1, 4]), qn.asarray([2, 3])))
[1 2 3 4])")
          .c_str());
  module.def(
      "merge_by_key", &merge_pairs, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("descending") = false,
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def merge_by_key(a: tuple[Array, Array], b: tuple[Array, Array], *, descending: bool = False, "
              "out: tuple[Array, Array] | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      documented(R"(Merge two pairs of sorted keys and their values into one pair.

Parameters
----------
a : tuple of Array
    Sorted keys and their values. Of equal keys, those of `a` come first.
b : tuple of Array
    Sorted keys and their values.
@descending
out : tuple of Array, optional
    Pair of arrays to store the merged keys and values in.
@queue
@wait_for

Returns
-------
tuple of Array, or Event
    Merged keys and values. With `out`, the Event of the work.

Examples
--------
>>> a = qn.asarray([1, 4]), qn.asarray([10, 40])
>>> b = qn.asarray([2, 3]), qn.asarray([20, 30])
>>> keys, values = qn.algorithms.merge_by_key(a, b)
>>> print(keys, values)
[1 2 3 4] [10 20 30 40])")
          .c_str());
}

}  // namespace quern::python
