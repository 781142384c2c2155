// SPDX-License-Identifier: MIT
// What an array says of itself (shape, dtype, memory, base), what of it can be set, and views of the same
// bytes: other dtypes, members of structures, real and imaginary parts.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "operands.hpp"
#include "views.hpp"

namespace quern::python {
namespace {

using ArrayHandle = nb::handle_t<PyArray>;

PyArray& python_array(nb::handle object) {
  return *nb::inst_ptr<PyArray>(object);
}

[[noreturn]] void attribute_error(const std::string& text) {
  PyErr_SetString(PyExc_AttributeError, text.c_str());
  throw nb::python_error();
}

nb::object from_python(const char* function) {
  return nb::module_::import_("quern._ndarray").attr(function);
}

// Whether the memory holds the elements and nothing else.
bool is_whole(const Array& array) {
  return array.offset() == 0 && array.buffer().size() == array.nbytes();
}

// A view of an expression has kept no reference to the expression's array. Its base is made here: all
// elements of the memory, as an array of one dimension.
nb::object base_of(ArrayHandle self) {
  PyArray& view = python_array(self);
  if (view.base.is_valid()) return view.base;
  const Array array = view.array;
  if (without_gil([&] { return is_whole(array); })) return nb::none();
  const Buffer& buffer = array.buffer();
  const std::size_t itemsize = array.dtype().itemsize;
  if (itemsize == 0 || buffer.size() % itemsize != 0) return nb::cast(buffer);
  const auto count = static_cast<std::int64_t>(buffer.size() / itemsize);
  view.base = nb::cast(PyArray{Array(buffer, array.dtype(), {count}), view.dtype});
  return view.base;
}

void set_shape(ArrayHandle self, nb::handle shape) {
  const Array array = python_array(self).array;
  const Queue queue = queue_for(nb::none(), array);
  if (PyUnicode_Check(shape.ptr()) || (!PyIndex_Check(shape.ptr()) && !PySequence_Check(shape.ptr())))
    type_error("shape: expected an integer or a sequence of them, got " + class_name(shape));
  const Shape lengths = shape_of(shape);
  Array reshaped = without_gil([&] { return reshape(array, lengths, &queue); });
  if (array.size() != 0 && !are_in_one_allocation(array, reshaped))
    attribute_error("shape: these elements have no such shape without a copy; use x = x.reshape(shape)");
  python_array(self).array = std::move(reshaped);
}

// A member of NumPy's: its offset, and a dtype that may be a sub-array.
PyArray member_view(nb::handle self, const std::string& name, nb::object dtype, std::size_t offset) {
  StructField member;
  member.name = name;
  member.offset = offset;
  if (const nb::object sub = dtype.attr("subdtype"); !sub.is_none()) {
    for (nb::handle length : nb::object(sub[nb::int_(1)])) {
      member.shape.push_back(nb::cast<std::size_t>(length));
      member.count *= member.shape.back();
    }
    dtype = sub[nb::int_(0)];
  }
  member.dtype = element_type(dtype);
  PyArray result =
      view_of(self, without_gil([&, array = python_array(self).array] { return field(array, member); }));
  result.dtype = std::move(dtype);
  return result;
}

PyArray get_field(ArrayHandle self, nb::handle dtype, std::size_t offset) {
  return member_view(self, {}, numpy_dtype(dtype), offset);
}

void set_field(ArrayHandle self, nb::handle value, nb::handle dtype, std::size_t offset) {
  nb::cast(get_field(self, dtype, offset))[nb::ellipsis()] = value;
}

PyArray viewed_as(ArrayHandle self, nb::handle dtype, nb::handle type) {
  const Array array = python_array(self).array;
  const nb::handle array_type = nb::type<PyArray>();
  const auto is_array_type = [](nb::handle object) {
    return PyType_Check(object.ptr()) != 0 &&
           PyObject_IsSubclass(object.ptr(), numpy_attribute("ndarray").ptr()) == 1;
  };
  const nb::handle wanted = type.is_none() && is_array_type(dtype) ? dtype : type;
  if (!wanted.is_none() && !wanted.is(array_type))
    type_error("view: an array of Quern's is of no other class than quern.Array, got " + text_of(wanted) +
               "; numpy.asarray(x) is NumPy's array");
  if (dtype.is_none() || dtype.is(array_type) || dtype.is(wanted))
    return view_of(self, without_gil([&] { return view(array, {Index::ellipsis()}); }));
  nb::object numpy_type = numpy_dtype(dtype);
  const DType element = element_type(numpy_type);
  PyArray result = view_of(self, without_gil([&] { return view_as(array, element); }));
  result.dtype = std::move(numpy_type);
  return result;
}

bool is_complex(const Array& array) {
  return array.dtype().lanes == 1 &&
         (array.dtype().scalar == Scalar::complex64 || array.dtype().scalar == Scalar::complex128);
}

PyArray part_view(ArrayHandle self, bool is_imaginary) {
  const bool is_single = python_array(self).array.dtype().scalar == Scalar::complex64;
  const std::size_t size = is_single ? 4 : 8;
  return member_view(self, is_imaginary ? "imag" : "real",
                     numpy_dtype_of(DType::of(is_single ? Scalar::float32 : Scalar::float64)),
                     is_imaginary ? size : 0);
}

nb::object part_of(ArrayHandle self, bool is_imaginary) {
  const Array& array = python_array(self).array;
  // Of a temporary, a view cannot be told from a new array.
  if (!is_complex(array) || (!array.in_memory() && is_temporary(self)))
    return nb::module_::import_("quern").attr(is_imaginary ? "imag" : "real")(self);
  return nb::cast(part_view(self, is_imaginary));
}

void set_part(ArrayHandle self, nb::handle value, bool is_imaginary) {
  if (is_complex(python_array(self).array)) {
    nb::cast(part_view(self, is_imaginary))[nb::ellipsis()] = value;
    return;
  }
  if (is_imaginary) type_error("imag: an array of real numbers has no imaginary part to set");
  self[nb::ellipsis()] = value;
}

bool is_writeable(const Array& array) {
  return array.buffer().access() != Access::read_only;
}

// As NumPy: a view becomes writeable where its base is.
void set_flags(ArrayHandle self, nb::handle write, nb::handle align, nb::handle uic) {
  const auto is_asked = [](nb::handle flag) { return !flag.is_none() && PyObject_IsTrue(flag.ptr()) == 1; };
  if (is_asked(uic)) value_error("setflags: uic: no array of Quern's is a copy that is written back");
  if (!align.is_none() && !is_asked(align))
    value_error("setflags: align: elements of arrays are always aligned");
  if (write.is_none()) return;
  const Array array = python_array(self).array;
  const bool was_writeable = without_gil([&] { return is_writeable(array); });
  if (was_writeable == is_asked(write)) return;
  if (was_writeable) {
    python_array(self).array = read_only(array);
    return;
  }
  const nb::object base = base_of(self);
  const bool is_own =
      base.is_none() ||
      (nb::isinstance<PyArray>(base) && is_writeable(python_array(base).array) &&
       (python_array(base).array.dtype() == array.dtype() || array.dtype().scalar != Scalar::structure));
  const Buffer& memory = array.buffer();
  if (!memory.is_frozen() || !is_own)
    value_error("setflags: write: this memory must not be written; copy the array first");
  const Buffer open =
      Buffer(memory.allocation(), memory.offset() + memory.size()).sub_buffer(memory.offset(), memory.size());
  python_array(self).array = Array(open, array.dtype(), array.shape(), array.strides(), array.offset());
}

// In new memory, which does not disturb views of the old one.
void resize_in_place(ArrayHandle self, nb::args lengths, nb::handle /*refcheck*/) {
  if (lengths.size() == 0 || (lengths.size() == 1 && lengths[0].is_none())) return;
  const Shape shape = shape_of(lengths.size() == 1 ? nb::handle(lengths[0]) : nb::handle(lengths));
  if (!base_of(self).is_none())
    value_error("resize: the array is a view and does not own its memory; use quern.resize(x, shape)");
  const Array array = python_array(self).array;
  const Queue queue = queue_for(nb::none(), array);
  python_array(self).array = without_gil([&] {
    const QueueScope scope(queue);
    const bool is_fortran = !array.contiguous() && is_fortran_contiguous(array);
    const MemoryOrder order = is_fortran ? MemoryOrder::fortran : MemoryOrder::c;
    const std::size_t count = element_count(shape, array.dtype().itemsize);
    Array made = zeros(queue, {static_cast<std::int64_t>(count)}, array.dtype());
    if (const auto kept = static_cast<std::int64_t>(std::min(count, array.size())); kept != 0) {
      const Index part = Index::slice(0, kept);
      assign(view(made, {part}), view(ravel(array, order), {part}));
    }
    return reshape(made, shape, order);
  });
}

}  // namespace

bool names_fields(nb::handle index) {
  if (PyUnicode_Check(index.ptr())) return true;
  if (!PyList_Check(index.ptr()) || PyList_GET_SIZE(index.ptr()) == 0) return false;
  for (nb::handle one : nb::borrow<nb::list>(index))
    if (!PyUnicode_Check(one.ptr())) return false;
  return true;
}

PyArray field_of(nb::handle array, nb::handle names) {
  const PyArray& self = python_array(array);
  const nb::object fields = self.dtype.attr("fields");
  if (fields.is_none())
    throw ArgumentError(ArgumentError::Kind::index,
                        "only integers, slices, ..., None, and arrays of integers or booleans are indices of "
                        "an array of " +
                            text_of(self.dtype) + ", whose elements have no fields; got " +
                            nb::repr(names).c_str());
  const auto entry_of = [&](nb::handle name) {
    nb::object entry = fields.attr("get")(name);
    if (entry.is_none())
      value_error("the dtype has no field " + std::string(nb::repr(name).c_str()) + "; its fields are " +
                  text_of(self.dtype.attr("names")));
    return entry;
  };
  if (PyUnicode_Check(names.ptr())) {
    const nb::object entry = entry_of(names);
    return member_view(array, text_of(names), nb::object(entry[nb::int_(0)]),
                       nb::cast<std::size_t>(nb::object(entry[nb::int_(1)])));
  }
  for (nb::handle name : nb::borrow<nb::list>(names)) entry_of(name);
  nb::object numpy_type = self.dtype[names];
  const DType element = element_type(numpy_type);
  // What is between the fields belongs to others, and copies of elements would write it.
  PyArray result =
      view_of(array, without_gil([&, own = self.array] { return read_only(view_as(own, element)); }));
  result.dtype = std::move(numpy_type);
  return result;
}

void set_fields(nb::handle array, nb::handle names, nb::handle value) {
  if (PyUnicode_Check(names.ptr())) {
    nb::cast(field_of(array, names))[nb::ellipsis()] = value;
  } else {
    from_python("set_fields")(array, names, value);
  }
}

void bind_attributes(nb::class_<PyArray>& array) {
  array
      .def_prop_rw(
          "dtype", [](const PyArray& self) { return self.dtype; },
          [](PyArray& /*self*/, nb::handle /*dtype*/) {
            attribute_error("dtype: use x = x.view(dtype) for the same bytes, or x = x.astype(dtype)");
          },
          nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype[typing.Any]")),
          nb::for_setter(nb::sig("def dtype(self, dtype: numpy.typing.DTypeLike, /) -> None")),
          "NumPy dtype of the elements.")
      .def_prop_rw(
          "shape", [](const PyArray& self) { return shape_tuple(self.array.shape()); }, &set_shape,
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")),
          nb::for_setter(nb::arg("shape").none()),
          nb::for_setter(nb::sig("def shape(self, shape: int | collections.abc.Sequence[int], /) -> None")),
          "Tuple of the axis lengths. Assigning a new shape works if no copy is needed.")
      .def_prop_rw(
          "strides",
          [](const PyArray& self) {
            return shape_tuple(without_gil([own = self.array] { return own.strides(); }));
          },
          [](PyArray& /*self*/, nb::handle /*strides*/) {
            attribute_error(
                "strides: make a view of the memory with other strides: quern.Array(x.buffer, "
                "x.dtype, shape, strides=strides, offset=x.offset)");
          },
          nb::for_getter(nb::sig("def strides(self) -> tuple[int, ...]")),
          nb::for_setter(nb::sig("def strides(self, strides: collections.abc.Sequence[int], /) -> None")),
          "Bytes to step along each axis to get to the next element.")
      .def_prop_ro(
          "size", [](const PyArray& self) { return self.array.size(); }, "Number of elements.")
      .def_prop_ro(
          "nbytes", [](const PyArray& self) { return self.array.nbytes(); },
          "Total bytes of the elements: size * itemsize.")
      .def_prop_ro(
          "itemsize", [](const PyArray& self) { return self.array.dtype().itemsize; },
          "Size of one element in bytes.")
      .def_prop_ro(
          "ndim", [](const PyArray& self) { return self.array.shape().size(); },
          "Number of axes (dimensions).")
      .def_prop_ro(
          "device", [](const PyArray& self) { return self.array.device(); },
          "Device that holds the elements.")
      .def_prop_ro(
          "buffer",
          [](const PyArray& self) { return without_gil([own = self.array] { return own.buffer(); }); },
          "Buffer that holds the elements. A lazy array is evaluated first.")
      .def_prop_ro(
          "offset",
          [](const PyArray& self) { return without_gil([own = self.array] { return own.offset(); }); },
          "Bytes from the start of the buffer to the first element.")
      .def_prop_ro(
          "in_memory", [](const PyArray& self) { return self.array.in_memory(); },
          "False while the array is lazy: nothing that computes its elements has been enqueued.")
      .def_prop_ro("base", &base_of, nb::sig("def base(self) -> typing.Any"),
                   "Array whose memory this view shares; None if the array owns its memory.")
      .def_prop_ro(
          "flags", [](ArrayHandle self) { return from_python("Flags")(self); },
          nb::sig("def flags(self) -> typing.Any"), "Memory layout of the array, like numpy.ndarray.flags.")
      .def_prop_rw(
          "flat", [](ArrayHandle self) { return from_python("FlatIterator")(self); },
          [](ArrayHandle self, nb::handle value) {
            from_python("FlatIterator")(self)[nb::slice(nb::none(), nb::none(), nb::none())] = value;
          },
          nb::for_getter(nb::sig("def flat(self) -> typing.Any")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def flat(self, value: object, /) -> None")),
          "One-dimensional iterator over the elements in C order; it can be indexed and assigned to.")
      .def_prop_rw(
          "real", [](ArrayHandle self) { return part_of(self, false); },
          [](ArrayHandle self, nb::handle value) { set_part(self, value, false); },
          nb::for_getter(nb::sig("def real(self) -> Array")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def real(self, value: object, /) -> None")),
          "Real parts of the elements: a view of a complex array, otherwise the array itself.")
      .def_prop_rw(
          "imag", [](ArrayHandle self) { return part_of(self, true); },
          [](ArrayHandle self, nb::handle value) { set_part(self, value, true); },
          nb::for_getter(nb::sig("def imag(self) -> Array")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def imag(self, value: object, /) -> None")),
          "Imaginary parts of the elements: a view of a complex array, otherwise zeros.")
      .def_prop_ro(
          "data", [](ArrayHandle self) { return from_python("data_of")(self); },
          nb::sig("def data(self) -> memoryview"),
          "memoryview of the elements; only for arrays in host memory.")
      .def_prop_ro(
          "ctypes", [](ArrayHandle self) { return from_python("ctypes_of")(self); },
          nb::sig("def ctypes(self) -> typing.Any"),
          "Helper object for ctypes, like numpy.ndarray.ctypes; only for arrays in host memory.")
      .def("view", &viewed_as, nb::arg("dtype") = nb::none(), nb::arg("type") = nb::none(),
           nb::sig("def view(self, dtype: typing.Any = None, type: typing.Any = None) -> Array"),
           "View of the same memory, optionally with another dtype.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "dtype : dtype_like, optional\n"
           "    New dtype of the elements. If its size differs, the last axis must be contiguous.\n"
           "type : type, optional\n"
           "    quern.Array; other classes are not supported.\n"
           "\n"
           "Returns\n"
           "-------\n"
           "Array\n"
           "    A view: writes to it change the array, and vice versa.\n"
           "\n"
           "Raises\n"
           "------\n"
           "ValueError\n"
           "    If the last axis does not divide into such elements, or they would not be aligned.\n"
           "\n"
           "Examples\n"
           "--------\n"
           ">>> qn.asarray(np.float32([1, 2])).view(np.int32).tolist()\n"
           "[1065353216, 1073741824]")
      .def("getfield", &get_field, nb::arg("dtype"), nb::arg("offset") = 0,
           nb::sig("def getfield(self, dtype: numpy.typing.DTypeLike, offset: int = 0) -> Array"),
           "View of a field of each element: `offset` bytes into it, interpreted as `dtype`.")
      .def("setfield", &set_field, nb::arg("val").none(), nb::arg("dtype"), nb::arg("offset") = 0,
           nb::sig("def setfield(self, val: object, dtype: numpy.typing.DTypeLike, offset: int = 0) -> None"),
           "Write a value to a field of each element: `offset` bytes into it, as `dtype`.")
      .def(
          "setflags", &set_flags, nb::arg("write") = nb::none(), nb::arg("align") = nb::none(),
          nb::arg("uic") = nb::none(),
          nb::sig("def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None "
                  "= None) -> None"),
          "Set whether the array is writeable. A view can be made writeable only if its base is.")
      .def(
          "resize", &resize_in_place, nb::arg("new_shape"), nb::arg("refcheck") = true,
          nb::sig("def resize(self, *new_shape: int | collections.abc.Sequence[int] | None, refcheck: bool = "
                  "True) -> None"),
          "Change the shape and size of the array in place; new elements are zero.\n"
          "\n"
          "The elements move to new memory, so existing views keep the old memory. A view cannot be "
          "resized.")
      .def(
          "tofile",
          [](nb::handle_t<PyArray> self, nb::handle file, nb::handle sep, nb::handle format) {
            self.attr("get")().attr("tofile")(file, sep, format);
          },
          nb::arg("fid"), nb::arg("sep") = "", nb::arg("format") = "%s",
          nb::sig("def tofile(self, fid: typing.Any, sep: str = '', format: str = '%s') -> None"),
          "Write the elements to a file in C order, as NumPy does: as bytes, or as text if `sep` is "
          "given.")
      .def(
          "dump", [](nb::handle_t<PyArray> self, nb::handle file) { from_python("dump")(self, file); },
          nb::arg("file"), nb::sig("def dump(self, file: typing.Any) -> None"),
          "Write a pickle of the array to a file.")
      .def(
          "dumps", [](nb::handle_t<PyArray> self) { return from_python("dumps")(self); },
          nb::sig("def dumps(self) -> bytes"), "Pickle of the array, as bytes.");
}

}  // namespace quern::python
