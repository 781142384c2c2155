// SPDX-License-Identifier: MIT
// gather, scatter and transpose.
#include <string_view>
#include <utility>

#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

template <class Enum>
using Named = std::pair<std::string_view, Enum>;

template <class Enum, std::size_t n>
Enum named(const Named<Enum> (&names)[n], std::string_view word, const char* what) {
  std::string all;
  for (const auto& [name, value] : names) {
    if (name == word) return value;
    all += (all.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  value_error(std::string(what) + ": expected one of " + all + ", got '" + std::string(word) + "'");
}

constexpr Named<OutOfRange> kRules[] = {{"drop", OutOfRange::drop},
                                        {"clip", OutOfRange::clip},
                                        {"wrap", OutOfRange::wrap},
                                        {"raise", OutOfRange::check}};
constexpr Named<Combine> kCombines[] = {{"set", Combine::set},     {"add", Combine::add},
                                        {"min", Combine::min},     {"max", Combine::max},
                                        {"and", Combine::bit_and}, {"or", Combine::bit_or},
                                        {"xor", Combine::bit_xor}, {"exchange", Combine::exchange}};

nb::object gather_elements(nb::handle x, nb::handle positions, const char* mode, nb::handle out,
                           nb::handle queue, nb::handle wait_for) {
  const PyArray& from = array_of(x, "x");
  const Array& at = array_of(positions, "positions").array;
  const OutOfRange rule = named(kRules, mode, "mode");
  const Queue user = queue_for(queue, from.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return gather(user, from.array, at, to, rule, events); });
  };
  return into(out, enqueue, user, at.shape(), from.array.dtype(), from.dtype);
}

Event put(nb::handle out, nb::handle positions, nb::handle values, const char* combine, const char* mode,
          nb::handle previous, nb::handle queue, nb::handle wait_for) {
  const Array &to = array_of(out, "out").array, &at = array_of(positions, "positions").array,
              &from = array_of(values, "values").array;
  const Array* const old = array_or_none(previous, "previous");
  const Combine how = named(kCombines, combine, "combine");
  const OutOfRange rule = named(kRules, mode, "mode");
  if ((how == Combine::exchange) != (old != nullptr))
    value_error("previous: give an array if, and only if, combine='exchange'");
  const Queue user = queue_for(queue, to);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  return without_gil([&] {
    return old != nullptr ? scatter_exchange(user, to, at, from, *old, rule, events)
                          : scatter(user, to, at, from, how, rule, events);
  });
}

nb::object transposed(nb::handle matrix, nb::handle out, nb::handle queue, nb::handle wait_for) {
  const PyArray& from = array_of(matrix, "matrix");
  const Queue user = queue_for(queue, from.array);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  const Shape shape(from.array.shape().rbegin(), from.array.shape().rend());
  const auto enqueue = [&](const Array& to) {
    return without_gil([&] { return transpose(user, from.array, to, events); });
  };
  return into(out, enqueue, user, shape, from.array.dtype(), from.dtype);
}

}  // namespace

void bind_gather(nb::module_& module) {
  module.def(
      "gather", &gather_elements, nb::arg("x"), nb::arg("positions"), nb::kw_only(), nb::arg("mode") = "drop",
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def gather(x: Array, positions: Array, *, mode: typing.Literal['drop', 'clip', 'wrap', "
              "'raise'] = 'drop', out: Array | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      documented(R"(Gather elements by their positions: x[positions].

Parameters
----------
x : Array
    Contiguous one-dimensional array to read from.
positions : Array
    Positions of the elements to read. Negative positions are out of bounds.
mode : str, optional
    What an out-of-bounds position gives: zero with 'drop', the nearest end with 'clip', a position modulo the length with
    'wrap'. 'raise' checks the positions first, waits for the check, and raises an error.
out : Array, optional
    Array to store the elements in.
@queue
@wait_for

Returns
-------
Array or Event
    The gathered elements. With `out`, the Event of the work.

Raises
------
IndexError
    If a position is out of bounds and mode='raise'.

Examples
--------
>>> print(qn.algorithms.gather(qn.asarray([10, 20, 30]), qn.asarray([2, 0, 7])))
[30 10  0])")
          .c_str());
  module.def(
      "scatter", &put, nb::arg("out"), nb::arg("positions"), nb::arg("values"), nb::kw_only(),
      nb::arg("combine") = "set", nb::arg("mode") = "drop", nb::arg("previous") = nb::none(),
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def scatter(out: Array, positions: Array, values: Array, *, combine: typing.Literal['set', "
              "'add', 'min', 'max', 'and', 'or', 'xor', 'exchange'] = 'set', mode: typing.Literal['drop', "
              "'clip', 'wrap', 'raise'] = 'drop', previous: Array | None = None, queue: Queue | None = None, "
              "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
      documented(
          R"(Scatter values to positions: out[positions] = values, or a combination with the old elements.

Parameters
----------
out : Array
    Contiguous one-dimensional array to write to.
positions : Array
    Position of each value. Negative positions are out of bounds.
values : Array
    Values to write.
combine : str, optional
    'set' writes the values. 'add', 'min', 'max', 'and', 'or' and 'xor' combine them with the old elements; every value
    counts, even if positions repeat. 'exchange' writes the values and stores the old elements in `previous`.
mode : str, optional
    What happens to out-of-bounds positions: 'drop' skips them, 'clip' takes the nearest end, 'wrap' the position modulo the
    length. 'raise' checks the positions first, waits for the check, and raises an error.
previous : Array, optional
    Array that receives the old elements with combine='exchange'.
@queue
@wait_for

Returns
-------
Event
    Event of the work.

Raises
------
IndexError
    If a position is out of bounds and mode='raise'.

Examples
--------
>>> counts = qn.zeros(3, dtype="int32")
>>> ones = qn.ones(4, dtype="int32")
>>> event = qn.algorithms.scatter(counts, qn.asarray([0, 2, 2, 2]), ones, combine="add")
>>> print(counts)
[1 0 3])")
          .c_str());
  module.def("transpose", &transposed, nb::arg("matrix"), nb::kw_only(), nb::arg("out") = nb::none(),
             nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
             nb::sig("def transpose(matrix: Array, *, out: Array | None = None, queue: Queue | None = None, "
                     "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> typing.Any"),
             documented(R"(Transpose a matrix into new memory.

Parameters
----------
matrix : Array
    Array with two axes.
out : Array, optional
    Array to store the result in.
@queue
@wait_for

Returns
-------
Array or Event
    Transposed copy of the matrix. With `out`, the Event of the work.

Examples
--------
>>> print(qn.algorithms.transpose(qn.asarray([[1, 2], [3, 4]])))
[[1 3]
 [2 4]])")
                 .c_str());
}

}  // namespace quern::python
