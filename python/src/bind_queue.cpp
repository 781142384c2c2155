// SPDX-License-Identifier: MIT
// Queues and events.

#include <functional>
#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "pattern.hpp"
#include "transfer.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

const char* status_name(EventStatus status) {
  switch (status) {
    case EventStatus::queued:
      return "queued";
    case EventStatus::submitted:
      return "submitted";
    case EventStatus::complete:
      return "complete";
    case EventStatus::failed:
      break;
  }
  return "failed";
}

bool wait_with_limit(const Event& event, nb::handle timeout) {
  if (timeout.is_none()) {
    wait_for_event(event);
    return true;
  }
  const Deadline limit = deadline_after(timeout);
  return wait_interruptibly(limit, [&](Deadline deadline) { return event.wait_until(deadline); });
}

nb::object error_of(const Event& event) {
  const std::exception_ptr error = without_gil([&] { return event.error(); });
  return error ? python_error_object(error) : nb::none();
}

void make_queue(Queue* self, nb::handle device, nb::handle context, nb::handle profiling) {
  const QueueOptions options{flag_argument(profiling, "profiling")};
  if (context.is_none()) {
    const Device target = device_or_current(device);
    new (self) Queue(without_gil([&] { return Queue(target, options); }));
    return;
  }
  const Context& shared = context_argument(context, "context");
  const Device target = device.is_none() ? shared.devices().front() : device_or_current(device);
  new (self) Queue(without_gil([&] { return Queue(shared, target, options); }));
}

void bind_event(nb::module_& module) {
  nb::class_<Times>(
      module, "Times",
      "Times at which an operation was queued and ran, in nanoseconds of the host's steady clock.")
      .def_ro("queued", &Times::queued, "Time at which the operation was enqueued.")
      .def_ro("submitted", &Times::submitted, "Time at which the operation was submitted to the device.")
      .def_ro("started", &Times::started, "Time at which the device started the operation.")
      .def_ro("ended", &Times::ended, "Time at which the device ended the operation.")
      .def_prop_ro(
          "duration", [](const Times& self) { return self.ended - self.started; },
          "Nanoseconds from `started` to `ended`.")
      .def("__repr__", [](const Times& self) {
        return "Times(queued=" + std::to_string(self.queued) +
               ", submitted=" + std::to_string(self.submitted) + ", started=" + std::to_string(self.started) +
               ", ended=" + std::to_string(self.ended) + ")";
      });

  nb::class_<Event>(module, "Event", nb::is_final(), "Event of an enqueued operation; wait() waits for it.")
      .def("wait", &wait_with_limit, nb::arg("timeout") = nb::none(),
           nb::sig("def wait(self, timeout: float | None = None) -> bool"),
           "Wait until the operation is done; raises its error if it failed. Returns False if `timeout` "
           "seconds pass first.")
      .def_prop_ro("done", &Event::done, "Whether the operation has ended, with or without an error.")
      .def_prop_ro(
          "status", [](const Event& self) { return status_name(self.status()); },
          "Status: \"queued\" (not yet submitted), \"submitted\", \"complete\" or \"failed\".")
      .def_prop_ro("error", &error_of, nb::sig("def error(self) -> Exception | None"),
                   "Exception of the operation if it failed, otherwise None.")
      .def_prop_ro(
          "times",
          [](const Event& self) {
            const bool waited = self.done();
            if (!waited) wait_for_event(self);
            return without_gil([&] { return self.times(); });
          },
          "Times of the operation; waits for it. The queue must be made with profiling=True.")
      .def("__repr__",
           [](const Event& self) { return std::string("<quern.Event ") + status_name(self.status()) + ">"; });
}

}  // namespace

void bind_queue(nb::module_& module) {
  bind_event(module);
  nb::class_<Queue>(
      module, "Queue", nb::is_final(),
      R"(In-order queue of work for a device. `with queue:` makes it the current queue of the thread or task.

Parameters
----------
device : Device or str, optional
    Device of the queue; the current device by default.
context : Context, optional
    Context of the queue; the default context of the device by default.
profiling : bool, optional
    If True, events of the queue have times.

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
          nb::kw_only(), nb::arg("profiling").none() = false,
          nb::sig("def __init__(self, device: Device | str | None = None, context: Context | None = None, *, "
                  "profiling: bool = False) -> None"))
      .def_static(
          "of",
          [](nb::handle device) {
            const Device target = device_argument(device, "device");
            return without_gil([&] { return Queue::of(target); });
          },
          nb::arg("device").none(), nb::sig("def of(device: Device) -> Queue"), "Default queue of a device.")
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
          "Wrap a queue of another owner (cl_command_queue or CUstream); `owner` is kept alive.")
      .def_prop_ro("device", &Queue::device, "Device of the queue.")
      .def_prop_ro("context", &Queue::context, "Context of the queue.")
      .def_prop_ro("profiling", &Queue::profiling, "Whether events of the queue have times.")
      .def_prop_ro("native_handle", &Queue::native_handle,
                   "Native handle: cl_command_queue or CUstream; 0 on the host.")
      .def("copy", &enqueue_copy, nb::arg("dst").none(), nb::arg("src").none(), nb::kw_only(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def copy(self, dst: object, src: object, *, wait_for: Event | "
                   "collections.abc.Sequence[Event] | None = None) -> "
                   "Event"),
           "Copy between buffers, arrays and host memory of the same size, without waiting. Returns the "
           "Event; host memory is kept alive.")
      .def(
          "fill",
          [](const Queue& self, nb::handle target, nb::handle value, nb::handle wait_for) {
            return enqueue_fill(self, target, value, wait_for);
          },
          nb::arg("dst").none(), nb::arg("value").none(), nb::kw_only(), nb::arg("wait_for") = nb::none(),
          nb::sig("def fill(self, dst: Buffer | Array, value: object, *, wait_for: Event | "
                  "collections.abc.Sequence[Event] | None = "
                  "None) -> Event"),
          "Fill memory with a repeated byte, NumPy scalar or array element, without waiting. Returns "
          "the Event.")
      .def(
          "barrier",
          [](const Queue& self, nb::handle wait_for) {
            const std::vector<Event> events = events_of(wait_for);
            return without_gil([&] { return self.barrier(events); });
          },
          nb::arg("wait_for") = nb::none(),
          nb::sig(
              "def barrier(self, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
          "Barrier: work enqueued later runs after these events. The returned Event is done after all "
          "work enqueued so far.")
      .def(
          "flush", [](const Queue& self) { without_gil([&] { self.flush(); }); },
          "Submit all enqueued work to the device, without waiting.")
      .def(
          "finish",
          [](const Queue& self) {
            wait_interruptibly(Deadline::max(),
                               [&](Deadline deadline) { return self.finish_until(deadline); });
            release_kept();
          },
          "Wait until all enqueued work is done. Raises a deferred error of that work, once.")
      .def("start_recording", &Queue::start_recording,
           "Start to record the Event of each operation that is enqueued.")
      .def("stop_recording", &Queue::stop_recording,
           "Stop recording and return the Events since start_recording().")
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
        return "<quern.Queue on '" + self.device().spec() + "'" + (self.profiling() ? ", profiling>" : ">");
      });
}

}  // namespace quern::python
