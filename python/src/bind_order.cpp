// SPDX-License-Identifier: MIT
// Arrays in order along an axis, and what is in them once.
#include <vector>

#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

PyArray sorted_along(const PyArray& x, int axis, bool descending) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return {without_gil([&] { return sort(array, axis, {descending}, &queue); }), x.dtype};
}

PyArray argsorted_along(const PyArray& x, int axis, bool descending) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return as_python_array(without_gil([&] { return argsort(array, axis, {descending}, &queue); }));
}

PyArray lexsorted(nb::handle keys, int axis) {
  std::vector<Array> all;
  for (nb::handle key : keys) all.push_back(array_of(key, "keys").array);
  if (all.empty()) value_error("lexsort: expected keys, got none");
  const Queue queue = queue_for(nb::none(), all.front());
  return as_python_array(without_gil([&] { return lexsort(all, axis, &queue); }));
}

nb::tuple unique_of(const PyArray& x, bool equal_nan) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  Unique found = without_gil([&] { return unique_all(array, equal_nan, &queue); });
  return nb::make_tuple(PyArray{std::move(found.values), x.dtype}, as_python_array(std::move(found.indices)),
                        as_python_array(std::move(found.inverse)), as_python_array(std::move(found.counts)));
}

PyArray unique_values_of(const PyArray& x, bool equal_nan) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return {without_gil([&] { return unique_values(array, equal_nan, &queue); }), x.dtype};
}

}  // namespace

void bind_order(nb::module_& module) {
  module.def("sorted_along", &sorted_along, nb::arg("x"), nb::arg("axis"), nb::arg("descending"));
  module.def("argsorted_along", &argsorted_along, nb::arg("x"), nb::arg("axis"), nb::arg("descending"));
  module.def("lexsort", &lexsorted, nb::arg("keys"), nb::arg("axis"),
             nb::sig("def lexsort(keys: collections.abc.Sequence[Array], axis: int) -> Array"));
  module.def("unique_all", &unique_of, nb::arg("x"), nb::arg("equal_nan"),
             nb::sig("def unique_all(x: Array, equal_nan: bool) -> tuple[Array, Array, Array, Array]"));
  module.def("unique_values", &unique_values_of, nb::arg("x"), nb::arg("equal_nan"));
}

}  // namespace quern::python
