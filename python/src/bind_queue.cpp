// SPDX-License-Identifier: MIT
// Queues.

#include <algorithm>
#include <functional>
#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "pattern.hpp"
#include "transfer.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

void finish(const Queue& self, nb::handle timeout) {
  const bool is_done = wait_interruptibly(deadline_after(timeout),
                                          [&](Deadline deadline) { return self.finish_until(deadline); });
  release_kept();
  if (is_done) return;
  std::string text = self.description() + " has not finished after " + text_of(timeout) + " s";
  if (const std::string held = without_gil([&] { return self.held_back(); }); !held.empty())
    text += ": " + held;
  PyErr_SetString(PyExc_TimeoutError, text.c_str());
  throw nb::python_error();
}

template <Event (Queue::*Enqueue)(WaitList) const>  // barrier or marker
Event enqueue_after(const Queue& self, nb::handle wait_for) {
  const std::vector<Event> events = events_of(wait_for);
  return without_gil([&] { return (self.*Enqueue)(events); });
}

int priority_argument(nb::handle value) {
  if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(value.ptr(), &overflow);
    constexpr long kMost = 1000;  // more than any device has
    return static_cast<int>(overflow != 0 ? overflow * kMost : std::clamp(number, -kMost, kMost));
  }
  if (nb::isinstance<nb::str>(value)) {
    const std::string name = nb::cast<std::string>(value);
    if (name == "low") return -1;
    if (name == "normal") return 0;
    if (name == "high") return 1;
  }
  throw ArgumentError(
      nb::isinstance<nb::str>(value) ? ArgumentError::Kind::value : ArgumentError::Kind::type,
      "priority: expected 'low', 'normal', 'high' or an integer, got " + text_of(nb::repr(value)));
}

std::string name_argument(nb::handle value) {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  throw ArgumentError(ArgumentError::Kind::type,
                      "name: expected a string or None, got " + text_of(nb::repr(value)));
}

void make_queue(Queue* self, nb::handle device, nb::handle context, nb::handle profiling,
                nb::handle out_of_order, nb::handle track_memory, nb::handle priority, nb::handle name) {
  const QueueOptions options{
      flag_argument(profiling, "profiling"), flag_argument(out_of_order, "out_of_order"),
      flag_argument(track_memory, "track_memory"), priority_argument(priority), name_argument(name)};
  if (context.is_none()) {
    const Device target = device_or_current(device);
    new (self) Queue(without_gil([&] { return Queue(target, options); }));
    return;
  }
  const Context& shared = context_argument(context, "context");
  const Device target = device.is_none() ? shared.devices().front() : device_or_current(device);
  new (self) Queue(without_gil([&] { return Queue(shared, target, options); }));
}

}  // namespace

void bind_queue(nb::module_& module) {
  nb::class_<Queue>(
      module, "Queue", nb::is_final(),
      R"(Queue of work for a device. `with queue:` makes it the current queue of the thread or task.

Parameters
----------
device : Device or str, optional
    Device of the queue; the current device by default.
context : Context, optional
    Context of the queue; the default context of the device by default.
profiling : bool, optional
    If True, events of the queue have times.
out_of_order : bool, optional
    If False, the default, operations run in the order in which they are enqueued. If True, an operation starts as soon as
    these are done: the events of its `wait_for`, earlier operations of any queue that write memory it uses or use memory
    it writes, and the last barrier().
track_memory : bool, optional
    If False, an operation does not wait for others that use the same memory, but only for its `wait_for`, for barrier()
    and, on an in-order queue, for earlier operations of the queue. The caller then ensures that no operation uses memory
    that an unfinished one writes, or writes memory that an unfinished one uses. Memory stays alive while it is in use. On
    an out-of-order queue without tracking, array operations raise ValueError.
priority : int or {'low', 'normal', 'high'}, optional
    Work of higher priority runs first; the names are -1, 0 and 1. It is a hint: values beyond the range of the device
    become its nearest, and a device without priorities ignores it.
name : str, optional
    What errors, profiles and the representation call the queue.

Examples
--------
>>> queue = qn.Queue(profiling=True)
>>> event = qn.zeros(3).fill(1, queue=queue)
>>> event.wait()
True
>>> event.times.duration >= 0
True)")
      .def(
          "__init__", &make_queue, nb::arg("device") = nb::none(), nb::arg("context") = nb::none(),
          nb::kw_only(), nb::arg("profiling").none() = false, nb::arg("out_of_order").none() = false,
          nb::arg("track_memory").none() = true, nb::arg("priority").none() = 0, nb::arg("name") = nb::none(),
          nb::sig("def __init__(self, device: Device | str | None = None, context: Context | None = None, *, "
                  "profiling: bool = False, out_of_order: bool = False, track_memory: bool = True, priority: "
                  "int | str = 0, name: str | None = None) -> None"))
      .def_static(
          "of",
          [](nb::handle device) {
            const Device target = device_argument(device, "device");
            return without_gil([&] { return Queue::of(target); });
          },
          nb::arg("device").none(), nb::sig("def of(device: Device) -> Queue"),
          R"(Default queue of a device, which all threads share.

Parameters
----------
device : Device
    Device of the queue.

Returns
-------
Queue
    The same queue in every call. Work that names no queue is enqueued on it, unless another queue is current.

Examples
--------
>>> device = qn.device("host")
>>> qn.Queue.of(device) == qn.Queue.of(device)
True)")
      .def_static(
          "wrap",
          [](nb::handle handle, nb::handle device, nb::object owner) {
            const std::uintptr_t native_handle = address_argument(handle, "native_handle");
            const Device target = device_or_current(device);
            std::shared_ptr<void> keep = owner.is_none() ? nullptr : keep_object(std::move(owner));
            return without_gil(
                [&] { return Queue::wrap(Context::of(target), target, native_handle, std::move(keep)); });
          },
          nb::arg("native_handle").none(), nb::arg("device") = nb::none(), nb::arg("owner") = nb::none(),
          nb::sig("def wrap(native_handle: int, device: Device | str | None = None, owner: object = None) -> "
                  "Queue"),
          R"(Wrap a queue that another library made.

Parameters
----------
native_handle : int
    Address of the cl_command_queue, or the CUstream. The queue must execute in order.
device : Device or str, optional
    Device of the queue; the current device by default.
owner : object, optional
    Object that owns the queue. It is kept alive as long as the result.

Returns
-------
Queue
    Queue on the same native queue. Work enqueued through both runs in one order.

Raises
------
ValueError
    If the queue belongs to another device or context, if it does not execute in order, or if the device is the host, which
    has no native queues.)")
      .def_prop_ro("device", &Queue::device, "Device of the queue.")
      .def_prop_ro("context", &Queue::context, "Context of the queue.")
      .def_prop_ro("profiling", &Queue::profiling, "Whether events of the queue have times.")
      .def_prop_ro("out_of_order", &Queue::out_of_order, "Whether operations may run in any order.")
      .def_prop_ro("track_memory", &Queue::track_memory,
                   "Whether operations wait for others that use the same memory.")
      .def_prop_ro("priority", &Queue::priority,
                   "Priority that the device gives to the work; 0 if it has no priorities.")
      .def_prop_ro("name", &Queue::name, "Name in errors and profiles; empty if it has none.")
      .def_prop_ro(
          "native_handle", &Queue::native_handle,
          "Native handle: cl_command_queue or CUstream, of an out-of-order queue the first; 0 on the "
          "host.")
      .def("copy", &enqueue_copy, nb::arg("dst").none(), nb::arg("src").none(), nb::kw_only(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def copy(self, dst: object, src: object, *, wait_for: Event | "
                   "collections.abc.Sequence[Event] | None = None) -> "
                   "Event"),
           documented(R"(Copy between buffers, arrays and host memory, without waiting.

Host memory is kept alive until the copy is done. Until then do not modify the source, and do not read the
target.

Parameters
----------
dst : Buffer, Array or host memory
    Memory to copy to.
src : Buffer, Array or host memory
    Memory to copy from, of the same size in bytes. At least one of the two is on a device.
@wait_for

Returns
-------
Event
    Event of the copy.

Raises
------
ValueError
    If the sizes differ.
TypeError
    If both are arrays of different dtypes, or if neither is on a device.

Examples
--------
>>> source, target = np.arange(3), qn.zeros(3, dtype="int64")
>>> queue = qn.Queue()
>>> queue.copy(target, source).wait()
True
>>> print(target)
[0 1 2])")
               .c_str())
      .def(
          "fill",
          [](const Queue& self, nb::handle target, nb::handle value, nb::handle dtype, nb::handle wait_for) {
            return enqueue_fill(self, target, value, dtype, wait_for);
          },
          nb::arg("dst").none(), nb::arg("value").none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
          nb::arg("wait_for") = nb::none(),
          nb::sig("def fill(self, dst: Buffer | Array, value: object, *, dtype: typing.Any = None, wait_for: "
                  "Event | "
                  "collections.abc.Sequence[Event] | None = "
                  "None) -> Event"),
          documented(R"(Fill memory with a repeated value, without waiting.

Parameters
----------
dst : Buffer or Array
    Memory to fill.
value : object
    Number that is converted to the dtype of an array. For a buffer: a byte from 0 to 255, or a pattern of any length:
    bytes, a NumPy scalar or a contiguous NumPy array.
dtype : dtype, optional
    For a buffer: dtype of the value, which may be a structure.
@wait_for

Returns
-------
Event
    Event of the fill.

Raises
------
ValueError
    If the size of a buffer is not a multiple of the value's size.

Examples
--------
>>> x = qn.zeros(3)
>>> qn.Queue().fill(x, 2.5).wait()
True
>>> print(x)
[2.5 2.5 2.5])")
              .c_str())
      .def(
          "allocate",
          [](const Queue& self, nb::handle nbytes) {
            const std::size_t size = size_argument(nbytes, "nbytes");
            release_kept();
            return without_gil([&] { return Buffer(self, size); });
          },
          nb::arg("nbytes").none(), nb::sig("def allocate(self, nbytes: int) -> Buffer"),
          R"(Allocate a buffer in the order of the queue, without waiting.

The buffer may be the memory of one that was released before. Work that is enqueued on this queue may use it at once: it runs
after the work that used the released buffer. Another queue waits for that work on the device. Releasing a buffer, by
Buffer.release() or with its last reference, does not wait either. So a program may allocate and release within a
sequence of enqueued operations, as with cuMemAllocAsync and cuMemFreeAsync. The call waits only if the device has
no memory left: the pool then returns its free memory to the driver first.

Parameters
----------
nbytes : int
    Size in bytes.

Returns
-------
Buffer
    Uninitialised memory of the queue's device.

Raises
------
OutOfDeviceMemory
    If the device has too little memory.

Examples
--------
>>> queue = qn.Queue()
>>> buffer = queue.allocate(1024)
>>> event = queue.fill(buffer, 0)
>>> buffer.release()
>>> queue.finish())")
      .def(
          "empty",
          [](const Queue& self, nb::handle shape, nb::handle dtype) {
            return nb::module_::import_("quern._functions")
                .attr("empty")(shape, dtype, nb::arg("queue") = self);
          },
          nb::arg("shape").none(), nb::arg("dtype") = nb::none(),
          nb::sig("def empty(self, shape: int | collections.abc.Sequence[int], dtype: "
                  "numpy.typing.DTypeLike | None = None) -> Array"),
          R"(Allocate an array in the order of the queue, without waiting.

Its memory is that of allocate(). The same as quern.empty(shape, dtype, queue=queue).

Parameters
----------
shape : int or sequence of int
    Shape of the array.
dtype : dtype, optional
    Type of the elements; float64 by default.

Returns
-------
Array
    Uninitialised array on the queue's device.

Raises
------
OutOfDeviceMemory
    If the device has too little memory.

Examples
--------
>>> queue = qn.Queue()
>>> x = queue.empty(3, "float32")
>>> event = queue.fill(x, 2)
>>> print(x)
[2. 2. 2.])")
      .def("barrier", &enqueue_after<&Queue::barrier>, nb::arg("wait_for") = nb::none(),
           nb::sig(
               "def barrier(self, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
           R"(Let work that is enqueued later on this queue run after these events, without waiting.

Parameters
----------
wait_for : Event or sequence of Event, optional
    Events of any queue, device and backend. By default all work enqueued on this queue so far.

Returns
-------
Event
    Event that is done after these events and, on an in-order queue, after all work enqueued so far.

Examples
--------
>>> first, second = qn.Queue(), qn.Queue()
>>> event = qn.zeros(3).fill(1, queue=first)
>>> second.barrier(event).wait()
True
>>> event.done
True)")
      .def("marker", &enqueue_after<&Queue::marker>, nb::arg("wait_for") = nb::none(),
           nb::sig(
               "def marker(self, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
           R"(Event for several other events, without waiting.

On an in-order queue it is the same as barrier(). On an out-of-order queue later work does not wait for it.

Parameters
----------
wait_for : Event or sequence of Event, optional
    Events of any queue, device and backend.

Returns
-------
Event
    Event that is done after these events or, without events, after all work enqueued on this queue so far.

Examples
--------
>>> queue = qn.Queue()
>>> events = [qn.zeros(3).fill(i) for i in range(4)]
>>> queue.marker(events).wait()
True)")
      .def(
          "flush", [](const Queue& self) { without_gil([&] { self.flush(); }); },
          R"(Submit all enqueued work to the device, without waiting.

Drivers may hold work back to submit it together. Waiting submits it too. Pending expressions are not evaluated.

Examples
--------
>>> queue = qn.Queue()
>>> event = qn.zeros(3).fill(1, queue=queue)
>>> queue.flush())")
      .def("finish", &finish, nb::arg("timeout") = nb::none(),
           nb::sig("def finish(self, timeout: float | None = None) -> None"),
           R"(Evaluate the pending expressions of the queue and wait until all enqueued work is done.

Parameters
----------
timeout : float, optional
    Longest time to wait, in seconds. By default the call waits as long as the work takes.

Raises
------
Error
    If work that was enqueued since the last call failed. Each deferred error is raised once.
TimeoutError
    If `timeout` passed first. It names a user event that work on this queue waits for.

Examples
--------
>>> queue = qn.Queue()
>>> event = qn.zeros(3).fill(1, queue=queue)
>>> queue.finish()
>>> event.done
True)")
      .def(
          "finished",
          [](const Queue& self) {
            const Event last = without_gil([&] { return self.finished(); });
            const nb::object check =
                nb::cpp_function([self, last] { without_gil([&] { self.finish_up_to(last); }); });
            return nb::module_::import_("quern._future").attr("Future")(last, nb::none(), check);
          },
          nb::sig("def finished(self) -> typing.Any"),
          R"(Evaluate the pending expressions of the queue, without waiting.

Returns
-------
Future
    Its result() and `await` wait until all work enqueued so far is done, and raise the errors that finish() would raise.

Examples
--------
>>> queue = qn.Queue()
>>> event = qn.zeros(3).fill(1, queue=queue)
>>> queue.finished().result()
>>> event.done
True)")
      .def("start_recording", &Queue::start_recording,
           R"(Start to record the Event of each operation that is enqueued.

The queue keeps the events until stop_recording(). Recording starts anew if it was already on.

Examples
--------
>>> queue = qn.Queue()
>>> queue.start_recording()
>>> event = qn.zeros(3).fill(1, queue=queue)
>>> len(queue.stop_recording())
1)")
      .def("stop_recording", &Queue::stop_recording,
           R"(Stop recording.

Returns
-------
list of Event
    Events of the operations that were enqueued since start_recording(), in order; empty without it.

Examples
--------
>>> qn.Queue().stop_recording()
[])")
      .def(
          "__enter__", [](nb::handle_t<Queue> self) { return push_current(self), self; },
          nb::sig("def __enter__(self) -> Queue"))
      .def(
          "__exit__",
          [](const Queue& self, nb::args exc_info) {
            pop_current();
            // After an exception the pending expressions stay lazy.
            if (exc_info.size() == 0 || exc_info[0].is_none()) without_gil([&] { evaluate(self); });
          },
          nb::sig("def __exit__(self, *exc_info: object) -> None"))
      .def(
          "__eq__", [](const Queue& self, const Queue& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Queue& self) { return std::hash<const void*>()(self.state().get()); })
      .def("__repr__", [](const Queue& self) {
        return "<quern.Queue " + (self.name().empty() ? "" : "'" + self.name() + "' ") + "on '" +
               self.device().spec() + "'" + (self.out_of_order() ? ", out of order" : "") +
               (self.track_memory() ? "" : ", without memory tracking") +
               (self.priority() != 0 ? ", priority " + std::to_string(self.priority()) : "") +
               (self.profiling() ? ", profiling>" : ">");
      });
}

}  // namespace quern::python
