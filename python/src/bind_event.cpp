// SPDX-License-Identifier: MIT
// Events: waiting, functions that are called when they are complete, user events.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
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

// Calls a Python function on the thread of the library that calls functions of completed events.
void call_function(PyObject* function, const Event& event) {
  if (!has_interpreter()) return;
  // The thread keeps its Python state: a new one for each call takes longer than most functions.
  thread_local bool has_state = false;
  if (!has_state) {
    static_cast<void>(new AcquireGil);
    static_cast<void>(PyEval_SaveThread());
    has_state = true;
  }
  const AcquireGil gil;
  const nb::object argument = nb::cast(event);
  SleepIfUnwound sleep;
  PyObject* const result = PyObject_CallOneArg(function, argument.ptr());
  if (result == nullptr) PyErr_WriteUnraisable(function);
  Py_XDECREF(result);
  sleep.returned();
  release_kept();
}

void on_done(const Event& self, nb::object function) {
  if (PyCallable_Check(function.ptr()) == 0)
    type_error("on_done: expected a function of one argument, got " + class_name(function));
  PyObject* const callable = function.ptr();
  std::function<void(const Event&)> call = [callable, kept = keep_object(std::move(function))](
                                               const Event& event) { call_function(callable, event); };
  without_gil([&] { self.on_done(std::move(call)); });
}

nb::object event_future(nb::handle event) {
  return nb::module_::import_("quern._future").attr("Future")(event, nb::none());
}

nb::object await_event(nb::handle event) {
  return nb::module_::import_("quern._future").attr("await_event")(event);
}

std::vector<Event> some_events(nb::handle events, const char* function) {
  std::vector<Event> list;
  if (nb::isinstance<Event>(events)) {
    type_error(std::string(function) + ": expected a sequence of events, got one event");
  }
  if (!nb::hasattr(events, "__iter__"))
    type_error(std::string(function) + ": expected a sequence of events, got " + class_name(events));
  for (nb::handle item : events) {
    if (!nb::isinstance<Event>(item))
      type_error(std::string(function) + ": expected quern.Event, got " + class_name(item));
    list.push_back(*nb::inst_ptr<Event>(item));
  }
  return list;
}

bool wait_all(nb::handle events, nb::handle timeout) {
  const std::vector<Event> list = some_events(events, "wait_all");
  const Deadline limit = deadline_after(timeout);
  return wait_interruptibly(limit, [&](Deadline deadline) { return wait_all_until(list, deadline); });
}

// The index of the next event that ends, or None after the time-out.
std::optional<std::size_t> next_completed(AsCompleted& waiting, nb::handle timeout) {
  std::optional<std::size_t> index;
  wait_interruptibly(deadline_after(timeout), [&](Deadline deadline) {
    index = waiting.next(deadline);
    return index.has_value() || waiting.left() == 0;
  });
  return index;
}

nb::object wait_any(nb::handle events, nb::handle timeout) {
  const std::vector<Event> list = some_events(events, "wait_any");
  if (list.empty()) value_error("wait_any: expected at least one event");
  AsCompleted waiting(list);
  const auto index = next_completed(waiting, timeout);
  return index ? nb::cast(list[*index]) : nb::none();
}

void bind_waits(nb::module_& module) {
  nb::class_<AsCompleted>(module, "AsCompleted", nb::is_final(), "State of an iteration of as_completed().")
      .def(
          "__init__",
          [](AsCompleted* self, nb::handle events) {
            new (self) AsCompleted(some_events(events, "as_completed"));
          },
          nb::arg("events").none(),
          nb::sig("def __init__(self, events: collections.abc.Iterable[Event]) -> None"))
      .def("next", &next_completed, nb::arg("timeout") = nb::none(),
           nb::sig("def next(self, timeout: float | None = None) -> int | None"),
           "Index of the next event whose operation ends; None if `timeout` passed first.")
      .def_prop_ro("left", &AsCompleted::left, "Number of events that next() has not returned.");
  module.def("wait_all", &wait_all, nb::arg("events").none(), nb::arg("timeout") = nb::none(),
             nb::sig("def wait_all(events: collections.abc.Iterable[Event], timeout: float | None = None) -> "
                     "bool"),
             R"(Wait until the operations of all events have ended.

Parameters
----------
events : iterable of Event
    Events of any queue, device and backend.
timeout : float, optional
    Longest time to wait, in seconds. By default the call waits as long as the operations take.

Returns
-------
bool
    True if all operations are done, False if `timeout` passed first.

Raises
------
Error
    If an operation failed. It is the error of the first one in `events`, raised after all have ended.

Examples
--------
>>> events = [qn.zeros(3).fill(i) for i in range(4)]
>>> qn.wait_all(events)
True)");
  module.def("wait_any", &wait_any, nb::arg("events").none(), nb::arg("timeout") = nb::none(),
             nb::sig("def wait_any(events: collections.abc.Iterable[Event], timeout: float | None = None) -> "
                     "Event | None"),
             R"(Wait until the operation of one event has ended.

Parameters
----------
events : iterable of Event
    Events of any queue, device and backend; at least one.
timeout : float, optional
    Longest time to wait, in seconds. By default the call waits as long as the operation takes.

Returns
-------
Event or None
    Event whose operation has ended, with or without an error; None if `timeout` passed first.

Examples
--------
>>> events = [qn.zeros(3).fill(i) for i in range(4)]
>>> qn.wait_any(events).done
True)");
}

void make_user_event(UserEvent* self, nb::handle context, nb::handle name) {
  const std::string text = optional_text_argument(name, "name");
  if (context.is_none()) {
    const Device device = device_or_current(nb::none());
    new (self) UserEvent(without_gil([&] { return UserEvent(Context::of(device), text); }));
    return;
  }
  if (PyUnicode_Check(context.ptr()) != 0)
    type_error("context: expected a quern.Context, got str; the name is a keyword argument, name=...");
  const Context& given = context_argument(context, "context");
  new (self) UserEvent(without_gil([&] { return UserEvent(given, text); }));
}

void set_error(const UserEvent& self, nb::object error) {
  if (PyExceptionInstance_Check(error.ptr()) == 0)
    type_error("error: expected an exception, got " + class_name(error));
  const std::exception_ptr kept = exception_of(std::move(error));
  without_gil([&] { self.set_error(kept); });
}

void bind_user_event(nb::module_& module) {
  nb::class_<UserEvent, Event>(module, "UserEvent", nb::is_final(),
                               R"(Event that the program completes itself, by set_done() or set_error().

Operations that wait for it, and operations that depend on those, are held back until then. If the last reference is
dropped before the event is set, the event fails.

Parameters
----------
context : Context, optional
    Context of the event; the default context of the current device by default. Operations of every context may wait for it.
name : str, optional
    Name that error messages show.

Examples
--------
>>> go = qn.UserEvent(name="go")
>>> x = qn.zeros(3)
>>> event = x.fill(1, wait_for=go)
>>> event.status
'queued'
>>> go.set_done()
>>> event.wait()
True)")
      .def("__init__", &make_user_event, nb::arg("context") = nb::none(), nb::kw_only(),
           nb::arg("name") = nb::none(),
           nb::sig("def __init__(self, context: Context | None = None, *, name: str | None = None) -> None"))
      .def(
          "set_done", [](const UserEvent& self) { without_gil([&] { self.set_done(); }); },
          R"(Complete the event, so that operations that wait for it run.

Raises
------
Error
    If the event is set already.

Examples
--------
>>> event = qn.UserEvent()
>>> event.set_done()
>>> event.done
True)")
      .def("set_error", &set_error, nb::arg("error").none(),
           nb::sig("def set_error(self, error: BaseException) -> None"),
           R"(Let the event fail, so that operations that wait for it fail with a DependencyError.

Parameters
----------
error : BaseException
    Exception that waiting for this event raises, and the `__cause__` of the errors of operations that depend on it.

Raises
------
Error
    If the event is set already.

Examples
--------
>>> event = qn.UserEvent()
>>> event.set_error(OSError("no such file"))
>>> event.status
'failed')")
      .def("__repr__", [](const UserEvent& self) {
        const std::string name = self.name().empty() ? "" : " '" + self.name() + "'";
        return "<quern.UserEvent" + name + " " + status_name(self.status()) + ">";
      });
}

void bind_event(nb::module_& module) {
  nb::class_<Times>(
      module, "Times",
      R"(Times at which an operation was queued and ran, in nanoseconds of the host's steady clock.

Examples
--------
>>> event = qn.zeros(4).fill(1, queue=qn.Queue(profiling=True))
>>> times = event.times
>>> times.queued <= times.started <= times.ended
True
>>> times.duration == times.ended - times.started
True)")
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

  nb::class_<Event>(module, "Event", R"(Event of an enqueued operation; wait() and `await` wait for it.

Examples
--------
>>> event = qn.zeros(4).fill(1)
>>> event.wait()
True
>>> event
<quern.Event complete>)")
      .def("wait", &wait_with_limit, nb::arg("timeout") = nb::none(),
           nb::sig("def wait(self, timeout: float | None = None) -> bool"),
           R"(Wait until the operation is done.

Parameters
----------
timeout : float, optional
    Longest time to wait, in seconds. By default the call waits as long as the operation takes.

Returns
-------
bool
    True if the operation is done, False if `timeout` passed first.

Raises
------
Error
    If the operation failed. It is the error of the operation.

Examples
--------
>>> event = qn.zeros(3).fill(1)
>>> event.wait()
True)")
      .def_prop_ro("done", &Event::done, "Whether the operation has ended, with or without an error.")
      .def_prop_ro(
          "status", [](const Event& self) { return status_name(self.status()); },
          "Status: \"queued\" (not yet submitted), \"submitted\", \"complete\" or \"failed\".")
      .def_prop_ro("error", &error_of, nb::sig("def error(self) -> Exception | None"),
                   "Exception of the operation if it failed, otherwise None.")
      .def_prop_ro(
          "times",
          [](const Event& self) {
            if (self.has_times()) wait_for_event(self);
            return without_gil([&] { return self.times(); });
          },
          "Times of the operation; waits for it. The queue must be made with profiling=True.")
      .def("on_done", &on_done, nb::arg("function").none(),
           nb::sig("def on_done(self, function: collections.abc.Callable[[Event], object]) -> None"),
           R"(Call a function once after the operation has ended, also if it failed.

One thread of the library calls the functions of all events, in the order in which operations of a queue end. A function may
enqueue work and wait for it, but it delays the functions of other events. It must not wait for the result of a future, which the
same thread sets. Functions that were not called when the interpreter exits are dropped.

Parameters
----------
function : callable
    Function of one argument, the event. sys.unraisablehook receives its exceptions.

Examples
--------
>>> import queue
>>> ended = queue.SimpleQueue()
>>> qn.zeros(3).fill(1).on_done(ended.put)
>>> ended.get().status
'complete')")
      .def("future", &event_future, nb::sig("def future(self) -> typing.Any"),
           R"(Future of the event, a concurrent.futures.Future.

Returns
-------
Future
    Its result is None when the operation has ended; its exception is that of the operation. Cancelling it leaves the operation alone.

Examples
--------
>>> future = qn.zeros(3).fill(1).future()
>>> future.result() is None
True)")
      .def("__await__", &await_event,
           nb::sig("def __await__(self) -> collections.abc.Generator[typing.Any, None, None]"))
      .def("__repr__",
           [](const Event& self) { return std::string("<quern.Event ") + status_name(self.status()) + ">"; });
}

}  // namespace

void bind_events(nb::module_& module) {
  bind_event(module);
  bind_user_event(module);
  bind_waits(module);
}

}  // namespace quern::python
