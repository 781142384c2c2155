// SPDX-License-Identifier: MIT
// sort, argsort and sort_by_key.
#include "binding.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

const PyArray& array_of(nb::handle object, const char* what) {
  if (!nb::isinstance<PyArray>(object))
    type_error(std::string(what) + ": expected quern.Array, got " + class_name(object));
  return *nb::inst_ptr<PyArray>(object);
}

PyArray new_array(const Queue& queue, const Shape& shape, const DType& dtype, const nb::object& numpy_type) {
  return {without_gil([&] { return empty(queue, shape, dtype); }), numpy_type};
}

// Enqueues into `out`; or into a new array, which is what the caller then gets.
template <class Enqueue>
nb::object into(nb::handle out, Enqueue&& enqueue, const Queue& queue, const Shape& shape, const DType& dtype,
                const nb::object& numpy_type) {
  if (!out.is_none()) return nb::cast(enqueue(array_of(out, "out")));
  PyArray result = new_array(queue, shape, dtype, numpy_type);
  enqueue(result);
  return nb::cast(std::move(result));
}

nb::object sort_keys(nb::handle keys, bool descending, nb::handle out, nb::handle queue,
                     nb::handle wait_for) {
  const PyArray& x = array_of(keys, "keys");
  const Queue user = queue_for(queue, x.array.buffer());
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const PyArray& to) {
    return without_gil([&] { return sort(user, x.array, to.array, {descending}, events); });
  };
  return into(out, enqueue, user, x.array.shape(), x.array.dtype(), x.dtype);
}

nb::object argsort_keys(nb::handle keys, bool descending, nb::handle out, nb::handle queue,
                        nb::handle wait_for) {
  const PyArray& x = array_of(keys, "keys");
  const Queue user = queue_for(queue, x.array.buffer());
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const PyArray& to) {
    return without_gil([&] { return argsort(user, x.array, to.array, {descending}, events); });
  };
  const nb::object numpy_type = out.is_none() ? numpy_dtype(nb::str("int64")) : nb::object();
  return into(out, enqueue, user, x.array.shape(), DType::of(Scalar::int64), numpy_type);
}

nb::object sort_pairs(nb::handle keys, nb::handle values, bool descending, nb::handle out, nb::handle queue,
                      nb::handle wait_for) {
  const PyArray &x = array_of(keys, "keys"), &y = array_of(values, "values");
  const Queue user = queue_for(queue, x.array.buffer());
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const PyArray& to, const PyArray& values_to) {
    return without_gil(
        [&] { return sort_by_key(user, x.array, y.array, to.array, values_to.array, {descending}, events); });
  };
  if (!out.is_none()) {
    if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != 2)
      type_error("out: expected a tuple of two arrays, for keys and values, got " + class_name(out));
    return nb::cast(enqueue(array_of(out[0], "out[0]"), array_of(out[1], "out[1]")));
  }
  PyArray first = new_array(user, x.array.shape(), x.array.dtype(), x.dtype);
  PyArray second = new_array(user, y.array.shape(), y.array.dtype(), y.dtype);
  enqueue(first, second);
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
      "The keys in order, NaNs last. With `out`, which may be `keys`, it returns the event.");
  module.def(
      "argsort", &argsort_keys, nb::arg("keys"), nb::kw_only(), nb::arg("descending") = false,
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def argsort(keys: Array, *, descending: bool = False, out: Array | None = None, queue: "
              "Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
              "typing.Any"),
      "The positions (int64) that put the keys in order; equal keys stay as they are. With `out`, of any "
      "integer dtype of 32 or 64 bits, it returns the event.");
  module.def(
      "sort_by_key", &sort_pairs, nb::arg("keys"), nb::arg("values"), nb::kw_only(),
      nb::arg("descending") = false, nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def sort_by_key(keys: Array, values: Array, *, descending: bool = False, out: tuple[Array, "
              "Array] | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      "Keys in order and the values that belong to them, of any dtype; equal keys stay as they are. "
      "With `out`, a pair of arrays, it returns the event.");
}

}  // namespace quern::python
