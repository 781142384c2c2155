// SPDX-License-Identifier: MIT
// Python's and NumPy's protocols of arrays that need C++: buffer, __array__, copies. Printing, hashing,
// pickling and NumPy's dispatch are methods that the package adds (python/quern/_methods.py).

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "protocols.hpp"

namespace quern::python {
namespace {

// The data that a buffer view keeps alive.
struct Shown {
  Array array;
  Loan loan;
  std::vector<Py_ssize_t> shape, strides;
  std::string format;
};

// An array without elements also needs a valid pointer.
char empty_memory = 0;

bool asks_for(int flags, int what) {
  return (flags & what) == what;
}

std::unique_ptr<Shown> show(const PyArray& self, Py_buffer& view, int flags) {
  const Array array = self.array;
  if (!array.device().properties().shares_host_memory)
    buffer_error("an array on '" + array.device().spec() + "' is not in host memory; use get()");
  // NumPy would not recognise the type.
  if (array.dtype().lanes > 1) buffer_error("the buffer protocol has no format for vectors; use get()");
  if (array.dtype().scalar == Scalar::bfloat16)
    buffer_error("the buffer protocol has no format for bfloat16; use get() or view('uint16')");
  const bool is_read_only =
      without_gil([&] { return array.evaluate().buffer.access() == Access::read_only; });
  if (is_read_only && asks_for(flags, PyBUF_WRITABLE)) buffer_error("the array is read-only");
  const bool is_c = array.contiguous();
  const bool is_f = is_fortran_contiguous(array);
  const bool needs_c = asks_for(flags, PyBUF_C_CONTIGUOUS) || !asks_for(flags, PyBUF_STRIDES);
  if (needs_c && !is_c) buffer_error("the array is not contiguous in C order");
  if (asks_for(flags, PyBUF_F_CONTIGUOUS) && !is_f)
    buffer_error("the array is not contiguous in Fortran order");
  if (asks_for(flags, PyBUF_ANY_CONTIGUOUS) && !is_c && !is_f) buffer_error("the array is not contiguous");

  const Buffer& buffer = array.buffer();
  auto shown = std::make_unique<Shown>(Shown{array, without_gil([&] { return lend(buffer); }), {}, {}, {}});
  wait_interruptibly(Deadline::max(),
                     [&](Deadline deadline) { return buffer.wait_until(deadline, !is_read_only); });
  shown->shape.assign(array.shape().begin(), array.shape().end());
  shown->strides.assign(array.strides().begin(), array.strides().end());
  const nb::object example = numpy_attribute("empty")(nb::tuple(), self.dtype);
  shown->format = nb::cast<std::string>(nb::steal(PyMemoryView_FromObject(example.ptr())).attr("format"));

  view.buf = array.size() == 0 ? &empty_memory : static_cast<char*>(buffer.host_pointer()) + array.offset();
  view.len = static_cast<Py_ssize_t>(array.nbytes());
  view.itemsize = static_cast<Py_ssize_t>(array.dtype().itemsize);
  view.readonly = is_read_only ? 1 : 0;
  view.ndim = static_cast<int>(array.shape().size());
  view.format = asks_for(flags, PyBUF_FORMAT) ? shown->format.data() : nullptr;
  view.shape = asks_for(flags, PyBUF_ND) ? shown->shape.data() : nullptr;
  view.strides = asks_for(flags, PyBUF_STRIDES) ? shown->strides.data() : nullptr;
  view.suboffsets = nullptr;
  return shown;
}

// NumPy treats any error of the buffer protocol as a refusal, also an exception of a signal handler, and then
// calls __array__, which must raise the error that was swallowed.
struct Refusal {
  std::weak_ptr<detail::ArrayValue> of;
  std::exception_ptr error;
  PyObject* raised =
      nullptr;  // or a Python exception; a thread that ends leaks it, because it does not hold the GIL
};
thread_local Refusal last_refusal;

void forget_last_refusal() {
  Py_CLEAR(last_refusal.raised);
  last_refusal = {};
}

void tell_last_refusal(const Array& array) {
  const Refusal refusal = std::exchange(last_refusal, {});
  const nb::object raised = nb::steal(refusal.raised);
  if (refusal.of.lock() != array.value()) return;
  if (refusal.error) std::rethrow_exception(refusal.error);
  if (!raised.is_valid()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw nb::python_error();
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  forget_last_refusal();
  try {
    view->obj = nullptr;
    view->internal = show(*nb::inst_ptr<PyArray>(self), *view, flags).release();
    view->obj = Py_NewRef(self);
    return 0;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_BufferError)) {
      last_refusal.of = nb::inst_ptr<PyArray>(self)->array.value();
      last_refusal.raised = Py_NewRef(error.value().ptr());
    }
    error.restore();
  } catch (...) {
    last_refusal = {nb::inst_ptr<PyArray>(self)->array.value(), std::current_exception()};
    set_python_error(std::current_exception());
  }
  return -1;
}

void release_buffer(PyObject* /*self*/, Py_buffer* view) {
  delete static_cast<Shown*>(view->internal);
}

// The elements as a NumPy array of the same memory; null if that is not possible.
nb::object shared_numpy(nb::handle self) {
  const PyArray& array = *nb::inst_ptr<PyArray>(self);
  if (array.array.dtype().scalar == Scalar::bfloat16 && array.array.dtype().lanes == 1) {
    nb::object bits = shared_numpy(self.attr("view")("uint16"));
    return bits.is_valid() ? bits.attr("view")(array.dtype) : bits;
  }
  PyObject* const view = PyMemoryView_FromObject(self.ptr());
  if (view != nullptr) return numpy_attribute("asarray")(nb::steal(view));
  nb::python_error error;
  if (!error.matches(PyExc_BufferError)) {
    forget_last_refusal();  // the error is raised here
    throw error;
  }
  return {};
}

nb::object as_numpy(nb::handle_t<PyArray> self, nb::handle dtype, nb::handle copy) {
  const bool must_copy = !copy.is_none() && nb::cast<bool>(nb::bool_(copy));
  const bool must_share = !copy.is_none() && !must_copy;
  const PyArray& array = *nb::inst_ptr<PyArray>(self);
  tell_last_refusal(array.array);
  const nb::object wanted = dtype.is_none() ? array.dtype : numpy_dtype(dtype);
  nb::object result = must_copy ? nb::object() : shared_numpy(self);
  if (must_share && (!result.is_valid() || !wanted.equal(array.dtype))) {
    value_error("__array__: an array of " + text_of(array.dtype) + " on '" + array.array.device().spec() +
                "' cannot be converted to " + text_of(wanted) + " without a copy; use copy=None");
  }
  if (!result.is_valid()) result = self.attr("get")();
  return wanted.equal(array.dtype) ? result : result.attr("astype")(wanted, nb::arg("copy") = false);
}

// For libraries that use only NumPy's array interface, such as Pillow. NumPy itself tries the buffer protocol
// before, and __array__ after this.
nb::object array_interface(nb::handle_t<PyArray> self) {
  const PyArray& python = *nb::inst_ptr<PyArray>(self);
  const Array array = python.array;
  const auto refuse = [&](const char* why) {
    PyErr_Format(PyExc_AttributeError, "an array of %s on '%s' has no __array_interface__: %s",
                 text_of(python.dtype).c_str(), array.device().spec().c_str(), why);
    throw nb::python_error();
  };
  if (!array.device().properties().shares_host_memory) refuse("it is not in host memory; use get()");
  if (array.dtype().lanes > 1) refuse("NumPy has no vectors; use get()");
  if (array.dtype().scalar == Scalar::bfloat16) refuse("the interface has no bfloat16; use get()");
  if (last_refusal.of.lock() == array.value())
    refuse("its memory cannot be shared");  // __array__ raises the reason
  const bool is_read_only = without_gil([&] {
    const Buffer& memory = array.evaluate().buffer;
    memory.share();  // forever: the reader does not report when it is done
    return memory.access() == Access::read_only;
  });
  const Buffer& buffer = array.buffer();
  wait_interruptibly(Deadline::max(),
                     [&](Deadline deadline) { return buffer.wait_until(deadline, !is_read_only); });
  const void* const first =
      array.size() == 0 ? &empty_memory : static_cast<char*>(buffer.host_pointer()) + array.offset();
  nb::dict result;
  result["shape"] = shape_tuple(array.shape());
  result["typestr"] = python.dtype.attr("str");
  result["descr"] = python.dtype.attr("descr");
  result["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(first), is_read_only);
  result["strides"] = array.contiguous() ? nb::none() : nb::object(shape_tuple(array.strides()));
  result["version"] = 3;
  return result;
}

nb::object moved_to(nb::handle_t<PyArray> self, nb::handle device, nb::handle stream) {
  const PyArray& python = *nb::inst_ptr<PyArray>(self);
  const Array array = python.array;
  const nb::handle named = stream.is_none() && nb::isinstance<Queue>(device) ? device : stream;
  const Device target = device_or_current(device);
  nb::object keep;
  const Queue queue = named.is_none() ? queue_for(without_gil([&] { return Context::of(target); }), target)
                                      : queue_or_current(named, keep);
  if (!(queue.device() == target))
    value_error("to_device: stream: a queue on '" + queue.device().spec() + "' for an array on '" +
                target.spec() + "'");
  if (array.device() == target && array.context() == queue.context()) return nb::borrow(self);
  release_kept();
  return nb::cast(PyArray{without_gil([&] { return to_device(array, queue); }), python.dtype});
}

nb::object array_bytes(nb::handle_t<PyArray> self) {
  return self.attr("get")().attr("tobytes")();
}

nb::object bytes_in_order(nb::handle_t<PyArray> self, nb::handle order) {
  // get() returns C order, which is right for 'K' and 'A' unless the array is in Fortran order.
  const bool is_fortran = nb::cast<bool>(self.attr("flags").attr("fnc"));
  const nb::object values = self.attr("get")();
  return (is_fortran ? numpy_attribute("asfortranarray")(values) : values).attr("tobytes")(order);
}

}  // namespace

PyType_Slot* array_buffer_slots() {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                {0, nullptr}};
  return slots;
}

void bind_protocols(nb::class_<PyArray>& array) {
  array
      .def(
          "__array__", &as_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> "
              "numpy.typing.NDArray[typing.Any]"),
          "NumPy array of the elements: it shares memory on the host device unless copy=True; "
          "elsewhere it is a copy.")
      .def_prop_ro("__array_interface__", &array_interface,
                   nb::sig("def __array_interface__(self) -> dict[str, typing.Any]"),
                   "NumPy array interface, version 3; only for arrays in host memory.")
      .def("to_device", &moved_to, nb::arg("device"), nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::sig("def to_device(self, device: Device | Queue | str, /, *, stream: Queue | None = None) -> "
                   "Array"),
           R"(Copy the array to another device, without waiting.

Parameters
----------
device : Device, Queue or str
    Device to copy to, or a queue of it.
stream : Queue, optional
    Queue for the copy; by default the current queue of that device.

Returns
-------
Array
    Array on the device: the array itself if it is already there.

Raises
------
ValueError
    If `stream` belongs to another device.

Examples
--------
>>> x = qn.ones(2, device="host")
>>> x.to_device("host") is x
True)")
      .def(
          "__copy__", [](nb::handle_t<PyArray> self) { return self.attr("copy")(); },
          nb::sig("def __copy__(self) -> Array"))
      .def(
          "__deepcopy__", [](nb::handle_t<PyArray> self, nb::handle /*memo*/) { return self.attr("copy")(); },
          nb::arg("memo"), nb::sig("def __deepcopy__(self, memo: object, /) -> Array"))
      .def("tobytes", &bytes_in_order, nb::arg("order").none() = "C",
           nb::sig("def tobytes(self, order: str | None = 'C') -> bytes"),
           R"(Copy the elements to a bytes object. The call waits for them.

Parameters
----------
order : str, optional
    Order of the elements: 'C', 'F', or 'A' and 'K' for that of the memory.

Returns
-------
bytes
    Bytes of the elements.

Examples
--------
>>> list(qn.asarray([1, 2], dtype="int8").tobytes())
[1, 2])")
      .def("__bytes__", &array_bytes, nb::sig("def __bytes__(self) -> bytes"));
}

}  // namespace quern::python
