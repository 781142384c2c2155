// SPDX-License-Identifier: MIT
// The diagonals of matrices.
#include <algorithm>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace quern::python {
namespace {

// An offset that is beyond 64 bits is beyond every matrix.
std::int64_t offset_of(nb::handle k) {
  const auto index = nb::steal(PyNumber_Index(k.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0 ? value : overflow < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace

void bind_creation(nb::module_& module) {
  module.def(
      "diagonal",
      [](const PyArray& x, nb::handle k, std::int64_t first, std::int64_t second) {
        const std::int64_t offset = offset_of(k);
        return PyArray{without_gil([&, array = x.array] { return diagonal(array, offset, first, second); }),
                       x.dtype};
      },
      nb::arg("x"), nb::arg("offset"), nb::arg("axis1"), nb::arg("axis2"),
      nb::sig("def diagonal(x: Array, offset: int, axis1: int, axis2: int) -> Array"));
}

}  // namespace quern::python
