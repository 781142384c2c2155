// SPDX-License-Identifier: MIT
// Histograms and bincount; algorithms.py gives them NumPy's forms.

#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// Counts are int64, sums of weights float64.
nb::object into_table(nb::handle out, std::size_t count, const Array* weights, const Queue& queue,
                      auto&& enqueue) {
  const Scalar scalar = weights != nullptr ? Scalar::float64 : Scalar::int64;
  const nb::object numpy_type = numpy_dtype(nb::str(weights != nullptr ? "float64" : "int64"));
  return into(out, enqueue, queue, {static_cast<std::int64_t>(count)}, DType::of(scalar), numpy_type);
}

nb::object uniform(nb::handle x, std::size_t count, double low, double high, nb::handle weights,
                   nb::handle out, nb::handle queue, nb::handle wait_for) {
  const Array& elements = array_of(x, "x").array;
  const Array* const by = array_or_none(weights, "weights");
  const Queue user = queue_for(queue, elements);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  return into_table(out, count, by, user, [&](const Array& to) {
    return without_gil([&] {
      return histogram(user, elements, UniformBins{count, low, high}, to, by, events);
    });
  });
}

nb::object by_edges(nb::handle x, nb::handle edges, nb::handle weights, nb::handle out, nb::handle queue,
                    nb::handle wait_for) {
  const Array &elements = array_of(x, "x").array, &limits = array_of(edges, "bins").array;
  const Array* const by = array_or_none(weights, "weights");
  const Queue user = queue_for(queue, elements);
  const std::vector<Event> events = events_of(wait_for);
  if (limits.size() == 0) value_error("bins: expected at least one edge");
  release_kept();
  return into_table(out, limits.size() - 1, by, user, [&](const Array& to) {
    return without_gil([&] { return histogram(user, elements, limits, to, by, events); });
  });
}

nb::object count_values(nb::handle x, nb::handle weights, std::size_t min_length, nb::handle out,
                        nb::handle queue, nb::handle wait_for) {
  const Array& elements = array_of(x, "x").array;
  const Array* const by = array_or_none(weights, "weights");
  const Queue user = queue_for(queue, elements);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  if (!out.is_none()) {
    const Array& to = array_of(out, "out").array;
    return nb::cast(without_gil([&] { return bincount(user, elements, to, by, events); }));
  }
  Array result = without_gil([&] {
    if (!events.empty()) user.barrier(events);
    return bincount(user, elements, min_length, by);
  });
  return nb::cast(PyArray{std::move(result), numpy_dtype(nb::str(by != nullptr ? "float64" : "int64"))});
}

}  // namespace

void bind_histogram(nb::module_& module) {
  module.def(
      "histogram_uniform", &uniform, nb::arg("x"), nb::arg("count"), nb::arg("low"), nb::arg("high"),
      nb::arg("weights").none(), nb::arg("out").none(), nb::arg("queue").none(), nb::arg("wait_for").none(),
      nb::sig("def histogram_uniform(x: Array, count: int, low: float, high: float, weights: Array | None, "
              "out: Array | None, queue: Queue | None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None) -> typing.Any"));
  module.def(
      "histogram_by_edges", &by_edges, nb::arg("x"), nb::arg("edges"), nb::arg("weights").none(),
      nb::arg("out").none(), nb::arg("queue").none(), nb::arg("wait_for").none(),
      nb::sig("def histogram_by_edges(x: Array, edges: Array, weights: Array | None, out: Array | None, "
              "queue: Queue | None, wait_for: Event | collections.abc.Sequence[Event] | None) -> "
              "typing.Any"));
  module.def(
      "finite_range",
      [](nb::handle x, nb::handle queue) {
        const Array& elements = array_of(x, "x").array;
        const Queue user = queue_for(queue, elements);
        return without_gil([&] { return finite_range(user, elements); });
      },
      nb::arg("x"), nb::arg("queue").none(),
      nb::sig("def finite_range(x: Array, queue: Queue | None) -> tuple[float, float]"));
  module.def(
      "bincount", &count_values, nb::arg("x"), nb::arg("weights") = nb::none(), nb::arg("minlength") = 0,
      nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def bincount(x: Array, weights: Array | None = None, minlength: int = 0, *, out: Array | None "
              "= None, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None "
              "= None) -> typing.Any"),
      documented(
          R"(Count the occurrences of each value in an array of non-negative integers, or sum their weights.

Parameters
----------
x : Array
    Non-negative integers.
weights : Array, optional
    Weight of each element; by default each element counts 1.
minlength : int, optional
    Minimum length of the result.
out : Array, optional
    Array to store the counts in. Values that are out of bounds for it are skipped.
@queue
@wait_for

Returns
-------
Array or Event
    Counts (int64) or sums of weights (float64); the call waits for the maximum of `x`. With `out` it does not wait, and
    returns the Event of the work.

Examples
--------
>>> print(qn.algorithms.bincount(qn.asarray([0, 1, 1, 3])))
[1 2 0 1])")
          .c_str());
}

}  // namespace quern::python
