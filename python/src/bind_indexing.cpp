// SPDX-License-Identifier: MIT
// Indexing of arrays: views, and writing through them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace quern::python {
namespace {

std::int64_t as_index(nb::handle object) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_IndexError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::optional<std::int64_t> bound(nb::handle object) {
  if (object.is_none()) return {};
  // Bounds may be beyond what an index can be.
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

void add_part(std::vector<Index>& parts, nb::handle part) {
  PyObject* const p = part.ptr();
  if (part.is_none()) {
    parts.push_back(Index::new_axis());
  } else if (p == Py_Ellipsis) {
    parts.push_back(Index::ellipsis());
  } else if (PySlice_Check(p)) {
    const auto step = bound(part.attr("step"));
    parts.push_back(Index::slice(bound(part.attr("start")), bound(part.attr("stop")), step.value_or(1)));
  } else if (!PyBool_Check(p) && PyIndex_Check(p) && !nb::isinstance<PyArray>(part)) {
    parts.emplace_back(as_index(part));
  } else {
    throw ArgumentError(ArgumentError::Kind::index,
                        "an index is made of integers, slices, ... and None; got " + class_name(part));
  }
}

std::vector<Index> parts_of(nb::handle index) {
  std::vector<Index> parts;
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle part : nb::borrow<nb::tuple>(index)) add_part(parts, part);
  } else {
    add_part(parts, index);
  }
  return parts;
}

Array view_of(Array array, nb::handle index) {  // a handle of its own, without the GIL
  const std::vector<Index> parts = parts_of(index);
  return without_gil([&] { return view(array, parts); });
}

PyArray get_item(const PyArray& self, nb::handle index) {
  return {view_of(self.array, index), self.dtype};
}

void set_item(const PyArray& self, nb::handle index, nb::handle value) {
  const Array target = view_of(self.array, index);
  const Queue queue = queue_for(nb::none(), target);
  Operands keeper;
  if (const auto operand = keeper.find(value)) {
    const long spare = spare_handles(value);
    without_gil([&] { assign(target, *operand, &queue, spare); });
    return;
  }
  const nb::object moved =
      nb::module_::import_("quern._array")
          .attr("asarray")(numpy_attribute("asarray")(value), nb::arg("device") = target.device());
  without_gil([&] { assign(target, nb::inst_ptr<PyArray>(moved)->array, &queue); });
}

PyArray reshaped(const PyArray& self, nb::args lengths) {
  Shape shape = lengths.size() == 1 && !PyIndex_Check(lengths[0].ptr()) ? Shape() : Shape(lengths.size());
  if (lengths.size() == 1 && shape.empty()) {
    for (nb::handle length : lengths[0]) shape.push_back(as_index(length));
  } else {
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = as_index(lengths[d]);
  }
  const Array array = self.array;
  const Queue queue = queue_for(nb::none(), array);
  return {without_gil([&] { return reshape(array, shape, &queue); }), self.dtype};
}

PyArray permuted(const PyArray& self, nb::args axes) {
  std::vector<int> order;
  const nb::object list = axes.size() == 1 && !PyIndex_Check(axes[0].ptr()) && !axes[0].is_none()
                              ? nb::object(axes[0])
                              : nb::object(axes);
  if (!(axes.size() == 1 && axes[0].is_none()))
    for (nb::handle axis : list) order.push_back(static_cast<int>(as_index(axis)));
  return {without_gil([&, array = self.array] { return permute_dims(array, order); }), self.dtype};
}

}  // namespace

void bind_indexing(nb::class_<PyArray>& array) {
  array.def("__getitem__", &get_item, nb::arg("index"))
      .def(
          "__iter__",
          [](nb::handle self) {
            if (nb::inst_ptr<PyArray>(self)->array.shape().empty()) type_error("iteration over a 0-d array");
            return nb::steal(PySeqIter_New(self.ptr()));
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Array]"))
      .def("__setitem__", &set_item, nb::arg("index"), nb::arg("value"))
      .def("reshape", &reshaped, nb::arg("shape"),
           nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int]) -> Array"),
           "Another shape for the same elements: a view where strides allow, otherwise a copy.")
      .def("transpose", &permuted, nb::arg("axes"),
           nb::sig("def transpose(self, *axes: int | collections.abc.Sequence[int] | None) -> Array"),
           "A view with the axes in another order, backwards when none is given.")
      .def_prop_ro(
          "T",
          [](const PyArray& self) {
            return PyArray{without_gil([array = self.array] { return permute_dims(array); }), self.dtype};
          },
          "A view with the axes backwards.");
}

}  // namespace quern::python
