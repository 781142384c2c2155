// SPDX-License-Identifier: MIT
// copy_if, remove_if, partition, nonzero, unique and run_length_encode.

#include <complex>
#include <deque>
#include <span>

#include "algorithm_arguments.hpp"
#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// A predicate and the values that it borrows.
struct PredicateCall {
  std::deque<std::complex<double>> numbers;
  std::optional<Predicate> predicate;
};

std::string c_name(const DType& dtype) {
  if (dtype.lanes != 1 || dtype.scalar == Scalar::structure || dtype.scalar == Scalar::unknown) return {};
  static const std::pair<Scalar, const char*> kNames[] = {
      {Scalar::boolean, "uchar"},       {Scalar::int8, "char"},
      {Scalar::int16, "short"},         {Scalar::int32, "int"},
      {Scalar::int64, "long"},          {Scalar::uint8, "uchar"},
      {Scalar::uint16, "ushort"},       {Scalar::uint32, "uint"},
      {Scalar::uint64, "ulong"},        {Scalar::float16, "half"},
      {Scalar::float32, "float"},       {Scalar::float64, "double"},
      {Scalar::complex64, "complex64"}, {Scalar::complex128, "complex128"}};
  for (const auto& [scalar, name] : kNames)
    if (scalar == dtype.scalar) return name;
  return {};
}

bool is_floating(const DType& dtype) {
  return dtype.scalar >= Scalar::float16 && dtype.scalar <= Scalar::float64;
}

// A string with named values, or a mask.
PredicateCall predicate_of(const char* what, nb::handle predicate, const PyArray& x,
                           const nb::kwargs& named) {
  PredicateCall call;
  if (nb::isinstance<PyArray>(predicate)) {
    if (named.size() != 0)
      type_error(std::string(what) + ": a mask takes no argument '" + text_of((*named.begin()).first) + "'");
    call.predicate.emplace(nb::inst_ptr<PyArray>(predicate)->array);
    return call;
  }
  if (!nb::isinstance<nb::str>(predicate))
    type_error(std::string(what) + ": predicate: expected a str or a mask, got " + class_name(predicate));
  std::string declared;
  std::vector<KernelArgument> values;
  const auto add_complex = [&](nb::handle number) {
    static const DType kComplex = DType::of(Scalar::complex128);
    const Py_complex given = PyComplex_AsCComplex(number.ptr());
    const std::complex<double>& kept = call.numbers.emplace_back(given.real, given.imag);
    values.emplace_back(std::as_bytes(std::span(&kept, 1)), &kComplex);
  };
  for (auto [key, value] : named) {
    const std::string name = text_of(key);
    std::string type;
    if (nb::isinstance<PyArray>(value)) {
      const Array& array = nb::inst_ptr<PyArray>(value)->array;
      type = c_name(array.dtype());
      if (type.empty())
        type_error(std::string(what) + ": " + name + ": arrays of " + array.dtype().name() +
                   " have no name in a predicate");
      declared += (declared.empty() ? "" : ", ") + ("const " + type + " *" + name);
      values.emplace_back(array);
      continue;
    }
    if (PyBool_Check(value.ptr())) {
      type = "int";
      values.emplace_back(value.ptr() == Py_True ? 1 : 0);
    } else if (PyLong_Check(value.ptr())) {
      type = "long";
      values.emplace_back(nb::cast<std::int64_t>(value));
    } else if (PyFloat_Check(value.ptr()) && !nb::hasattr(value, "dtype")) {
      // A Python float takes the array's dtype, as in NumPy.
      type = is_floating(x.array.dtype())                  ? c_name(x.array.dtype())
             : x.array.dtype().scalar == Scalar::complex64 ? "float"
                                                           : "double";
      values.emplace_back(nb::cast<double>(value));
    } else if (PyComplex_CheckExact(value.ptr())) {
      type = x.array.dtype().scalar == Scalar::complex64 ? "complex64" : "complex128";
      add_complex(value);
    } else if (nb::hasattr(value, "dtype") && nb::hasattr(value, "item")) {  // a NumPy scalar
      type = c_name(element_type(nb::object(value.attr("dtype"))));
      const nb::object item = value.attr("item")();
      if (PyComplex_Check(item.ptr())) {
        add_complex(item);
      } else if (PyFloat_Check(item.ptr())) {
        values.emplace_back(nb::cast<double>(item));
      } else if (type == "ulong") {
        values.emplace_back(nb::cast<std::uint64_t>(item));
      } else if (!type.empty() && PyLong_Check(item.ptr())) {
        values.emplace_back(nb::cast<std::int64_t>(item));
      } else {
        type.clear();
      }
    }
    if (type.empty())
      type_error(std::string(what) + ": " + name + ": expected a number or a quern.Array, got " +
                 class_name(value));
    declared += (declared.empty() ? "" : ", ") + (type + " " + name);
  }
  call.predicate.emplace(text_argument(predicate, std::string(what) + ": predicate"), std::move(declared),
                         std::move(values));
  return call;
}

// The shared keywords of these functions.
struct Options {
  nb::object out = nb::none(), count = nb::none(), queue = nb::none(), wait_for = nb::none();
};

Options options_of(nb::kwargs& named) {
  Options options;
  const auto take = [&](const char* name, nb::object& into) {
    if (!named.contains(name)) return;
    into = named[name];
    nb::del(named[name]);
  };
  take("out", options.out);
  take("count", options.count);
  take("queue", options.queue);
  take("wait_for", options.wait_for);
  if (options.out.is_none() != options.count.is_none())
    type_error("out and count must be given together: count receives the number of elements in out");
  return options;
}

PyArray with_dtype(Array array, const nb::object& dtype) {
  return {std::move(array), dtype};
}

template <class Into, class New>
nb::object filtered(const char* what, nb::handle input, nb::handle predicate, nb::kwargs named,
                    const Into& into, const New& make) {
  const PyArray& x = array_of(input, "x");
  const Options options = options_of(named);
  const Queue queue = queue_for(options.queue, x.array);
  const std::vector<Event> events = events_of(options.wait_for);
  const PredicateCall call = predicate_of(what, predicate, x, named);
  release_kept();
  if (!options.out.is_none()) {
    const Array &out = array_of(options.out, "out").array, &count = array_of(options.count, "count").array;
    return nb::cast(without_gil([&] { return into(queue, x.array, *call.predicate, out, count, events); }));
  }
  if (!events.empty()) without_gil([&] { queue.barrier(events); });
  return make(queue, x, *call.predicate);
}

using IntoFunction = Event (*)(const Queue&, const Array&, const Predicate&, const Array&, const Array&,
                               WaitList);
using NewFunction = Array (*)(const Queue&, const Array&, const Predicate&);

nb::object copy_or_remove(const char* what, IntoFunction into, NewFunction make, nb::handle x,
                          nb::handle predicate, nb::kwargs named) {
  return filtered(what, x, predicate, named, into,
                  [&](const Queue& queue, const PyArray& from, const Predicate& where) {
                    Array result = without_gil([&] { return make(queue, from.array, where); });
                    return nb::cast(with_dtype(std::move(result), from.dtype));
                  });
}

nb::object int64_dtype() {
  return numpy_dtype(nb::str("int64"));
}

// Functions that take only an array. A caller who passes `out` passes `outs` arrays.
struct Plain {
  const PyArray& x;
  Queue queue;
  std::vector<Event> events;
};
Plain plain(nb::handle input, nb::handle queue, nb::handle wait_for) {
  const PyArray& x = array_of(input, "x");
  Plain result{x, queue_for(queue, x.array), events_of(wait_for)};
  release_kept();
  return result;
}
void check_together(nb::handle out, nb::handle count) {
  if (out.is_none() != count.is_none())
    type_error("out and count must be given together: count receives the number of elements in out");
}

nb::object nonzero_of(nb::handle input, nb::handle out, nb::handle count, nb::handle queue,
                      nb::handle wait_for) {
  check_together(out, count);
  const Plain call = plain(input, queue, wait_for);
  if (!out.is_none()) {
    const Array &to = array_of(out, "out").array, &number = array_of(count, "count").array;
    return nb::cast(without_gil([&] { return nonzero(call.queue, call.x.array, to, number, call.events); }));
  }
  Array result = without_gil([&] {
    if (!call.events.empty()) call.queue.barrier(call.events);
    return nonzero(call.queue, call.x.array);
  });
  return nb::cast(with_dtype(std::move(result), int64_dtype()));
}

nb::object unique_of(nb::handle input, bool return_index, bool return_counts, nb::handle out,
                     nb::handle count, nb::handle queue, nb::handle wait_for) {
  check_together(out, count);
  const Plain call = plain(input, queue, wait_for);
  if (!out.is_none()) {
    if (return_index || return_counts)
      type_error("unique: out takes the values alone; run_length_encode puts out lengths too");
    const Array &to = array_of(out, "out").array, &number = array_of(count, "count").array;
    return nb::cast(without_gil([&] { return unique(call.queue, call.x.array, to, number, call.events); }));
  }
  if (!call.events.empty()) without_gil([&] { call.queue.barrier(call.events); });
  if (!return_index && !return_counts) {
    Array result = without_gil([&] { return unique(call.queue, call.x.array); });
    return nb::cast(with_dtype(std::move(result), call.x.dtype));
  }
  Runs runs = without_gil([&] { return run_length_encode(call.queue, call.x.array); });
  nb::list result;
  result.append(with_dtype(std::move(runs.values), call.x.dtype));
  if (return_index) result.append(with_dtype(std::move(runs.starts), int64_dtype()));
  if (return_counts) result.append(with_dtype(std::move(runs.lengths), int64_dtype()));
  return nb::tuple(result);
}

nb::object runs_of(nb::handle input, nb::handle out, nb::handle count, nb::handle queue,
                   nb::handle wait_for) {
  check_together(out, count);
  const Plain call = plain(input, queue, wait_for);
  if (!out.is_none()) {
    if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != 2)
      type_error("out: expected a tuple of two arrays, for values and lengths, got " + class_name(out));
    const Array &values = array_of(out[0], "out[0]").array, &lengths = array_of(out[1], "out[1]").array;
    const Array& number = array_of(count, "count").array;
    return nb::cast(without_gil([&] {
      const Array starts =
          empty(call.queue, {static_cast<std::int64_t>(call.x.array.size())}, DType::of(Scalar::int64));
      return run_length_encode(call.queue, call.x.array, {values, starts, lengths}, number, call.events);
    }));
  }
  Runs runs = without_gil([&] {
    if (!call.events.empty()) call.queue.barrier(call.events);
    return run_length_encode(call.queue, call.x.array);
  });
  return nb::make_tuple(with_dtype(std::move(runs.values), call.x.dtype),
                        with_dtype(std::move(runs.lengths), int64_dtype()));
}

#define QUERN_WAITS \
  "queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None"

}  // namespace

void bind_select(nb::module_& module) {
  module.def(
      "copy_if",
      [](nb::handle x, nb::handle predicate, nb::kwargs named) {
        return copy_or_remove("copy_if", &copy_if, &copy_if, x, predicate, named);
      },
      nb::arg("x"), nb::arg("predicate"), nb::arg("named"),
      nb::sig(
          "def copy_if(x: Array, predicate: str | Array, *, out: Array | None = None, count: Array | None "
          "= None, " QUERN_WAITS ", **arguments: typing.Any) -> typing.Any"),
      documented(R"(Copy the elements for which a predicate is true, in order.

Parameters
----------
x : Array
    Elements to select from: a contiguous one-dimensional array.
@predicate
@selected_out
count : Array, optional
    Array of one uint64 or int64 that receives the number of elements.
@queue
@wait_for
@predicate_arguments

Returns
-------
Array or Event
    The selected elements; the call waits for their number. With `out` it does not wait, and returns the Event of the work.

Raises
------
BuildError
    If the predicate does not compile.

Examples
--------
>>> x = qn.asarray([0.1, 0.7, 0.9])
>>> print(qn.algorithms.copy_if(x, "x[i] > limit", limit=0.5))
[0.7 0.9])")
          .c_str());
  module.def(
      "remove_if",
      [](nb::handle x, nb::handle predicate, nb::kwargs named) {
        return copy_or_remove("remove_if", &remove_if, &remove_if, x, predicate, named);
      },
      nb::arg("x"), nb::arg("predicate"), nb::arg("named"),
      nb::sig("def remove_if(x: Array, predicate: str | Array, *, out: Array | None = None, count: Array | "
              "None = None, " QUERN_WAITS ", **arguments: typing.Any) -> typing.Any"),
      documented(R"(Copy the elements for which a predicate is false, in order.

Parameters
----------
x : Array
    Elements to select from: a contiguous one-dimensional array.
@predicate
@selected_out
count : Array, optional
    Array of one uint64 or int64 that receives the number of elements.
@queue
@wait_for
@predicate_arguments

Returns
-------
Array or Event
    The elements that are left; the call waits for their number. With `out` it does not wait, and returns the Event of the
    work.

Raises
------
BuildError
    If the predicate does not compile.

Examples
--------
>>> print(qn.algorithms.remove_if(qn.asarray([1, -2, 3]), "x[i] < 0"))
[1 3])")
          .c_str());
  module.def(
      "partition",
      [](nb::handle x, nb::handle predicate, nb::kwargs named) {
        const IntoFunction into = &partition;
        return filtered("partition", x, predicate, named, into,
                        [](const Queue& queue, const PyArray& from, const Predicate& where) -> nb::object {
                          auto result = without_gil([&] { return partition(queue, from.array, where); });
                          return nb::make_tuple(
                              with_dtype(std::move(result.first), from.dtype),
                              with_dtype(std::move(result.second), numpy_dtype(nb::str("uint64"))));
                        });
      },
      nb::arg("x"), nb::arg("predicate"), nb::arg("named"),
      nb::sig("def partition(x: Array, predicate: str | Array, *, out: Array | None = None, count: Array | "
              "None = None, " QUERN_WAITS ", **arguments: typing.Any) -> typing.Any"),
      documented(
          R"(Move the elements for which a predicate is true before the others. The order within both groups is kept.

Parameters
----------
x : Array
    Elements to partition: a contiguous one-dimensional array.
@predicate
out : Array, optional
    Array to store the elements in. It is given together with `count`.
count : Array, optional
    Array of one uint64 or int64 that receives the number of elements for which the predicate is true.
@queue
@wait_for
@predicate_arguments

Returns
-------
tuple of Array, or Event
    The elements, and an array of one uint64 with the number of those for which the predicate is true. The call does not
    wait. With `out`, the Event of the work.

Raises
------
BuildError
    If the predicate does not compile.

Examples
--------
>>> elements, count = qn.algorithms.partition(qn.asarray([1, -2, 3, -4]), "x[i] < 0")
>>> print(elements, count)
[-2 -4  1  3] [2])")
          .c_str());
  module.def(
      "nonzero", &nonzero_of, nb::arg("x"), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::arg("count") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def nonzero(x: Array, *, out: Array | None = None, count: Array | None = None, " QUERN_WAITS
              ") -> typing.Any"),
      documented(R"(Indices of the nonzero elements, like numpy.flatnonzero.

Parameters
----------
x : Array
    Elements to test: a contiguous one-dimensional array.
out : Array, optional
    Array to store the indices in. It is given together with `count`. The length of `x`
    always suffices. Of a longer result only the first elements are stored, and `count` is greater than the length of `out`.
count : Array, optional
    Array of one uint64 or int64 that receives the number of indices.
@queue
@wait_for

Returns
-------
Array or Event
    Indices (int64); the call waits for their number. With `out` it does not wait, and returns the Event of the work.

Examples
--------
>>> print(qn.algorithms.nonzero(qn.asarray([0, 5, 0, 7])))
[1 3])")
          .c_str());
  module.def(
      "unique", &unique_of, nb::arg("x"), nb::kw_only(), nb::arg("return_index") = false,
      nb::arg("return_counts") = false, nb::arg("out") = nb::none(), nb::arg("count") = nb::none(),
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def unique(x: Array, *, return_index: bool = False, return_counts: bool = False, out: Array | "
              "None = None, count: Array | None = None, " QUERN_WAITS ") -> typing.Any"),
      documented(R"(First element of each run of equal elements; for a sorted array, its unique values.

Parameters
----------
x : Array
    Contiguous one-dimensional array. Equal neighbours are one run.
return_index : bool, optional
    If True, the start of each run is returned, too.
return_counts : bool, optional
    If True, the length of each run is returned, too.
@selected_out
@count_of_runs
@queue
@wait_for

Returns
-------
Array, tuple of Array, or Event
    The elements; then the starts with `return_index` and the lengths with `return_counts`. The call waits for the number of
    runs. With `out` it
    does not wait, and returns the Event of the work.

Examples
--------
>>> print(qn.algorithms.unique(qn.asarray([1, 1, 2, 5, 5])))
[1 2 5])")
          .c_str());
  module.def(
      "run_length_encode", &runs_of, nb::arg("x"), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::arg("count") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def run_length_encode(x: Array, *, out: tuple[Array, Array] | None = None, count: Array "
              "| None = None, " QUERN_WAITS ") -> typing.Any"),
      documented(R"(Encode runs of equal elements: the value and the length of each run.

Parameters
----------
x : Array
    Contiguous one-dimensional array. Equal neighbours are one run.
out : tuple of Array, optional
    Pair of arrays to store the values and the lengths in. It is given together with `count`. The length of `x`
    always suffices. Of a longer result only the first elements are stored, and `count` is greater than the length of `out`.
@count_of_runs
@queue
@wait_for

Returns
-------
tuple of Array, or Event
    Value and length (int64) of each run; the call waits for the number of runs. With `out` it does not wait, and returns the
    Event of the work.

Examples
--------
>>> values, lengths = qn.algorithms.run_length_encode(qn.asarray([7, 7, 9]))
>>> print(values, lengths)
[7 9] [2 1])")
          .c_str());
}

}  // namespace quern::python
