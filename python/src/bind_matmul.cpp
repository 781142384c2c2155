// SPDX-License-Identifier: MIT
// Products of matrices and vectors.
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

}  // namespace

void bind_matmul(nb::module_& module) {
  module.def("matmul", &product, nb::arg("x1"), nb::arg("x2"));
}

}  // namespace quern::python
