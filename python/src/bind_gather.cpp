// SPDX-License-Identifier: MIT
// gather, scatter and transpose.
#include <string_view>
#include <utility>

#include "algorithm_arguments.hpp"
#include "current.hpp"
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

nb::object pick(nb::handle x, nb::handle positions, const char* mode, nb::handle out, nb::handle queue,
                nb::handle wait_for) {
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
    value_error("previous: expected an array with combine='exchange', and only then");
  const Queue user = queue_for(queue, to);
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  return without_gil([&] {
    return old != nullptr ? scatter_exchange(user, to, at, from, *old, rule, events)
                          : scatter(user, to, at, from, how, rule, events);
  });
}

nb::object turn(nb::handle matrix, nb::handle out, nb::handle queue, nb::handle wait_for) {
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
      "gather", &pick, nb::arg("x"), nb::arg("positions"), nb::kw_only(), nb::arg("mode") = "drop",
      nb::arg("out") = nb::none(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def gather(x: Array, positions: Array, *, mode: typing.Literal['drop', 'clip', 'wrap', "
              "'raise'] = 'drop', out: Array | None = None, queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> typing.Any"),
      "Gather: x[positions].\n"
      "\n"
      "Out-of-bounds positions, negative ones included, give zero with mode 'drop', the nearest "
      "end with 'clip', and wrap around with 'wrap'. Mode 'raise' checks them first, waits for the "
      "check, and raises an error.");
  module.def(
      "scatter", &put, nb::arg("out"), nb::arg("positions"), nb::arg("values"), nb::kw_only(),
      nb::arg("combine") = "set", nb::arg("mode") = "drop", nb::arg("previous") = nb::none(),
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def scatter(out: Array, positions: Array, values: Array, *, combine: typing.Literal['set', "
              "'add', 'min', 'max', 'and', 'or', 'xor', 'exchange'] = 'set', mode: typing.Literal['drop', "
              "'clip', 'wrap', 'raise'] = 'drop', previous: Array | None = None, queue: Queue | None = None, "
              "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
      "Scatter: out[positions] = values, or an atomic combination with the old elements. Returns "
      "the Event.\n"
      "\n"
      "With `combine` 'add', 'min', 'max', 'and', 'or' or 'xor' every value counts, even if "
      "positions repeat. 'exchange' stores the old elements in `previous`. `mode` treats "
      "out-of-bounds positions as in gather(); 'drop' skips them.");
  module.def("transpose", &turn, nb::arg("matrix"), nb::kw_only(), nb::arg("out") = nb::none(),
             nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
             nb::sig("def transpose(matrix: Array, *, out: Array | None = None, queue: Queue | None = None, "
                     "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> typing.Any"),
             "Transposed copy of a matrix.");
}

}  // namespace quern::python
