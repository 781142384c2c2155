// SPDX-License-Identifier: MIT
// Attributes of arrays (shape, dtype, memory, base), assignment to them, and views of the same bytes: other
// dtypes, fields of structures, real and imaginary parts.

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

// Whether the memory holds exactly the elements. Evaluates the array.
bool is_whole(const Array& array) {
  const ArrayMemory& memory = array.evaluate();
  return memory.offset == 0 && memory.buffer.size() == array.nbytes();
}

// A view of an expression holds no reference to the expression's array. Its base is created here: all
// elements of the memory, as a one-dimensional array.
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
    type_error("shape: expected an integer or a sequence of integers, got " + class_name(shape));
  const Shape lengths = shape_of(shape);
  Array reshaped = without_gil([&] { return reshape(array, lengths, &queue); });
  if (array.size() != 0 && !are_in_one_allocation(array, reshaped))
    attribute_error("shape: the new shape needs a copy; use x = x.reshape(shape)");
  python_array(self).array = std::move(reshaped);
}

// A field of a NumPy dtype: its offset, and a dtype that may be a sub-array.
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
  const Array array = python_array(self).array;
  Array part = without_gil([&] { return field(array, member); });
  // The field of a packed structure is a copy.
  if (!are_in_one_allocation(array, part)) return {std::move(part), std::move(dtype)};
  PyArray result = view_of(self, std::move(part));
  result.dtype = std::move(dtype);
  return result;
}

void write_member(nb::handle self, const PyArray& member, nb::handle dtype, std::size_t offset,
                  nb::handle value) {
  if (are_in_one_allocation(python_array(self).array, member.array))
    nb::cast(member)[nb::ellipsis()] = value;
  else
    from_python("set_unaligned_field")(self, dtype, offset, value);
}

PyArray get_field(ArrayHandle self, nb::handle dtype, std::size_t offset) {
  return member_view(self, {}, numpy_dtype(dtype), offset);
}

void set_field(ArrayHandle self, nb::handle value, nb::handle dtype, std::size_t offset) {
  write_member(self, get_field(self, dtype, offset), dtype, offset, value);
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
    type_error("view: type must be quern.Array, got " + text_of(wanted) +
               "; numpy.asarray(x) returns a NumPy array");
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
  const Array array = python_array(self).array;
  // For a temporary, a view cannot be distinguished from a new array.
  if (!is_complex(array) || (!array.in_memory() && is_temporary(self))) {
    const Queue queue = queue_for(nb::none(), array);
    return nb::cast(as_python_array(without_gil([&] {
      const QueueScope scope(queue);
      return is_imaginary ? imag(array) : real(array);
    })));
  }
  return nb::cast(part_view(self, is_imaginary));
}

void set_part(ArrayHandle self, nb::handle value, bool is_imaginary) {
  if (is_complex(python_array(self).array)) {
    nb::cast(part_view(self, is_imaginary))[nb::ellipsis()] = value;
    return;
  }
  if (is_imaginary) type_error("imag: cannot set the imaginary part of a real array");
  self[nb::ellipsis()] = value;
}

// Evaluates the array.
bool is_writeable(const Array& array) {
  return array.evaluate().buffer.access() != Access::read_only;
}

// As in NumPy, a view can become writeable if its base is.
void set_flags(ArrayHandle self, nb::handle write, nb::handle align, nb::handle uic) {
  const auto is_asked = [](nb::handle flag) { return !flag.is_none() && PyObject_IsTrue(flag.ptr()) == 1; };
  if (is_asked(uic)) value_error("setflags: uic: WRITEBACKIFCOPY is not supported");
  if (!align.is_none() && !is_asked(align))
    value_error("setflags: align: cannot be cleared; elements are always aligned");
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
    value_error("setflags: write: the memory is read-only; copy the array first");
  const Buffer open =
      Buffer(memory.allocation(), memory.offset() + memory.size()).sub_buffer(memory.offset(), memory.size());
  python_array(self).array = Array(open, array.dtype(), array.shape(), array.strides(), array.offset());
}

// The elements move to new memory, so views of the old memory are not affected.
void resize_in_place(ArrayHandle self, nb::args lengths, nb::handle /*refcheck*/) {
  if (lengths.size() == 0 || (lengths.size() == 1 && lengths[0].is_none())) return;
  const Shape shape = shape_of(lengths.size() == 1 ? nb::handle(lengths[0]) : nb::handle(lengths));
  if (!base_of(self).is_none())
    value_error("resize: the array does not own its memory; use quern.resize(x, shape)");
  const Array array = python_array(self).array;
  const Queue queue = queue_for(nb::none(), array);
  python_array(self).array = without_gil([&] {
    const QueueScope scope(queue);
    const bool is_fortran = !array.evaluate().contiguous && is_fortran_contiguous(array);
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
  // A copy of whole elements would also write the bytes between the fields.
  PyArray result =
      view_of(array, without_gil([&, own = self.array] { return read_only(view_as(own, element)); }));
  result.dtype = std::move(numpy_type);
  return result;
}

void set_fields(nb::handle array, nb::handle names, nb::handle value) {
  if (PyUnicode_Check(names.ptr())) {
    const PyArray member = field_of(array, names);
    const nb::object field = python_array(array).dtype.attr("fields")[names];
    write_member(array, member, field[nb::int_(0)], nb::cast<std::size_t>(field[nb::int_(1)]), value);
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
          R"(NumPy dtype of the elements.

Examples
--------
>>> qn.ones(2, dtype="float32").dtype
dtype('float32'))")
      .def_prop_rw(
          "shape", [](const PyArray& self) { return shape_tuple(self.array.shape()); }, &set_shape,
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")),
          nb::for_setter(nb::arg("shape").none()),
          nb::for_setter(nb::sig("def shape(self, shape: int | collections.abc.Sequence[int], /) -> None")),
          R"(Length of each axis. Assigning a new shape works if no copy is needed.

Examples
--------
>>> x = qn.zeros((2, 3))
>>> x.shape
(2, 3)
>>> x.shape = 6
>>> x.shape
(6,))")
      .def_prop_rw(
          "strides",
          [](const PyArray& self) {
            return shape_tuple(without_gil([own = self.array] { return own.evaluate().strides; }));
          },
          [](PyArray& /*self*/, nb::handle /*strides*/) {
            attribute_error(
                "strides: make a view of the memory with other strides: quern.Array(x.buffer, "
                "x.dtype, shape, strides=strides, offset=x.offset)");
          },
          nb::for_getter(nb::sig("def strides(self) -> tuple[int, ...]")),
          nb::for_setter(nb::sig("def strides(self, strides: collections.abc.Sequence[int], /) -> None")),
          R"(Bytes to step along each axis to get to the next element.

Examples
--------
>>> qn.zeros((2, 3), dtype="float32").strides
(12, 4))")
      .def_prop_ro(
          "size", [](const PyArray& self) { return self.array.size(); }, R"(Number of elements.

Examples
--------
>>> qn.zeros((2, 3)).size
6)")
      .def_prop_ro(
          "nbytes", [](const PyArray& self) { return self.array.nbytes(); },
          R"(Bytes of all elements: size * itemsize.

Examples
--------
>>> qn.zeros((2, 3), dtype="float32").nbytes
24)")
      .def_prop_ro(
          "itemsize", [](const PyArray& self) { return self.array.dtype().itemsize; },
          R"(Size of one element in bytes.

Examples
--------
>>> qn.zeros(2, dtype="float32").itemsize
4)")
      .def_prop_ro(
          "ndim", [](const PyArray& self) { return self.array.shape().size(); },
          R"(Number of axes (dimensions).

Examples
--------
>>> qn.zeros((2, 3)).ndim
2)")
      .def_prop_ro(
          "device", [](const PyArray& self) { return self.array.device(); },
          R"(Device that holds the elements.

Examples
--------
>>> x = qn.zeros(2, device="host")
>>> x.device.backend
'host')")
      .def_prop_ro(
          "buffer",
          [](const PyArray& self) {
            return without_gil([own = self.array] { return own.evaluate().buffer; });
          },
          R"(Buffer that holds the elements. Reading it evaluates a lazy array first.

Examples
--------
>>> qn.zeros(2, dtype="float32").buffer.nbytes >= 8
True)")
      .def_prop_ro(
          "offset",
          [](const PyArray& self) {
            return without_gil([own = self.array] { return own.evaluate().offset; });
          },
          R"(Bytes from the start of the buffer to the first element.

Examples
--------
>>> x = qn.zeros(8, dtype="float32")
>>> x[2:].offset - x.offset
8)")
      .def_prop_ro(
          "in_memory", [](const PyArray& self) { return self.array.in_memory(); },
          R"(False while the array is lazy: nothing that computes its elements has been enqueued.

Examples
--------
>>> x = qn.ones(3) + 1
>>> x.in_memory
False
>>> qn.eval(x)
>>> x.in_memory
True)")
      .def_prop_ro("base", &base_of, nb::sig("def base(self) -> typing.Any"),
                   R"(Array whose memory this view shares; None if the array owns its memory.

Examples
--------
>>> x = qn.zeros(3)
>>> x[1:].base is x, x.base is None
(True, True))")
      .def_prop_ro(
          "flags", [](ArrayHandle self) { return from_python("Flags")(self); },
          nb::sig("def flags(self) -> typing.Any"), R"(Memory layout of the array, like numpy.ndarray.flags.

Examples
--------
>>> qn.zeros((2, 3)).flags.c_contiguous, qn.zeros((2, 3)).T.flags.c_contiguous
(True, False))")
      .def_prop_rw(
          "flat", [](ArrayHandle self) { return from_python("FlatIterator")(self); },
          [](ArrayHandle self, nb::handle value) {
            from_python("FlatIterator")(self)[nb::slice(nb::none(), nb::none(), nb::none())] = value;
          },
          nb::for_getter(nb::sig("def flat(self) -> typing.Any")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def flat(self, value: object, /) -> None")),
          R"(One-dimensional iterator over the elements in C order. It can be indexed and assigned to.

Examples
--------
>>> x = qn.zeros((2, 2))
>>> x.flat[3] = 5
>>> print(x)
[[0. 0.]
 [0. 5.]])")
      .def_prop_rw(
          "real", [](ArrayHandle self) { return part_of(self, false); },
          [](ArrayHandle self, nb::handle value) { set_part(self, value, false); },
          nb::for_getter(nb::sig("def real(self) -> Array")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def real(self, value: object, /) -> None")),
          R"(Real parts of the elements: a view of a complex array, otherwise the array itself.

Examples
--------
>>> print(qn.asarray([1 + 2j, 3 + 4j]).real)
[1. 3.])")
      .def_prop_rw(
          "imag", [](ArrayHandle self) { return part_of(self, true); },
          [](ArrayHandle self, nb::handle value) { set_part(self, value, true); },
          nb::for_getter(nb::sig("def imag(self) -> Array")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def imag(self, value: object, /) -> None")),
          R"(Imaginary parts of the elements: a view of a complex array, otherwise zeros.

Examples
--------
>>> print(qn.asarray([1 + 2j, 3 + 4j]).imag)
[2. 4.])")
      .def_prop_ro(
          "data", [](ArrayHandle self) { return from_python("data_of")(self); },
          nb::sig("def data(self) -> memoryview"),
          R"(View of the elements as a memoryview; only for arrays in host memory.

Examples
--------
>>> qn.zeros(3, device="host").data.nbytes
24)")
      .def_prop_ro(
          "ctypes", [](ArrayHandle self) { return from_python("ctypes_of")(self); },
          nb::sig("def ctypes(self) -> typing.Any"),
          R"(Helper object for ctypes, like numpy.ndarray.ctypes; only for arrays in host memory.

Examples
--------
>>> x = qn.zeros(3, device="host")
>>> x.ctypes.data == x.buffer.native_handle + x.offset
True)")
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
           R"(View of a field of each element.

Parameters
----------
dtype : dtype
    Dtype of the field.
offset : int, optional
    Bytes from the start of the element to the field.

Returns
-------
Array
    A view: writes to it change the array.

Raises
------
ValueError
    If the field does not fit into the element.

Examples
--------
>>> x = qn.asarray([1 + 2j, 3 + 4j])
>>> print(x.getfield("float64", 8))
[2. 4.])")
      .def("setfield", &set_field, nb::arg("val").none(), nb::arg("dtype"), nb::arg("offset") = 0,
           nb::sig("def setfield(self, val: object, dtype: numpy.typing.DTypeLike, offset: int = 0) -> None"),
           R"(Write a value to a field of each element.

Parameters
----------
val : array_like
    Value, broadcast to the shape of the array.
dtype : dtype
    Dtype of the field.
offset : int, optional
    Bytes from the start of the element to the field.

Raises
------
ValueError
    If the field does not fit into the element.

Examples
--------
>>> x = qn.asarray([1 + 2j, 3 + 4j])
>>> x.setfield(0, "float64", 8)
>>> print(x.real, x.imag)
[1. 3.] [0. 0.])")
      .def(
          "setflags", &set_flags, nb::arg("write") = nb::none(), nb::arg("align") = nb::none(),
          nb::arg("uic") = nb::none(),
          nb::sig("def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None "
                  "= None) -> None"),
          R"(Set whether the array is writeable.

Parameters
----------
write : bool, optional
    False: writes to the array raise an error. True: they are allowed; a view can be made writeable only if its base is.
align : bool, optional
    True or None: elements of arrays are always aligned.
uic : bool, optional
    False or None: no array is a copy that is written back.

Raises
------
ValueError
    If the flag cannot be set.

Examples
--------
>>> x = qn.zeros(3)
>>> x.setflags(write=False)
>>> x.flags.writeable
False)")
      .def(
          "resize", &resize_in_place, nb::arg("new_shape"), nb::arg("refcheck") = true,
          nb::sig("def resize(self, *new_shape: int | collections.abc.Sequence[int] | None, refcheck: bool = "
                  "True) -> None"),
          R"(Change the shape and size of the array in place; new elements are zero.

The elements move to new memory, so existing views keep the old memory.

Parameters
----------
*new_shape : int or sequence of int
    New length of each axis.
refcheck : bool, optional
    Accepted for compatibility with NumPy.

Raises
------
ValueError
    If the array is a view.

Examples
--------
>>> x = qn.asarray([1, 2, 3])
>>> x.resize(5)
>>> print(x)
[1 2 3 0 0])");
}

}  // namespace quern::python
