// SPDX-License-Identifier: MIT
// Arrays in order along an axis.
#include "algorithm_arguments.hpp"
#include "current.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

PyArray argsorted_along(const PyArray& x, int axis, bool descending) {
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return as_python_array(without_gil([&] { return argsort(array, axis, {descending}, &queue); }));
}

}  // namespace

void bind_order(nb::module_& module) {
  module.def("argsorted_along", &argsorted_along, nb::arg("x"), nb::arg("axis"), nb::arg("descending"));
}

}  // namespace quern::python
