// SPDX-License-Identifier: MIT
// Products of matrices and vectors.
#include <nanobind/stl/vector.h>

#include <vector>

#include "current.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

PyArray product(const PyArray& x1, const PyArray& x2) {
  const Array a = x1.array, b = x2.array;
  const Queue queue = queue_for(nb::none(), a);
  return as_python_array(without_gil([&] { return matmul(a, b, &queue); }));
}

PyArray tensor_product(const PyArray& x1, const PyArray& x2, const std::vector<int>& axes_of_x1,
                       const std::vector<int>& axes_of_x2) {
  const Array a = x1.array, b = x2.array;
  const Queue queue = queue_for(nb::none(), a);
  return as_python_array(without_gil([&] { return tensordot(a, b, axes_of_x1, axes_of_x2, &queue); }));
}

PyArray vector_product(const PyArray& x1, const PyArray& x2, int axis) {
  const Array a = x1.array, b = x2.array;
  const Queue queue = queue_for(nb::none(), a);
  return as_python_array(without_gil([&] { return vecdot(a, b, axis, &queue); }));
}

}  // namespace

void bind_matmul(nb::module_& module) {
  module.def("matmul", &product, nb::arg("x1"), nb::arg("x2"));
  module.def("tensordot", &tensor_product, nb::arg("x1"), nb::arg("x2"), nb::arg("axes_of_x1"),
             nb::arg("axes_of_x2"),
             nb::sig("def tensordot(x1: Array, x2: Array, axes_of_x1: collections.abc.Sequence[int], "
                     "axes_of_x2: collections.abc.Sequence[int]) -> Array"));
  module.def("vecdot", &vector_product, nb::arg("x1"), nb::arg("x2"), nb::arg("axis"));
}

}  // namespace quern::python
