// SPDX-License-Identifier: MIT
// Queues and events.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
  nb::class_<Times>(module, "Times", "When an operation ran, in nanoseconds of the host's steady clock.")
      .def_ro("queued", &Times::queued)
      .def_ro("submitted", &Times::submitted)
      .def_ro("started", &Times::started)
      .def_ro("ended", &Times::ended)
      .def_prop_ro(
          "duration", [](const Times& self) { return self.ended - self.started; },
          "Nanoseconds on the device.")
      .def("__repr__", [](const Times& self) {
        return "Times(queued=" + std::to_string(self.queued) +
               ", submitted=" + std::to_string(self.submitted) + ", started=" + std::to_string(self.started) +
               ", ended=" + std::to_string(self.ended) + ")";
      });

  nb::class_<Event>(module, "Event", nb::is_final(), "An operation that was enqueued.")
      .def("wait", &wait_with_limit, nb::arg("timeout") = nb::none(),
           nb::sig("def wait(self, timeout: float | None = None) -> bool"),
           "Waits until the operation is done and raises what made it fail. False when `timeout` seconds "
           "passed first.")
      .def_prop_ro("done", &Event::done)
      .def_prop_ro(
          "status", [](const Event& self) { return status_name(self.status()); },
          "\"queued\" (held back), \"submitted\", \"complete\" or \"failed\".")
      .def_prop_ro("error", &error_of, nb::sig("def error(self) -> Exception | None"),
                   "What made it fail, if it did.")
      .def_prop_ro(
          "times",
          [](const Event& self) {
            const bool waited = self.done();
            if (!waited) wait_for_event(self);
            return without_gil([&] { return self.times(); });
          },
          "When the operation ran, on a queue made with profiling=True; waits for it.")
      .def("__repr__",
           [](const Event& self) { return std::string("<quern.Event ") + status_name(self.status()) + ">"; });
}

}  // namespace

void bind_queue(nb::module_& module) {
  bind_event(module);
  nb::class_<Queue>(
      module, "Queue", nb::is_final(),
      "Where work is enqueued, in order. `with queue:` makes it the current one of this thread or task.")
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
          nb::arg("device").none(), nb::sig("def of(device: Device) -> Queue"),
          "The queue that is used when none is named, one for each device.")
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
          "A queue that somebody else owns (cl_command_queue, CUstream); `owner` is kept alive with it.")
      .def_prop_ro("device", &Queue::device)
      .def_prop_ro("context", &Queue::context)
      .def_prop_ro("profiling", &Queue::profiling)
      .def_prop_ro("native_handle", &Queue::native_handle, "cl_command_queue, CUstream; 0 on the host.")
      .def("copy", &enqueue_copy, nb::arg("dst").none(), nb::arg("src").none(), nb::kw_only(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def copy(self, dst: object, src: object, *, wait_for: Event | "
                   "collections.abc.Sequence[Event] | None = None) -> "
                   "Event"),
           "Copies between buffers, arrays and host memory of the same size without waiting. Host memory is "
           "kept alive.")
      .def(
          "fill",
          [](const Queue& self, nb::handle target, nb::handle value, nb::handle wait_for) {
            return enqueue_fill(self, target, value, wait_for);
          },
          nb::arg("dst").none(), nb::arg("value").none(), nb::kw_only(), nb::arg("wait_for") = nb::none(),
          nb::sig("def fill(self, dst: Buffer | Array, value: object, *, wait_for: Event | "
                  "collections.abc.Sequence[Event] | None = "
                  "None) -> Event"),
          "Repeats a byte, the bytes of a NumPy scalar, or an array's element over the memory.")
      .def(
          "barrier",
          [](const Queue& self, nb::handle wait_for) {
            const std::vector<Event> events = events_of(wait_for);
            return without_gil([&] { return self.barrier(events); });
          },
          nb::arg("wait_for") = nb::none(),
          nb::sig(
              "def barrier(self, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
          "What is enqueued later runs after these events; the result is done after what was enqueued so "
          "far.")
      .def("flush", [](const Queue& self) { without_gil([&] { self.flush(); }); })
      .def(
          "finish",
          [](const Queue& self) {
            wait_interruptibly(Deadline::max(),
                               [&](Deadline deadline) { return self.finish_until(deadline); });
            release_kept();
          },
          "Waits for everything that was enqueued; raises what made some of it fail, once.")
      .def("start_recording", &Queue::start_recording,
           "Keeps the event of everything that is enqueued from now on.")
      .def("stop_recording", &Queue::stop_recording, "The events since start_recording().")
      .def(
          "__enter__", [](nb::handle_t<Queue> self) { return push_current(self), self; },
          nb::sig("def __enter__(self) -> Queue"))
      .def(
          "__exit__",
          [](const Queue& self, nb::args exc_info) {
            pop_current();
            // After an exception the expressions are left to whoever still wants them.
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
