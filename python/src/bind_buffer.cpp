// SPDX-License-Identifier: MIT
// Buffers and pinned host memory.

#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "pattern.hpp"
#include "transfer.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

Access access_of(nb::handle access) {
  const std::string name = text_argument(access, "access");
  if (name == "rw") return Access::read_write;
  if (name == "r") return Access::read_only;
  if (name == "w") return Access::write_only;
  value_error("access: expected \"rw\", \"r\" or \"w\", got \"" + name + "\"");
}

const char* access_name(Access access) {
  switch (access) {
    case Access::read_write:
      return "rw";
    case Access::read_only:
      return "r";
    case Access::write_only:
      break;
  }
  return "w";
}

void make_buffer(Buffer* self, nb::handle nbytes, nb::handle device, nb::handle queue, nb::handle context,
                 nb::handle access) {
  const std::size_t size = size_argument(nbytes, "nbytes");
  const Access allowed = access_of(access);
  release_kept();
  if (!context.is_none()) {
    const Context& shared = context_argument(context, "context");
    const Device home = device.is_none() ? shared.devices().front() : device_or_current(device);
    new (self) Buffer(without_gil([&] { return Buffer(shared, home, size, allowed); }));
  } else if (!queue.is_none() || device.is_none()) {
    nb::object keep;
    const Queue user = queue_or_current(queue, keep);
    new (self) Buffer(without_gil([&] { return Buffer(user, size, allowed); }));
  } else {
    const Device home = device_or_current(device);
    new (self) Buffer(without_gil([&] { return Buffer(home, size, allowed); }));
  }
}

Buffer sub_range(const Buffer& buffer, nb::handle index) {
  if (!nb::isinstance<nb::slice>(index)) {
    type_error("buffer[...]: expected a slice of bytes, such as buffer[0:16], got " + class_name(index) +
               "; use read() to copy to the host");
  }
  const auto slice = nb::borrow<nb::slice>(index);
  for (const char* part : {"start", "stop", "step"}) {
    const nb::object number = slice.attr(part);
    if (!number.is_none() && PyIndex_Check(number.ptr()) == 0)
      type_error(std::string("buffer[...]: the slice's ") + part + ": expected an int, got " +
                 class_name(number));
  }
  const auto range = slice.compute(buffer.size());
  if (range.template get<2>() != 1) value_error("buffer[...]: slice step must be 1");
  const auto start = static_cast<std::size_t>(range.template get<0>());
  return buffer.sub_buffer(start, range.template get<3>());
}

void write(const Buffer& self, nb::handle source, nb::handle start, nb::handle queue, nb::handle wait_for) {
  const std::size_t offset = size_argument(start, "offset");
  const Queue user = queue_for(queue, self);
  HostMemory host(source, false, "source");
  if (offset > self.size() || host.size() > self.size() - offset) {
    value_error("write: " + std::to_string(host.size()) + " bytes at offset " + std::to_string(offset) +
                " do not fit a buffer of " + std::to_string(self.size()));
  }
  const Buffer target = self.sub_buffer(offset, host.size());
  const std::vector<Event> events = events_of(wait_for);
  void* const from = host.data();
  const std::size_t size = host.size();
  wait_for_event(
      without_gil([&, keep = host.keep()] { return user.write(target, from, size, events, keep); }));
  release_kept();
}

nb::object read(const Buffer& self, nb::object out, nb::handle start, nb::handle queue, nb::handle wait_for) {
  const std::size_t offset = size_argument(start, "offset");
  const Queue user = queue_for(queue, self);
  if (offset > self.size()) value_error("read: offset " + std::to_string(offset) + " is past the end");
  if (out.is_none())
    out = empty_numpy_array({static_cast<std::int64_t>(self.size() - offset)}, numpy_dtype(nb::str("uint8")));
  HostMemory host(out, true, "out");
  if (host.size() > self.size() - offset) {
    value_error("read: " + std::to_string(host.size()) + " bytes at offset " + std::to_string(offset) +
                " are more than the buffer's " + std::to_string(self.size()));
  }
  const Buffer source = self.sub_buffer(offset, host.size());
  const std::vector<Event> events = events_of(wait_for);
  void* const to = host.data();
  const std::size_t size = host.size();
  check_read_outside_capture(user, source);
  wait_for_event(without_gil([&] { return user.before_read(source, events); }));
  wait_for_event(without_gil([&, keep = host.keep()] { return user.read(source, to, size, events, keep); }));
  release_kept();
  return out;
}

int show_pinned(PyObject* self, Py_buffer* view, int flags) {
  const auto* memory = nb::inst_ptr<PinnedBuffer>(self);
  return PyBuffer_FillInfo(view, self, memory->data(), static_cast<Py_ssize_t>(memory->size()), 0, flags);
}

void bind_pinned(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(show_pinned)}, {0, nullptr}};
  nb::class_<PinnedBuffer>(module, "PinnedBuffer", nb::type_slots(slots), nb::is_final(),
                           R"(Page-locked host memory; quern.pinned_empty() makes NumPy arrays in it.

Parameters
----------
nbytes : int
    Size in bytes.
device : Device or str, optional
    Device that the copies are for; the current device by default.

Examples
--------
>>> np.frombuffer(qn.PinnedBuffer(16), dtype="int32").shape
(4,))")
      .def(
          "__init__",
          [](PinnedBuffer* self, nb::handle nbytes, nb::handle device) {
            const std::size_t size = size_argument(nbytes, "nbytes");
            const Device target = device_or_current(device);
            new (self) PinnedBuffer(without_gil([&] { return PinnedBuffer(target, size); }));
          },
          nb::arg("nbytes").none(), nb::arg("device") = nb::none(),
          nb::sig("def __init__(self, nbytes: int, device: Device | str | None = None) -> None"))
      .def_prop_ro("nbytes", &PinnedBuffer::size, "Size in bytes.")
      .def("__len__", &PinnedBuffer::size);
}

}  // namespace

void bind_buffer(nb::module_& module) {
  nb::class_<Buffer>(module, "Buffer", nb::is_final(), R"(Range of bytes in device memory.

Parameters
----------
nbytes : int
    Size in bytes.
device : Device or str, optional
    Device of the memory; the current device by default.
queue : Queue, optional
    Queue whose device the memory is on.
context : Context, optional
    Context of the memory; the default context of the device by default.
access : str, optional
    Access by kernels: "r", "w" or "rw".

Raises
------
OutOfDeviceMemory
    If the device has no memory left.

Examples
--------
>>> memory = qn.Buffer(64)
>>> memory[16:32].nbytes
16)")
      .def("__init__", &make_buffer, nb::arg("nbytes").none(), nb::kw_only(), nb::arg("device") = nb::none(),
           nb::arg("queue") = nb::none(), nb::arg("context") = nb::none(), nb::arg("access").none() = "rw",
           nb::sig("def __init__(self, nbytes: int, *, device: Device | str | None = None, queue: Queue | "
                   "None = None, "
                   "context: Context | None = None, access: str = 'rw') -> None"))
      .def_static(
          "wrap",
          [](nb::handle handle, nb::handle nbytes, nb::handle device, nb::object owner, nb::handle access) {
            const std::uintptr_t native_handle = address_argument(handle, "native_handle");
            const Device target = device_or_current(device);
            const std::size_t size = size_argument(nbytes, "nbytes");
            const Access allowed = access_of(access);
            std::shared_ptr<void> keep = owner.is_none() ? nullptr : keep_object(std::move(owner));
            return without_gil([&] {
              return Buffer::wrap(Context::of(target), target, native_handle, size, std::move(keep), allowed);
            });
          },
          nb::arg("native_handle").none(), nb::arg("nbytes").none(), nb::arg("device") = nb::none(),
          nb::arg("owner") = nb::none(), nb::arg("access").none() = "rw",
          nb::sig("def wrap(native_handle: int, nbytes: int, device: Device | str | None = None, owner: "
                  "object = None, "
                  "access: str = 'rw') -> Buffer"),
          R"(Wrap memory that another library allocated, without a copy.

Parameters
----------
native_handle : int
    Address of the cl_mem, CUdeviceptr, or address of host memory on the host device.
nbytes : int
    Size in bytes.
device : Device or str, optional
    Device of the memory; the current device by default.
owner : object, optional
    Object that owns the memory. It is kept alive as long as the result.
access : str, optional
    Access by kernels: 'r', 'w' or 'rw'.

Returns
-------
Buffer
    Buffer of the same memory.

Raises
------
ValueError
    If `access` is none of these, or if the device can tell that the handle is not memory of this size.

Examples
--------
>>> values = np.arange(4, dtype=np.uint8)
>>> memory = qn.Buffer.wrap(values.ctypes.data, values.nbytes, owner=values)
>>> memory.fill(7).wait()
True
>>> print(values)
[7 7 7 7])")
      .def_prop_ro("nbytes", &Buffer::size, "Size in bytes.")
      .def_prop_ro("offset", &Buffer::offset, "Bytes from the start of the allocation.")
      .def_prop_ro(
          "access", [](const Buffer& self) { return access_name(self.access()); },
          "Access by kernels: \"r\", \"w\" or \"rw\".")
      .def_prop_ro("device", &Buffer::device, "Device of the memory.")
      .def_prop_ro("context", &Buffer::context, "Context of the memory.")
      .def_prop_ro(
          "native_handle",
          [](const Buffer& self) { return without_gil([&] { return self.native_handle(); }); },
          "Native handle: cl_mem, CUdeviceptr or host pointer. Reading it first enqueues the lazy "
          "arrays that read this memory.")
      .def(
          "wait",
          [](const Buffer& self) {
            wait_interruptibly(Deadline::max(), [&](Deadline deadline) { return self.wait_until(deadline); });
          },
          R"(Wait until all enqueued work that uses this memory is done.

Raises
------
Error
    If work that wrote this memory failed.

Examples
--------
>>> memory = qn.Buffer(16)
>>> event = memory.fill(0)
>>> memory.wait()
>>> event.done
True)")
      .def_prop_ro("released", &Buffer::released, "Whether release() was called.")
      .def("__len__", &Buffer::size)
      .def("__getitem__", &sub_range, nb::arg("range").none(),
           nb::sig("def __getitem__(self, range: slice) -> Buffer"),
           "buffer[start:stop], in bytes: a sub-buffer of the same memory.")
      .def(
          "sub_buffer",
          [](const Buffer& self, nb::handle offset, nb::handle nbytes) {
            return self.sub_buffer(size_argument(offset, "offset"), size_argument(nbytes, "nbytes"));
          },
          nb::arg("offset").none(), nb::arg("nbytes").none(),
          nb::sig("def sub_buffer(self, offset: int, nbytes: int) -> Buffer"),
          R"(Range of this memory as a buffer, without a copy.

Parameters
----------
offset : int
    First byte.
nbytes : int
    Size in bytes.

Returns
-------
Buffer
    Buffer that shares the memory and keeps it alive.

Raises
------
ValueError
    If the range is not within the buffer.

Examples
--------
>>> part = qn.Buffer(64).sub_buffer(16, 32)
>>> part.offset, part.nbytes
(16, 32))")
      .def(
          "fill",
          [](nb::handle_t<Buffer> self, nb::handle value, nb::handle dtype, nb::handle queue,
             nb::handle wait_for) {
            return enqueue_fill(queue_for(queue, *nb::inst_ptr<Buffer>(self)), self, value, dtype, wait_for);
          },
          nb::arg("value").none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
          nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
          nb::sig("def fill(self, value: object, *, dtype: typing.Any = None, queue: Queue | None = None, "
                  "wait_for: Event | "
                  "collections.abc.Sequence[Event] | "
                  "None = None) -> Event"),
          documented(R"(Fill the memory with a repeated value, without waiting.

Parameters
----------
value : object
    Byte from 0 to 255, or a pattern of any length: bytes, a NumPy scalar or a contiguous NumPy array. With `dtype`, a
    value of that dtype.
dtype : dtype, optional
    Dtype of the value, which may be a structure.
@queue
@wait_for

Returns
-------
Event
    Event of the fill.

Raises
------
ValueError
    If the size of the buffer is not a multiple of the value's size.

Examples
--------
>>> memory = qn.Buffer(4)
>>> memory.fill(b"ab").wait()
True
>>> print(memory.read())
[97 98 97 98]
>>> memory.fill(1.5, dtype="float16").wait()
True
>>> print(memory.read().view("float16"))
[1.5 1.5])")
              .c_str())
      .def("write", &write, nb::arg("source").none(), nb::arg("offset").none() = 0, nb::kw_only(),
           nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
           nb::sig("def write(self, source: object, offset: int = 0, *, queue: Queue | None = None, "
                   "wait_for: Event | "
                   "collections.abc.Sequence[Event] | None = None) -> None"),
           documented(R"(Copy host memory into the buffer and wait for the copy; Queue.copy() does not wait.

Parameters
----------
source : host memory
    Contiguous NumPy array, bytes or another object with host memory.
offset : int, optional
    First byte in the buffer.
@queue
@wait_for

Raises
------
ValueError
    If the bytes do not fit the buffer.

Examples
--------
>>> memory = qn.Buffer(4)
>>> memory.write(np.arange(4, dtype="uint8"))
>>> print(memory.read())
[0 1 2 3])")
               .c_str())
      .def("read", &read, nb::arg("out") = nb::none(), nb::arg("offset").none() = 0, nb::kw_only(),
           nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
           nb::sig("def read(self, out: typing.Any = None, offset: int = 0, *, queue: Queue | None = None, "
                   "wait_for: "
                   "Event | collections.abc.Sequence[Event] | None = None) -> typing.Any"),
           documented(R"(Copy the buffer to host memory and wait for the copy; Queue.copy() does not wait.

Parameters
----------
out : host memory, optional
    Contiguous NumPy array or another writable object. By default it is a new NumPy array of uint8.
offset : int, optional
    First byte in the buffer.
@queue
@wait_for

Returns
-------
object
    `out`.

Raises
------
ValueError
    If `out` has more bytes than the buffer has from `offset` on.

Examples
--------
>>> memory = qn.Buffer(4)
>>> memory.write(b"abcd")
>>> print(memory.read(offset=2))
[ 99 100])")
               .c_str())
      .def("release", &Buffer::release,
           R"(Release this handle's reference to the memory now, without waiting.

The memory returns to the pool when its last handle is gone. Enqueued work that uses it still runs. Using the handle
afterwards raises an error.

Examples
--------
>>> memory = qn.Buffer(16)
>>> memory.release()
>>> memory.released
True)")
      .def("__repr__", [](const Buffer& self) {
        if (self.released()) return std::string("<quern.Buffer released>");
        return "<quern.Buffer of " + std::to_string(self.size()) + " bytes on '" + self.device().spec() +
               "'>";
      });
  bind_pinned(module);

  module.def(
      "copy_rect",
      [](nb::handle dst, nb::handle src, nb::handle region, nb::handle dst_origin, nb::handle src_origin,
         nb::handle dst_pitches, nb::handle src_pitches, nb::handle queue, nb::handle wait_for) {
        return enqueue_copy_rect(queue, dst, src, region, {dst_origin, dst_pitches},
                                 {src_origin, src_pitches}, wait_for);
      },
      nb::arg("dst").none(), nb::arg("src").none(), nb::arg("region").none(), nb::kw_only(),
      nb::arg("dst_origin") = nb::none(), nb::arg("src_origin") = nb::none(),
      nb::arg("dst_pitches") = nb::none(), nb::arg("src_pitches") = nb::none(), nb::arg("queue") = nb::none(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def copy_rect(dst: object, src: object, region: collections.abc.Sequence[int], *, dst_origin: "
              "collections.abc.Sequence[int] | None = None, src_origin: collections.abc.Sequence[int] | None "
              "= None, dst_pitches: "
              "collections.abc.Sequence[int] | None = None, src_pitches: collections.abc.Sequence[int] | "
              "None = None, queue: Queue | "
              "None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
      documented(R"(Copy a rectangular region between buffers, arrays and host memory, without waiting.

Parameters
----------
dst : Buffer, Array or host memory
    Memory to copy to.
src : Buffer, Array or host memory
    Memory to copy from.
region : sequence of int
    Bytes in a row, rows, and slices.
dst_origin : sequence of int, optional
    First byte, row and slice in `dst`; 0 by default.
src_origin : sequence of int, optional
    First byte, row and slice in `src`; 0 by default.
dst_pitches : sequence of int, optional
    Bytes from row to row and from slice to slice in `dst`; by default the rows have no gaps.
src_pitches : sequence of int, optional
    Bytes from row to row and from slice to slice in `src`; by default the rows have no gaps.
@queue
@wait_for

Returns
-------
Event
    Event of the copy.

Raises
------
ValueError
    If the region is not within the memory.

Examples
--------
>>> source = qn.asarray([[1, 2, 3], [4, 5, 6]], dtype="int8")
>>> target = qn.zeros((2, 2), dtype="int8")
>>> event = qn.copy_rect(target, source, (2, 2), src_origin=(1, 0), src_pitches=(3,))
>>> print(target)
[[2 3]
 [5 6]])")
          .c_str());
}

}  // namespace quern::python
