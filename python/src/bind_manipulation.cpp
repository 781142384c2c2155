// SPDX-License-Identifier: MIT
// Arrays joined, turned, repeated and padded, and positions of elements.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "generator_call.hpp"
#include "operands.hpp"

namespace quern::python {
namespace {

std::optional<Axes> axes_or_none(nb::handle axes, const char* function) {
  if (axes.is_none()) return {};
  return axes_of(axes, function);
}

// f(array, queue) without the GIL, as an array of the same NumPy dtype.
template <class F>
PyArray moved(const PyArray& x, const F& f) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return {without_gil([&] { return f(array, &queue); }), x.dtype};
}

PyArray stacked(nb::handle arrays, nb::handle axis, nb::handle dtype) {
  std::vector<Array> all;
  std::optional<DType> element;
  if (!dtype.is_none()) element = element_type(native_dtype(dtype));
  for (nb::handle one : arrays) all.push_back(array_of(one, "stack").array);
  if (all.empty()) value_error("stack: there is nothing to join");
  const int at = axis_of(axis, "stack");
  const Queue queue = queue_for(nb::none(), all.front());
  return as_python_array(without_gil([&] { return stack(all, at, element, &queue); }));
}

PyArray padded_with(const PyArray& x, const PadWidths& widths, nb::handle values) {
  std::vector<std::pair<Number, Number>> numbers;
  const auto number = [](nb::handle value) {
    Operands keeper;
    const Operand operand = keeper.get(value, "pad");
    if (operand.array() != nullptr) type_error("pad: expected a number, got an array");
    return operand.number();
  };
  for (nb::handle pair : values) numbers.emplace_back(number(pair[0]), number(pair[1]));
  return moved(x, [&](const Array& array, const Queue* queue) { return pad(array, widths, numbers, queue); });
}

void put_along(const PyArray& x, const PyArray& positions, nb::handle values, nb::handle axis) {
  Operands keeper;
  const Operand given = keeper.get(values, "put_along_axis");
  const int at = axis_of(axis, "put_along_axis");
  const Array array = x.array, where = positions.array;
  const Queue queue = queue_for(nb::none(), array);
  without_gil([&] { put_along_axis(array, where, given, at, &queue); });
}

nb::tuple nonzero_of(const PyArray& x) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  const std::vector<Array> found = without_gil([&] { return nonzero_indices(array, &queue); });
  nb::list result;
  for (const Array& one : found) result.append(as_python_array(one));
  return nb::tuple(result);
}

PyArray sorted_places(const PyArray& x, const PyArray& values, bool is_right, nb::handle sorter) {
  const Array keys = x.array, wanted = values.array;
  std::optional<Array> order;
  if (!sorter.is_none()) order = array_of(sorter, "sorter").array;
  const Queue queue = queue_for(nb::none(), keys);
  return as_python_array(
      without_gil([&] { return searchsorted(keys, wanted, is_right, order ? &*order : nullptr, &queue); }));
}

}  // namespace

void bind_manipulation(nb::module_& module, nb::class_<PyArray>& array) {
  array
      .def(
          "put",
          [](nb::handle self, nb::handle indices, nb::handle values, nb::handle mode) {
            nb::module_::import_("quern").attr("put")(self, indices, values, mode);
          },
          nb::arg("indices"), nb::arg("values"), nb::arg("mode") = "raise",
          nb::sig("def put(self, indices: object, values: object, mode: str = 'raise') -> None"),
          "Writes values to these positions of the flat array.")
      .def(
          "choose",
          [](nb::handle self, nb::handle choices, nb::handle mode) {
            return nb::object(nb::module_::import_("quern").attr("choose")(self, choices, mode));
          },
          nb::arg("choices"), nb::arg("mode") = "raise",
          nb::sig("def choose(self, choices: object, mode: str = 'raise') -> Array"),
          "For each element the one of the choices that it counts.");

  module.def(
      "broadcast_to",
      [](const PyArray& x, nb::handle shape) {
        const Shape lengths = shape_of(shape);
        return moved(x, [&](const Array& given, const Queue*) { return broadcast_to(given, lengths); });
      },
      nb::arg("x"), nb::arg("shape"),
      nb::sig("def broadcast_to(x: Array, shape: int | collections.abc.Sequence[int]) -> Array"));
  module.def(
      "squeeze",
      [](const PyArray& x, nb::handle axis) {
        const auto axes = axes_or_none(axis, "squeeze");
        return moved(x, [&](const Array& given, const Queue*) { return squeeze(given, axes); });
      },
      nb::arg("x"), nb::arg("axis").none(),
      nb::sig("def squeeze(x: Array, axis: int | collections.abc.Sequence[int] | None) -> Array"));
  module.def("stack", &stacked, nb::arg("arrays"), nb::arg("axis"), nb::arg("dtype").none(),
             nb::sig("def stack(arrays: collections.abc.Sequence[Array], axis: int, dtype: "
                     "numpy.typing.DTypeLike | None) -> Array"));
  module.def("pad_constant", &padded_with, nb::arg("x"), nb::arg("widths"), nb::arg("values"),
             nb::sig("def pad_constant(x: Array, widths: collections.abc.Sequence[tuple[int, int]], values: "
                     "collections.abc.Sequence[tuple[complex, complex]]) -> Array"));
  module.def(
      "take_along_axis",
      [](const PyArray& x, const PyArray& positions, nb::handle axis) {
        const int at = axis_of(axis, "take_along_axis");
        const Array where = positions.array;
        return moved(x, [&](const Array& given, const Queue* queue) {
          return take_along_axis(given, where, at, queue);
        });
      },
      nb::arg("x"), nb::arg("positions"), nb::arg("axis"),
      nb::sig("def take_along_axis(x: Array, positions: Array, axis: int) -> Array"));
  module.def("put_along_axis", &put_along, nb::arg("x"), nb::arg("positions"), nb::arg("values"),
             nb::arg("axis"),
             nb::sig("def put_along_axis(x: Array, positions: Array, values: Array | complex, axis: int) -> "
                     "None"));
  module.def("nonzero_indices", &nonzero_of, nb::arg("x"),
             nb::sig("def nonzero_indices(x: Array) -> tuple[Array, ...]"));
  module.def("searchsorted", &sorted_places, nb::arg("x"), nb::arg("values"), nb::arg("is_right"),
             nb::arg("sorter").none(),
             nb::sig("def searchsorted(x: Array, values: Array, is_right: bool, sorter: Array | None) -> "
                     "Array"));
  module.def(
      "shares_memory",
      [](const PyArray& a, const PyArray& b) {
        return without_gil(
            [x = a.array, y = b.array] { return x.buffer().allocation() == y.buffer().allocation(); });
      },
      nb::arg("a"), nb::arg("b"), "Whether they are views of one allocation.");
}

}  // namespace quern::python
