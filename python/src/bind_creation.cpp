// SPDX-License-Identifier: MIT
// Arrays of evenly spaced numbers, and matrices by their diagonals.
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

template <auto triangle>
PyArray triangle_of(const PyArray& x, nb::handle k) {
  const std::int64_t offset = offset_of(k);
  const Array array = x.array;
  const Queue queue = queue_for(nb::none(), array);
  return {without_gil([&] { return triangle(array, offset, &queue); }), x.dtype};
}

PyArray linspace_of(nb::handle start, nb::handle stop, std::int64_t count, nb::handle dtype, bool endpoint,
                    nb::handle device, nb::handle queue) {
  nb::object numpy_type = native_dtype(dtype);
  const Number first = number_of(start, "linspace"), last = number_of(stop, "linspace");
  const Queue user = queue_on(device, queue);
  return {without_gil([&, element = element_type(numpy_type)] {
            return linspace(user, first, last, count, element, endpoint);
          }),
          std::move(numpy_type)};
}

PyArray eye_of(std::int64_t rows, std::int64_t columns, nb::handle k, nb::handle dtype, nb::handle device,
               nb::handle queue) {
  nb::object numpy_type = native_dtype(dtype);
  const std::int64_t offset = offset_of(k);
  const Queue user = queue_on(device, queue);
  return {without_gil(
              [&, element = element_type(numpy_type)] { return eye(user, rows, columns, element, offset); }),
          std::move(numpy_type)};
}

}  // namespace

void bind_creation(nb::module_& module) {
  module.def("linspace", &linspace_of, nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("dtype"),
             nb::arg("endpoint"), nb::arg("device").none(), nb::arg("queue").none(),
             nb::sig("def linspace(start: complex, stop: complex, count: int, dtype: numpy.typing.DTypeLike, "
                     "endpoint: bool, device: Device | str | None, queue: Queue | None) -> Array"));
  module.def("eye", &eye_of, nb::arg("rows"), nb::arg("columns"), nb::arg("k"), nb::arg("dtype"),
             nb::arg("device").none(), nb::arg("queue").none(),
             nb::sig("def eye(rows: int, columns: int, k: int, dtype: numpy.typing.DTypeLike, device: Device "
                     "| str | None, queue: Queue | None) -> Array"));
  module.def(
      "diagonal",
      [](const PyArray& x, nb::handle k, std::int64_t first, std::int64_t second) {
        const std::int64_t offset = offset_of(k);
        return PyArray{without_gil([&, array = x.array] { return diagonal(array, offset, first, second); }),
                       x.dtype};
      },
      nb::arg("x"), nb::arg("offset"), nb::arg("axis1"), nb::arg("axis2"),
      nb::sig("def diagonal(x: Array, offset: int, axis1: int, axis2: int) -> Array"));
  module.def("tril", &triangle_of<&tril>, nb::arg("x"), nb::arg("k"),
             nb::sig("def tril(x: Array, k: int) -> Array"));
  module.def("triu", &triangle_of<&triu>, nb::arg("x"), nb::arg("k"),
             nb::sig("def triu(x: Array, k: int) -> Array"));
}

}  // namespace quern::python
