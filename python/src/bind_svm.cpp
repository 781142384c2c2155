// SPDX-License-Identifier: MIT
// Arrays in shared virtual memory, and NumPy views of them.

#include "quern/svm.hpp"

#include <string>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

const char* grain_name(SvmGrain grain) {
  if (grain == SvmGrain::none) return "none";
  return grain == SvmGrain::fine ? "fine" : "coarse";
}

// The bytes of fine-grained memory, which a NumPy view refers to.
struct SvmBytes {
  Buffer buffer;
};

int show_svm(PyObject* self, Py_buffer* view, int flags) {
  const Buffer& buffer = nb::inst_ptr<SvmBytes>(self)->buffer;
  static char none = 0;  // the address of no bytes
  void* const data = buffer.empty() ? &none : buffer.host_pointer();
  return PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(buffer.size()), 0, flags);
}

nb::object view_of_svm(const PyArray& array) {
  const ArrayMemory memory = without_gil([&] { return array.array.evaluate(); });
  if (!memory.buffer.empty() && memory.buffer.host_pointer() == nullptr) {
    value_error(
        "svm_view: expected an array in fine-grained shared virtual memory, which svm_empty(..., "
        "fine_grain=True) makes; use map()");
  }
  wait_interruptibly(Deadline::max(), [&](Deadline deadline) { return memory.buffer.wait_until(deadline); });
  nb::list strides;
  for (const std::int64_t stride : memory.strides) strides.append(stride);
  return numpy_attribute("ndarray")(shape_tuple(array.array.shape()), array.dtype,
                                    nb::cast(SvmBytes{memory.buffer}), memory.offset, nb::tuple(strides));
}

}  // namespace

void bind_svm(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(show_svm)}, {0, nullptr}};
  nb::class_<SvmBytes>(module, "SvmBytes", nb::type_slots(slots), nb::is_final(),
                       "Shared virtual memory, which NumPy views refer to.");
  module.def(
      "svm_grain", [](nb::handle device) { return grain_name(svm_grain(device_or_current(device))); },
      nb::arg("device") = nb::none(), nb::sig("def svm_grain(device: Device | str | None = None) -> str"),
      R"(Finest grain of a device's shared virtual memory.

Parameters
----------
device : Device or str, optional
    Device; the current device by default.

Returns
-------
str
    "fine", "coarse", or "none" if the device has no shared virtual memory.

Examples
--------
>>> qn.svm_grain("host")
'fine')");
  module.def(
      "svm_empty",
      [](nb::handle shape, nb::handle dtype, nb::handle fine_grain, nb::handle device, nb::handle queue) {
        const SvmGrain grain = flag_argument(fine_grain, "fine_grain") ? SvmGrain::fine : SvmGrain::coarse;
        const nb::object element = native_dtype(dtype);
        const DType type = element_type(element);
        const Shape lengths = shape_of(shape);
        const Queue user = queue_on(device, queue);
        release_kept();
        return PyArray{without_gil([&] { return svm_empty(user, lengths, type, grain); }), element};
      },
      nb::arg("shape").none(), nb::arg("dtype").none() = "float64", nb::kw_only(),
      nb::arg("fine_grain") = false, nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
      nb::sig("def svm_empty(shape: int | collections.abc.Sequence[int], dtype: typing.Any = 'float64', *, "
              "fine_grain: bool = False, device: Device | str | None = None, queue: Queue | None = None) -> "
              "Array"),
      R"(Uninitialised array in shared virtual memory, which has one address on the host and on the device.

The elements may hold pointers into the array, or into others, that the host and kernels follow. It is ordinary memory on
the host, clSVMAlloc's on OpenCL and managed memory on CUDA. The host accesses it by map(), or, if it is fine-grained, by
svm_view().

Parameters
----------
shape : int or sequence of int
    Shape of the array.
dtype : dtype, optional
    Dtype of the elements.
fine_grain : bool, optional
    If True, the host may access it without maps, whenever no operation on the device uses it.
device : Device or str, optional
    Device; the current device by default.
queue : Queue, optional
    Queue whose device the memory is on.

Returns
-------
Array
    Array whose elements are not initialised.

Raises
------
ValueError
    If the device has no shared virtual memory of this grain.
OutOfDeviceMemory
    If it is more than the device has free.

Examples
--------
>>> x = qn.svm_empty(3, "int32", device="host")
>>> with x.map("discard") as view:
...     view[:] = [1, 2, 3]
>>> print(x + 1)
[2 3 4])");
  module.def("svm_view", &view_of_svm, nb::arg("array"), nb::sig("def svm_view(array: Array) -> typing.Any"),
             R"(NumPy view of an array in fine-grained shared virtual memory.

It waits for enqueued work that uses the array. Wait for later work before the view is used again.

Parameters
----------
array : Array
    Array that svm_empty() made with fine_grain=True.

Returns
-------
numpy.ndarray
    The same memory.

Raises
------
ValueError
    If the host cannot access the memory without a map.

Examples
--------
>>> x = qn.svm_empty(3, fine_grain=True, device="host")
>>> qn.svm_view(x)[:] = 5
>>> print(x)
[5. 5. 5.])");
}

}  // namespace quern::python
