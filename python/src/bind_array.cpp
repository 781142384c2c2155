// SPDX-License-Identifier: MIT
// Arrays: NumPy's dtypes and protocols for device memory.

#include <string>

#include "binding.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "pattern.hpp"
#include "protocols.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// A contiguous NumPy array with these values, converted to the array's dtype.
nb::object values_for(const PyArray& self, nb::handle values) {
  nb::object array = numpy_attribute("asarray")(values);
  const nb::object given = array.attr("dtype");
  if (!nb::cast<bool>(numpy_attribute("can_cast")(given, self.dtype, "same_kind")))
    type_error("set: values of dtype " + text_of(given) + " cannot be converted to " + text_of(self.dtype) +
               " without loss");
  array = numpy_attribute("asarray")(array, self.dtype, nb::arg("order") = "C");
  const nb::tuple shape = shape_tuple(self.array.shape());
  if (!shape.equal(array.attr("shape")))
    value_error("set: values of shape " + text_of(array.attr("shape")) + " for an array of shape " +
                text_of(shape));
  return array;
}

Event enqueue_set(const PyArray& self, nb::handle values, nb::handle queue, nb::handle wait_for) {
  const Array array = self.array;
  const Queue user = queue_for(queue, array);
  const nb::object source = values_for(self, values);
  const std::vector<Event> events = events_of(wait_for);
  HostMemory host(source, false, "values");
  const void* const from = host.data();
  return without_gil([&, keep = host.keep()] { return set_elements(array, user, from, events, keep); });
}

void set(const PyArray& self, nb::handle values, nb::handle queue, nb::handle wait_for) {
  const Event copied = enqueue_set(self, values, queue, wait_for);
  if (!is_captured(copied)) wait_for_event(copied);  // a captured copy has the values already
  release_kept();
}

// The NumPy array for the elements: the given one, or a new one.
nb::object target_of(const PyArray& self, nb::object out) {
  if (out.is_none()) return empty_numpy_array(self.array.shape(), self.dtype);
  if (!is_numpy_array(out)) type_error("out: expected a NumPy array, got " + class_name(out));
  if (!(element_type(native_dtype(out.attr("dtype"))) == self.array.dtype()))
    type_error("out: expected dtype " + text_of(self.dtype) + ", got " + text_of(out.attr("dtype")));
  if (const nb::tuple shape = shape_tuple(self.array.shape()); !shape.equal(out.attr("shape")))
    value_error("out: expected shape " + text_of(shape) + ", got " + text_of(out.attr("shape")));
  if (!nb::cast<bool>(out.attr("flags").attr("writeable"))) value_error("out: the array is read-only");
  return out;
}

// Whether elements can be copied to it directly: C order, the machine's byte order.
bool is_plain(nb::handle numpy_array) {
  return nb::cast<bool>(numpy_array.attr("flags").attr("c_contiguous")) &&
         nb::cast<bool>(numpy_array.attr("dtype").attr("isnative"));
}

nb::object get(const PyArray& self, nb::object out, nb::handle queue, nb::handle wait_for) {
  const Array array = self.array;
  const Queue user = queue_for(queue, array);
  out = target_of(self, std::move(out));
  const nb::object plain = is_plain(out) ? out : empty_numpy_array(array.shape(), self.dtype);
  const std::vector<Event> events = events_of(wait_for);
  HostMemory host(plain, true, "out");
  void* const to = host.data();
  if (!events.empty()) without_gil([&] { user.barrier(events); });
  const Buffer source = without_gil([&] {
    evaluate({&array, 1});
    return array.contiguous() ? array.elements() : copy(array, &user).elements();
  });
  check_read_outside_capture(user, source);
  wait_for_event(without_gil([&] { return user.before_read(source, events); }));
  wait_for_event(
      without_gil([&, keep = host.keep()] { return user.read(source, to, source.size(), events, keep); }));
  release_kept();
  if (!plain.is(out)) numpy_attribute("copyto")(out, plain);
  return out;
}

nb::object future_of(const Event& event, nb::handle result, nb::handle finish) {
  return nb::module_::import_("quern._future").attr("Future")(nb::cast(event), result, finish);
}

nb::object get_async(const PyArray& self, nb::object out, nb::handle queue, nb::handle wait_for) {
  const Array array = self.array;
  const Queue user = queue_for(queue, array);
  const bool is_new = out.is_none();
  out = target_of(self, std::move(out));
  const nb::object plain = is_plain(out) ? out : empty_numpy_array(array.shape(), self.dtype);
  const std::vector<Event> events = events_of(wait_for);
  // Only a replay writes the values, and it cannot call Python to convert them.
  if (is_capturing() && (is_new || !plain.is(out)))
    without_gil([&] {
      array.evaluate();
      check_read_outside_capture(user, array.buffer());
    });
  HostMemory host(plain, true, "out");
  void* const to = host.data();
  const Event event =
      without_gil([&, keep = host.keep()] { return get_elements(array, user, to, events, keep); });
  release_kept();
  if (plain.is(out)) return future_of(event, out, nb::none());
  return future_of(event, out, nb::cpp_function([plain, out] { numpy_attribute("copyto")(out, plain); }));
}

// Waits for the elements in a coroutine; the result is the array.
nb::object await_array(nb::handle_t<PyArray> self) {
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  const Queue user = queue_for(nb::none(), array);
  const Event event = without_gil([&] {
    evaluate({&array, 1});
    return user.when_written(array.buffer());
  });
  return nb::module_::import_("quern._future").attr("await_event")(nb::cast(event), self);
}

void make_array(PyArray* self, nb::handle_t<Buffer> memory, nb::handle dtype, nb::handle shape,
                nb::handle strides, std::size_t offset) {
  const Buffer& buffer = *nb::inst_ptr<Buffer>(memory);
  nb::object numpy_type = numpy_dtype(dtype);
  DType element = element_type(numpy_type);
  Shape lengths = shape_of(shape);
  Strides steps = strides.is_none() ? contiguous_strides(lengths, element.itemsize) : Strides();
  if (!strides.is_none())
    for (nb::handle stride : strides) steps.push_back(nb::cast<std::int64_t>(stride));
  if (strides.is_none() && offset == 0) {
    new (self) PyArray{Array(buffer, std::move(element), std::move(lengths)), std::move(numpy_type),
                       nb::borrow(memory)};
  } else {
    new (self) PyArray{Array(buffer, std::move(element), std::move(lengths), std::move(steps), offset),
                       std::move(numpy_type), nb::borrow(memory)};
  }
}

// Like NumPy's ndarray(shape, dtype): uninitialised memory.
void make_new_array(PyArray* self, nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device,
                    nb::handle queue) {
  // Like the functions that make arrays, it takes a device in the place of the order.
  const bool is_letter = order.is_none() || PyUnicode_Check(order.ptr()) != 0;
  const std::string letter = is_letter && !order.is_none() ? nb::cast<std::string>(order) : "C";
  const bool is_spec = letter.size() > 1 && device.is_none();
  if (is_spec || !is_letter) {
    if (!device.is_none()) type_error("Array: the device is given twice");
    device = order;
  }
  const Queue user = queue_on(device, queue);
  nb::object numpy_type =
      dtype.is_none()
          ? numpy_dtype_of(DType::of(user.device().properties().has_fp64 ? Scalar::float64 : Scalar::float32))
          : native_dtype(dtype);
  DType element = element_type(numpy_type);
  const Shape lengths = shape_of(shape);
  const MemoryOrder memory_order = is_letter && !is_spec ? memory_order_of(letter, "Array") : MemoryOrder::c;
  release_kept();
  Array made = without_gil([&] {
    return memory_order == MemoryOrder::fortran ? empty(user, lengths, element, memory_order)
                                                : empty(user, lengths, element);
  });
  new (self) PyArray{std::move(made), std::move(numpy_type)};
}

using Maker = Array (*)(const Queue&, Shape, DType);

template <Maker make>
PyArray make_on_queue(nb::handle shape, nb::handle dtype, nb::handle device, nb::handle queue) {
  nb::object numpy_type = native_dtype(dtype);
  DType element = element_type(numpy_type);
  Shape lengths = shape_of(shape);
  release_kept();
  const Queue user = queue_on(device, queue);
  return {without_gil([&] { return make(user, std::move(lengths), std::move(element)); }),
          std::move(numpy_type)};
}

std::int64_t length(const PyArray& self) {
  if (self.array.shape().empty()) {
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    throw nb::python_error();
  }
  return self.array.shape().front();
}

}  // namespace

void bind_array(nb::module_& module) {
  nb::class_<PyArray> array(
      module, "Array", nb::is_final(), nb::pooled(), nb::type_slots(array_buffer_slots()),
      R"(Multidimensional array of elements of one dtype in device memory, with the interface of numpy.ndarray.

Array(buffer, dtype, shape) is an array over the memory of a Buffer. Array(shape, dtype=None, order=None) is a new
uninitialised array, like empty(). Functions such as asarray() and zeros() make arrays, too.

Parameters
----------
buffer : Buffer
    Memory of the elements.
dtype : dtype
    Dtype of the elements.
shape : int or sequence of int
    Length of each axis.
strides : sequence of int, optional
    Bytes to step along each axis; by default the elements are contiguous in C order.
offset : int, optional
    Bytes from the start of the buffer to the first element.

Examples
--------
>>> memory = qn.Buffer(16)
>>> x = qn.Array(memory, "float32", (2, 2))
>>> event = x.fill(1)
>>> print(x)
[[1. 1.]
 [1. 1.]])");
  array
      .def("__init__", &make_array, nb::arg("buffer"), nb::arg("dtype"), nb::arg("shape"), nb::kw_only(),
           nb::arg("strides") = nb::none(), nb::arg("offset") = 0,
           nb::sig("def __init__(self, buffer: Buffer, dtype: numpy.typing.DTypeLike, shape: int | "
                   "collections.abc.Sequence[int], *, strides: collections.abc.Sequence[int] | None = None, "
                   "offset: "
                   "int = 0) -> None"),
           "Array over the memory of a Buffer. `strides` and `offset` are in bytes.")
      .def(
          "__init__", &make_new_array, nb::arg("shape"), nb::arg("dtype") = nb::none(),
          nb::arg("order") = nb::none(), nb::kw_only(), nb::arg("device") = nb::none(),
          nb::arg("queue") = nb::none(),
          nb::sig("def __init__(self, shape: int | collections.abc.Sequence[int], dtype: "
                  "numpy.typing.DTypeLike | None = None, order: str | None = None, *, device: Device | str | "
                  "None = None, queue: Queue | None = None) -> None"),
          "New uninitialised array, like empty().")
      .def(
          "get", &get, nb::arg("out") = nb::none(), nb::kw_only(), nb::arg("queue") = nb::none(),
          nb::arg("wait_for") = nb::none(),
          nb::sig("def get(self, out: numpy.typing.NDArray[typing.Any] | None = None, *, queue: Queue | "
                  "None = None, "
                  "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
                  "numpy.typing.NDArray[typing.Any]"),
          documented(R"(Copy the elements to a NumPy array. The call waits for the copy; get_async() does not.

Parameters
----------
out : numpy.ndarray, optional
    Array to copy to, of the same shape and dtype. By default the result is a new array.
@queue
@wait_for

Returns
-------
numpy.ndarray
    The elements in host memory.

Raises
------
TypeError
    If `out` has another dtype.
ValueError
    If `out` has another shape, or is read-only.

Examples
--------
>>> (qn.arange(3) * 2).get()
array([0, 2, 4]))")
              .c_str())
      .def("__await__", &await_array,
           nb::sig("def __await__(self) -> collections.abc.Generator[typing.Any, None, Array]"))
      .def("get_async", &get_async, nb::arg("out") = nb::none(), nb::kw_only(), nb::arg("queue") = nb::none(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def get_async(self, out: numpy.typing.NDArray[typing.Any] | None = None, *, queue: Queue "
                   "| None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
                   "typing.Any"),
           documented(R"(Copy the elements to a NumPy array without waiting.

Parameters
----------
out : numpy.ndarray, optional
    Array to copy to, of the same shape and dtype. By default the result is a new array.
@queue
@wait_for

Returns
-------
Future
    Its result() waits for the copy and returns the NumPy array. `await` works, too.

Examples
--------
>>> future = qn.arange(3).get_async()
>>> future.result()
array([0, 1, 2]))")
               .c_str())
      .def("set", &set, nb::arg("values"), nb::kw_only(), nb::arg("queue") = nb::none(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def set(self, values: numpy.typing.ArrayLike, *, queue: Queue | None = None, wait_for: "
                   "Event | "
                   "collections.abc.Sequence[Event] | None = None) -> None"),
           documented(R"(Copy values into the array. The call waits for the copy; set_async() does not.

Parameters
----------
values : array_like
    Values of the same shape. Their dtype must convert by NumPy's rule 'same_kind'.
@queue
@wait_for

Raises
------
TypeError
    If the values do not convert to the dtype of the array.
ValueError
    If the values have another shape.

Examples
--------
>>> x = qn.zeros(3)
>>> x.set([1, 2, 3])
>>> print(x)
[1. 2. 3.])")
               .c_str())
      .def(
          "set_async",
          [](const PyArray& self, nb::handle values, nb::handle queue, nb::handle wait_for) {
            const Event event = enqueue_set(self, values, queue, wait_for);
            release_kept();
            return future_of(event, nb::none(), nb::none());
          },
          nb::arg("values"), nb::kw_only(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
          nb::sig("def set_async(self, values: numpy.typing.ArrayLike, *, queue: Queue | None = None, "
                  "wait_for: Event | collections.abc.Sequence[Event] | None = None) -> "
                  "typing.Any"),
          documented(R"(Copy values into the array without waiting.

Parameters
----------
values : array_like
    Values of the same shape. Do not modify them until the copy is done.
@queue
@wait_for

Returns
-------
Future
    Its result() waits for the copy.

Examples
--------
>>> x = qn.zeros(3)
>>> future = x.set_async(np.array([1.0, 2.0, 3.0]))
>>> future.result()
>>> print(x)
[1. 2. 3.])")
              .c_str())
      .def(
          "fill",
          [](nb::handle_t<PyArray> self, nb::handle value, nb::handle queue, nb::handle wait_for) {
            const Array& target = nb::inst_ptr<PyArray>(self)->array;
            return enqueue_fill(queue_for(queue, target), self, value, nb::none(), wait_for);
          },
          nb::arg("value"), nb::kw_only(), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
          nb::sig("def fill(self, value: object, *, queue: Queue | None = None, wait_for: Event | "
                  "collections.abc.Sequence[Event] | "
                  "None = None) -> Event"),
          documented(R"(Set every element to a value, without waiting.

Parameters
----------
value : scalar
    Value of the elements.
@queue
@wait_for

Returns
-------
Event
    Event of the work.

Examples
--------
>>> x = qn.empty(3)
>>> event = x.fill(7)
>>> print(x)
[7. 7. 7.])")
              .c_str())
      .def("__len__", &length);
  bind_attributes(array);
  bind_arithmetic(module, array);
  bind_indexing(array);
  bind_methods(module, array);
  bind_protocols(array);
  bind_dlpack(module, array);

  module.def("empty", &make_on_queue<&empty>, nb::arg("shape"), nb::arg("dtype"),
             nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
             nb::sig("def empty(shape: int | collections.abc.Sequence[int], dtype: numpy.typing.DTypeLike, "
                     "device: Device | str | "
                     "None = None, queue: Queue | None = None) -> Array"));
  module.def("zeros", &make_on_queue<&zeros>, nb::arg("shape"), nb::arg("dtype"),
             nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
             nb::sig("def zeros(shape: int | collections.abc.Sequence[int], dtype: numpy.typing.DTypeLike, "
                     "device: Device | str | "
                     "None = None, queue: Queue | None = None) -> Array"));
}

}  // namespace quern::python
