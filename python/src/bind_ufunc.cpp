// SPDX-License-Identifier: MIT
// Methods of NumPy's functions of two operands: add.at, add.reduceat and their like.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "current.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "item_index.hpp"
#include "numpy.hpp"
#include "operands.hpp"
#include "quern/ufunc.hpp"

namespace quern::python {
namespace {

std::optional<DType> find_type(nb::handle dtype) {
  if (dtype.is_none()) return {};
  return element_type(native_dtype(dtype));
}

template <class F>
auto on_queue_of(const Array& array, F&& f) {
  const Queue queue = queue_for(nb::none(), array);
  return without_gil([&] {
    const QueueScope scope(queue);
    return f();
  });
}

void update(const std::string& name, const PyArray& self, nb::handle index, nb::handle values) {
  const Array array = self.array;
  const std::vector<ItemIndex> parts = item_index(index, array);
  Operands keeper;
  const auto found = keeper.find(values);
  const Operand operand = found ? *found : keeper.moved(values, queue_for(nb::none(), array));
  on_queue_of(array, [&] { update_at(operation(name), array, parts, operand); });
}

PyArray reduced_at(const std::string& name, const PyArray& self, const std::vector<std::int64_t>& starts,
                   int axis, nb::handle dtype) {
  const Array array = self.array;
  const FoldOptions options{axis, find_type(dtype)};
  return as_python_array(
      on_queue_of(array, [&] { return reduce_at(operation(name), array, starts, options); }));
}

PyArray accumulated(const std::string& name, const PyArray& self, int axis, nb::handle dtype) {
  const Array array = self.array;
  const FoldOptions options{axis, find_type(dtype)};
  return as_python_array(on_queue_of(array, [&] { return accumulate(operation(name), array, options); }));
}

PyArray folded(const std::string& name, const PyArray& self, std::optional<std::vector<int>> axes,
               nb::handle dtype, bool keepdims) {
  const Array array = self.array;
  const std::optional<DType> type = find_type(dtype);
  return as_python_array(on_queue_of(
      array, [&] { return fold(operation(name), array, Over(std::move(axes)), type, keepdims); }));
}

}  // namespace

void bind_ufunc(nb::module_& module) {
  module.def("ufunc_at", &update, nb::arg("name"), nb::arg("x"), nb::arg("index").none(), nb::arg("values"));
  module.def(
      "ufunc_reduceat", &reduced_at, nb::arg("name"), nb::arg("x"), nb::arg("starts"), nb::arg("axis"),
      nb::arg("dtype").none(),
      nb::sig("def ufunc_reduceat(name: str, x: Array, starts: collections.abc.Sequence[int], axis: int, "
              "dtype: numpy.typing.DTypeLike | None) -> Array"));
  module.def("ufunc_accumulate", &accumulated, nb::arg("name"), nb::arg("x"), nb::arg("axis"),
             nb::arg("dtype").none(),
             nb::sig("def ufunc_accumulate(name: str, x: Array, axis: int, dtype: numpy.typing.DTypeLike | "
                     "None) -> Array"));
  module.def(
      "ufunc_reduce", &folded, nb::arg("name"), nb::arg("x"), nb::arg("axes").none(), nb::arg("dtype").none(),
      nb::arg("keepdims"),
      nb::sig("def ufunc_reduce(name: str, x: Array, axes: collections.abc.Sequence[int] | None, dtype: "
              "numpy.typing.DTypeLike | None, keepdims: bool) -> Array"));
}

}  // namespace quern::python
