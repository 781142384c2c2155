// SPDX-License-Identifier: MIT
// Indexing of arrays: views, index arrays and masks, and assignment through them.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "item_index.hpp"
#include "numpy.hpp"
#include "operands.hpp"
#include "views.hpp"

namespace quern::python {
namespace {

std::int64_t as_index(nb::handle object) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_IndexError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::optional<std::int64_t> bound(nb::handle object) {
  if (object.is_none()) return {};
  // Bounds may exceed the range of an index.
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

}  // namespace

ItemIndex host_index(nb::handle part, const Array& array) {
  nb::object values = numpy_attribute("asarray")(part);
  const bool is_list = !is_numpy_array(part);
  if (is_list && nb::cast<std::size_t>(values.attr("size")) == 0) values = values.attr("astype")("int64");
  const auto kind = nb::cast<std::string>(values.attr("dtype").attr("kind"));
  if (kind == "b") {
    if (nb::cast<std::size_t>(values.attr("ndim")) == 0) return nb::cast<bool>(nb::bool_(values));
    const nb::object moved =
        nb::module_::import_("quern._array").attr("asarray")(values, nb::arg("device") = array.device());
    return nb::inst_ptr<PyArray>(moved)->array;
  }
  if (kind != "i" && kind != "u")
    index_error("arrays used as indices must be of integers or booleans, got " +
                nb::cast<std::string>(nb::str(nb::object(values.attr("dtype")))));
  if (nb::cast<std::size_t>(values.attr("size")) != 0 && kind == "u") {
    const nb::object most = values.attr("max")();
    if (most > nb::int_(INT64_MAX))
      index_error("index " + nb::cast<std::string>(nb::str(most)) + " is out of bounds for every axis");
  }
  values = numpy_attribute("ascontiguousarray")(values, "int64").attr("reshape")(values.attr("shape"));
  HostPositions positions{shape_of(values.attr("shape")), {}};
  const HostMemory memory(values, false, "index");
  const auto* const first = static_cast<const std::int64_t*>(memory.data());
  positions.values.assign(first, first + memory.size() / sizeof(std::int64_t));
  return positions;
}

namespace {

Index slice_of(PyObject* object) {
  const auto* const slice = reinterpret_cast<const PySliceObject*>(object);
  return Index::slice(bound(slice->start), bound(slice->stop), bound(slice->step).value_or(1));
}

// Appends an integer, a slice, `...` or None to an index; false for any other part.
using BasicIndex = InlineVector<Index, 4>;
[[gnu::always_inline]] inline bool add_basic_part(PyObject* part, BasicIndex& parts) {
  if (PyLong_CheckExact(part)) {
    parts.emplace_back(as_index(part));
  } else if (PySlice_Check(part)) {
    static const Index kAll = Index::slice();
    const auto* const slice = reinterpret_cast<const PySliceObject*>(part);
    if (slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None) {
      parts.push_back(kAll);
    } else {
      parts.push_back(slice_of(part));
    }
  } else if (part == Py_None) {
    parts.push_back(Index::new_axis());
  } else if (part == Py_Ellipsis) {
    parts.push_back(Index::ellipsis());
  } else {
    return false;
  }
  return true;
}

ItemIndex part_of(nb::handle part, const Array& array) {
  PyObject* const p = part.ptr();
  if (BasicIndex basic; add_basic_part(p, basic)) return basic[0];
  if (nb::isinstance<PyArray>(part)) return nb::inst_ptr<PyArray>(part)->array;
  if (PyBool_Check(p)) return p == Py_True;
  if (is_numpy_array(part) || PyList_Check(p) || PyTuple_Check(p) ||
      nb::isinstance(part, numpy_attribute("bool_")))
    return host_index(part, array);
  if (PyIndex_Check(p)) return Index(as_index(part));
  throw ArgumentError(ArgumentError::Kind::index,
                      "an index must consist of integers, slices, ..., None, and arrays or lists of integers "
                      "or booleans; got " +
                          class_name(part));
}

}  // namespace

std::vector<ItemIndex> item_index(nb::handle index, const Array& array) {
  std::vector<ItemIndex> parts;
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle part : nb::borrow<nb::tuple>(index)) parts.push_back(part_of(part, array));
  } else {
    parts.push_back(part_of(index, array));
  }
  return parts;
}

namespace {

bool are_integers(std::span<const ItemIndex> parts) {
  return std::all_of(parts.begin(), parts.end(), [](const ItemIndex& part) {
    const Index* const index = std::get_if<Index>(&part);
    return index != nullptr && index->kind() == Index::Kind::integer;
  });
}

// Fast path: an index of integers, slices, `...` and None; false for any other.
bool read_basic_index(PyObject* index, BasicIndex& parts) {
  if (!PyTuple_Check(index)) return add_basic_part(index, parts);
  const Py_ssize_t count = PyTuple_GET_SIZE(index);
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!add_basic_part(PyTuple_GET_ITEM(index, k), parts)) return false;
  return true;
}

// The integers of an index that selects one element.
using Position = InlineVector<std::int64_t, 4>;
std::optional<Position> position_of(const BasicIndex& index, const Array& array) {
  if (index.size() != array.shape().size()) return {};
  for (const Index& part : index)
    if (part.kind() != Index::Kind::integer) return {};
  std::optional<Position> position(std::in_place);
  for (const Index& part : index) position->push_back(*part.start());
  return position;
}

// Reads or writes without waiting or enqueueing, with the GIL held; nothing if that is not possible.
std::optional<PyArray> get_item_now(nb::handle object, nb::handle index) {
  const PyArray& self = *nb::inst_ptr<PyArray>(object);
  const Array& array = self.array;
  if (!array.in_memory()) return {};
  const bool is_number = array.dtype().scalar != Scalar::structure && array.dtype().lanes == 1;
  std::optional<ElementBytes> element;
  if (PyLong_CheckExact(index.ptr()) && array.shape().size() == 1 && is_number) {
    // The most frequent index, which needs no list.
    const std::int64_t at = as_index(index);
    element = read_element_now(array, {&at, 1});
  } else {
    BasicIndex basic;
    if (!read_basic_index(index.ptr(), basic)) return {};
    const auto position = position_of(basic, array);
    if (!position) return PyArray{view(array, basic), self.dtype, owner_of(object)};
    if (is_number) element = read_element_now(array, *position);
  }
  if (!element) return {};
  return PyArray{element_array(queue_for(nb::none(), array), array.dtype(), *element), self.dtype};
}

bool set_item_now(const PyArray& self, nb::handle index, nb::handle value) {
  if (!self.array.in_memory()) return false;
  const auto operand = find_operand(value);
  if (!operand ||
      (operand->array() != nullptr && !operand->array()->in_memory() && !operand->array()->shape().empty()))
    return false;
  BasicIndex basic;
  if (!read_basic_index(index.ptr(), basic)) return false;
  const auto position = position_of(basic, self.array);
  if (!position)
    return operand->array() != nullptr && copy_elements_now(view(self.array, basic), *operand->array());
  if (operand->array() == nullptr) {
    if (!write_element_now(self.array, *position, operand->number())) return false;
    warn_of_overflow(operand->number(), self.array.dtype());
    return true;
  }
  if (operand->array()->dtype() != self.array.dtype()) return false;
  const auto element = read_element_now(*operand->array(), {});
  return element && write_element_now(self.array, *position, *element);
}

PyArray get_item_of(nb::handle_t<PyArray> self, nb::handle index) {
  if (auto item = get_item_now(self, index)) return std::move(*item);
  if (names_fields(index)) return field_of(self, index);
  const Array array = nb::inst_ptr<PyArray>(self)->array;  // a separate handle, for use without the GIL
  const std::vector<ItemIndex> parts = item_index(index, array);
  const Queue queue = queue_for(nb::none(), array);
  // NumPy returns a scalar here, which does not follow the array; for structured arrays it returns a view.
  const bool is_number = array.dtype().scalar != Scalar::structure && array.dtype().lanes == 1;
  const bool is_element = is_number && are_integers(parts);
  return view_of(self, without_gil([&] {
                   const Array item = get_item(array, parts, &queue);
                   return is_element && item.shape().empty() ? snapshot(item, &queue) : item;
                 }));
}

// A value that is neither an array nor a Python number is converted to an array on the device.
nb::object moved_value(const PyArray& self, nb::handle value) {
  if (value.is_none()) type_error("assignment: expected an array or a number, got None");
  const bool is_number = self.array.dtype().scalar != Scalar::structure && self.array.dtype().lanes == 1;
  const nb::object values =
      is_number ? numpy_attribute("asarray")(value) : numpy_attribute("asarray")(value, self.dtype);
  return nb::module_::import_("quern._array")
      .attr("asarray")(values, nb::arg("device") = self.array.device());
}

void set_item_of(nb::handle_t<PyArray> object, nb::handle index, nb::handle value) {
  const PyArray& self = *nb::inst_ptr<PyArray>(object);
  if (set_item_now(self, index, value)) return;
  if (names_fields(index)) return set_fields(object, index, value);
  const Array array = self.array;
  const std::vector<ItemIndex> parts = item_index(index, array);
  const Queue queue = queue_for(nb::none(), array);
  Operands keeper;
  if (const auto operand = keeper.find(value)) {
    if (operand->array() == nullptr) warn_of_overflow(operand->number(), array.dtype());
    const long spare = spare_handles(value);
    without_gil([&] { set_item(array, parts, *operand, &queue, spare); });
    return;
  }
  const nb::object moved = moved_value(self, value);
  without_gil([&, given = nb::inst_ptr<PyArray>(moved)->array] { set_item(array, parts, given, &queue); });
}

PyArray reshaped(nb::handle_t<PyArray> self, nb::args lengths, nb::handle order, nb::handle copies) {
  const Shape shape = shape_of(lengths.size() == 1 ? nb::handle(lengths[0]) : nb::handle(lengths));
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  const Queue queue = queue_for(nb::none(), array);
  const bool is_c = order.is_none() ||
                    (PyUnicode_Check(order.ptr()) && PyUnicode_CompareWithASCIIString(order.ptr(), "C") == 0);
  if (is_c && copies.is_none())
    return view_of(self, without_gil([&] { return reshape(array, shape, &queue); }));
  const MemoryOrder letter =
      is_c ? MemoryOrder::c : memory_order_of(text_argument(order, "reshape: order"), "reshape", "CFA");
  std::optional<bool> is_copy;
  if (!copies.is_none()) is_copy = flag_argument(copies, "reshape: copy");
  return view_of(self, without_gil([&] {
                   const QueueScope scope(queue);
                   return reshape(array, shape, letter, is_copy);
                 }));
}

PyArray permuted(nb::handle_t<PyArray> self, nb::args axes) {
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  std::optional<std::vector<int>> order;
  if (axes.size() == 1 && !PyIndex_Check(axes[0].ptr())) {
    if (!axes[0].is_none()) order = axes_of(axes[0], "transpose");
  } else if (axes.size() != 0) {
    order = axes_of(axes, "transpose");
  }
  if (order && order->size() != array.shape().size())
    value_error("transpose: " + std::to_string(order->size()) + " axes for an array of " +
                std::to_string(array.shape().size()) + " dimensions");
  return view_of(self, without_gil([&] {
                   return permute_dims(array, order ? std::span<const int>(*order) : std::span<const int>());
                 }));
}

// The function that the interpreter calls for x[index]. The methods would be looked up and called through
// nanobind, which takes longer than reading an element.
PyObject* subscript(PyObject* self, PyObject* index) noexcept {
  return guarded([&] { return array_object(get_item_of(nb::handle_t<PyArray>(self), index)); });
}

int assign_subscript(PyObject* self, PyObject* index, PyObject* value) noexcept {
  PyObject* const done = guarded([&] {
    if (value == nullptr) type_error("cannot delete array elements; use quern.delete");
    set_item_of(nb::handle_t<PyArray>(self), index, value);
    return nb::none();
  });
  Py_XDECREF(done);
  return done != nullptr ? 0 : -1;
}

}  // namespace

void bind_indexing(nb::class_<PyArray>& array) {
  array
      .def("__getitem__", &get_item_of, nb::arg("index").none(),
           nb::sig("def __getitem__(self, index: object, /) -> Array"))
      .def(
          "__iter__",
          [](nb::handle_t<PyArray> self) {
            if (nb::inst_ptr<PyArray>(self)->array.shape().empty()) type_error("iteration over a 0-d array");
            return nb::steal(PySeqIter_New(self.ptr()));
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Array]"))
      .def("__setitem__", &set_item_of, nb::arg("index").none(), nb::arg("value").none(),
           nb::sig("def __setitem__(self, index: object, value: object, /) -> None"))
      .def("reshape", &reshaped, nb::arg("shape"), nb::arg("order") = "C", nb::arg("copy") = nb::none(),
           nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int], order: str | None = 'C', "
                   "copy: bool | None = None) -> Array"),
           R"(Change the shape of the array.

Parameters
----------
*shape : int or sequence of int
    New length of each axis. One of them may be -1: it follows from the number of elements.
order : str, optional
    Order in which elements are read and placed: 'C', 'F', or 'A' for that of the memory.
copy : bool, optional
    True: always copy. False: raise an error if a copy is needed. By default the elements are copied only if needed.

Returns
-------
Array
    A view if the strides allow it, otherwise a copy.

Raises
------
ValueError
    If the number of elements differs, or if copy=False and a copy is needed.

Examples
--------
>>> print(qn.arange(6).reshape(2, -1))
[[0 1 2]
 [3 4 5]])")
      .def("transpose", &permuted, nb::arg("axes"),
           nb::sig("def transpose(self, *axes: int | collections.abc.Sequence[int] | None) -> Array"),
           R"(View with permuted axes.

Parameters
----------
*axes : int or sequence of int
    Axis of the array for each axis of the result; by default the axes are reversed.

Returns
-------
Array
    A view: writes to it change the array.

Raises
------
ValueError
    If the axes are not a permutation.

Examples
--------
>>> qn.zeros((2, 3, 4)).transpose(1, 0, 2).shape
(3, 2, 4))")
      .def_prop_ro(
          "T",
          [](nb::handle_t<PyArray> self) {
            const Array own = nb::inst_ptr<PyArray>(self)->array;
            if (own.in_memory()) return view_of(self, permute_dims(own));
            return view_of(self, without_gil([&] { return permute_dims(own); }));
          },
          nb::sig("def T(self) -> Array"), R"(View with the axes reversed: the transposed array.

Examples
--------
>>> print(qn.asarray([[1, 2], [3, 4]]).T)
[[1 3]
 [2 4]])");
  // Set last, because defining the methods sets these slots, too.
  PyMappingMethods& slots = reinterpret_cast<PyHeapTypeObject*>(array.ptr())->as_mapping;
  slots.mp_subscript = &subscript;
  slots.mp_ass_subscript = &assign_subscript;
}

}  // namespace quern::python
