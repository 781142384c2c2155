// SPDX-License-Identifier: MIT
// The port through which an event loop of asyncio learns of completed events.

#include <cstddef>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// Objects that wait for events. Only the thread of the loop uses it, with the GIL.
class LoopPort {
 public:
  [[nodiscard]] int descriptor() const noexcept { return port_.descriptor(); }

  // Returns whether the loop should call serve() soon.
  bool add(const Event& event, nb::object waiter) {
    std::size_t slot = waiters_.size();
    if (free_.empty()) {
      waiters_.emplace_back();
      ended_.reserve(waiters_.capacity());
      free_.reserve(waiters_.capacity());
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    waiters_[slot] = std::move(waiter);
    try {
      return without_gil(
          [&] { return port_.on_done(event, [this, slot](const Event&) { ended_.push_back(slot); }); });
    } catch (...) {
      release(slot);
      throw;
    }
  }

  nb::list serve() {
    polls_ = port_.serve();
    return take_ended();
  }
  nb::list serve_all() {
    polls_ = port_.serve_all();
    return take_ended();
  }
  [[nodiscard]] bool polls() const noexcept { return polls_; }
  [[nodiscard]] std::size_t pending() const noexcept { return port_.pending(); }

  // For Python's garbage collector: futures refer to their loop, and the loop to this object.
  int traverse(visitproc visit, void* arg) const {
    for (const nb::object& waiter : waiters_) Py_VISIT(waiter.ptr());
    return 0;
  }
  void clear() {
    for (nb::object& waiter : waiters_) waiter.reset();
  }

 private:
  nb::object release(std::size_t slot) {
    free_.push_back(slot);
    return std::exchange(waiters_[slot], nb::object());
  }
  nb::list take_ended() {
    nb::list list;
    for (const std::size_t slot : ended_)
      if (const nb::object waiter = release(slot)) list.append(waiter);
    ended_.clear();
    return list;
  }

  std::vector<nb::object> waiters_;
  std::vector<std::size_t> free_, ended_;  // numbers of waiters; there is room for all
  bool polls_ = false;
  CompletionPort port_;  // destroyed first: its functions use this object
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<LoopPort>(self)->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
  nb::inst_ptr<LoopPort>(self)->clear();
  return 0;
}

PyType_Slot collected[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(clear)},
                           {0, nullptr}};

}  // namespace

void bind_completion_port(nb::module_& module) {
  nb::class_<LoopPort>(module, "CompletionPort", nb::is_final(), nb::type_slots(collected),
                       "Objects that wait for events, for the thread of one event loop.")
      .def(nb::init<>())
      .def("fileno", &LoopPort::descriptor, "File descriptor that is readable when serve() should be called.")
      .def("add", &LoopPort::add, nb::arg("event"), nb::arg("waiter"),
           nb::sig("def add(self, event: Event, waiter: object) -> bool"),
           "Let serve() return an object after the event; returns whether to call serve() soon.")
      .def("serve", &LoopPort::serve, nb::sig("def serve(self) -> list[typing.Any]"),
           "Objects whose events are complete.")
      .def("serve_all", &LoopPort::serve_all, nb::sig("def serve_all(self) -> list[typing.Any]"),
           "The same for a device that is lost, too.")
      .def_prop_ro("polls", &LoopPort::polls, "Whether serve() should be called again soon.")
      .def_prop_ro("pending", &LoopPort::pending, "Number of objects that wait.");
}

}  // namespace quern::python
