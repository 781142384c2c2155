// SPDX-License-Identifier: MIT
// Keeps the current device and queue in a context variable of Python.
#include "current.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// Its value is None or a tuple (queue or device, previous value).
PyObject* variable() {
  static PyObject* instance = [] {
    PyObject* result = PyContextVar_New("quern.current", Py_None);
    if (result == nullptr) throw nb::python_error();
    return result;
  }();
  return instance;
}

nb::object nest() {
  PyObject* value = nullptr;
  if (PyContextVar_Get(variable(), nullptr, &value) != 0) throw nb::python_error();
  return nb::steal(value);
}

void set_nest(nb::handle value) {
  const auto token = nb::steal(PyContextVar_Set(variable(), value.ptr()));
  if (!token.is_valid()) throw nb::python_error();
}

// The Python object of each device's default queue, so that using the current queue allocates nothing.
nb::object default_queue(const Device& device) {
  static auto* known = new std::vector<std::pair<Device, nb::object>>;
  for (const auto& [owner, queue] : *known) {
    if (owner == device) return queue;
  }
  nb::object queue = nb::cast(without_gil([&] { return Queue::of(device); }));
  known->emplace_back(device, queue);
  return queue;
}

PyObject* queue_of_default_device = nullptr;  // null until first used

nb::object queue_when_nothing_was_chosen() {
  if (queue_of_default_device == nullptr) {
    nb::object queue = default_queue(without_gil([] { return default_device(); }));
    if (queue_of_default_device == nullptr) queue_of_default_device = queue.release().ptr();
  }
  return nb::borrow(queue_of_default_device);
}

}  // namespace

void push_current(nb::handle queue_or_device) {
  set_nest(nb::make_tuple(queue_or_device, nest()));
}

void pop_current() {
  const nb::object value = nest();
  if (!value.is_none()) set_nest(value[1]);
}

void set_device(nb::handle device) {
  std::optional<Device> chosen;
  if (!device.is_none()) chosen = device_or_current(device);
  set_default_device(chosen);
  Py_CLEAR(queue_of_default_device);
}

nb::object current_queue() {
  static PyObject* const queue_type = nb::type<Queue>().ptr();
  const nb::object value = nest();
  if (value.is_none()) return queue_when_nothing_was_chosen();
  const nb::handle chosen = PyTuple_GET_ITEM(value.ptr(), 0);
  if (chosen.type().ptr() == queue_type) return nb::borrow(chosen);
  return default_queue(*nb::inst_ptr<Device>(chosen));
}

Device current_device() {
  const nb::object value = nest();
  if (value.is_none()) return without_gil([] { return default_device(); });
  const nb::handle chosen = PyTuple_GET_ITEM(value.ptr(), 0);
  if (nb::isinstance<Device>(chosen)) return *nb::inst_ptr<Device>(chosen);
  return nb::inst_ptr<Queue>(chosen)->device();
}

const Queue& queue_or_current(nb::handle queue, nb::object& keep) {
  static PyObject* const queue_type = nb::type<Queue>().ptr();
  if (queue.is_none()) {
    keep = current_queue();
    return *nb::inst_ptr<Queue>(keep);
  }
  if (queue.type().ptr() != queue_type)
    type_error("queue: expected a quern.Queue or None, got " + class_name(queue));
  return *nb::inst_ptr<Queue>(queue);
}

Device device_or_current(nb::handle device) {
  if (device.is_none()) return current_device();
  if (nb::isinstance<Device>(device)) return *nb::inst_ptr<Device>(device);
  if (nb::isinstance<Queue>(device)) return nb::inst_ptr<Queue>(device)->device();
  if (PyUnicode_Check(device.ptr())) {
    const std::string spec = text_argument(device, "device");
    return without_gil([&] { return quern::device(spec); });
  }
  type_error("device: expected a quern.Device, a name such as \"cuda:0\", or None, got " +
             class_name(device));
}

Queue queue_for(const Context& context, const Device& device) {
  if (const nb::object value = nest(); !value.is_none()) {
    const nb::handle chosen = PyTuple_GET_ITEM(value.ptr(), 0);
    if (nb::isinstance<Queue>(chosen)) {
      const Queue& queue = *nb::inst_ptr<Queue>(chosen);
      if (queue.context() == context && queue.device() == device) return queue;
    }
  }
  return without_gil(
      [&] { return context == Context::of(device) ? Queue::of(device) : Queue(context, device); });
}

Queue queue_for(nb::handle queue, const Buffer& buffer) {
  if (queue.is_none()) {
    if (buffer.released()) value_error("this buffer was released");
    return queue_for(buffer.context(), buffer.device());
  }
  nb::object keep;
  return queue_or_current(queue, keep);
}

Queue queue_for(nb::handle queue, const Array& array) {
  if (queue.is_none()) {
    static PyObject* const queue_type = nb::type<Queue>().ptr();
    const nb::object value = nest();
    const bool is_queue =
        !value.is_none() && nb::handle(PyTuple_GET_ITEM(value.ptr(), 0)).type().ptr() == queue_type;
    return is_queue ? queue_for(array.context(), array.device()) : array.queue();
  }
  nb::object keep;
  return queue_or_current(queue, keep);
}

Queue queue_on(nb::handle device, nb::handle queue) {
  nb::object keep;
  if (!queue.is_none() || device.is_none()) return queue_or_current(queue, keep);
  const Device target = device_or_current(device);
  return queue_for(without_gil([&] { return Context::of(target); }), target);
}

}  // namespace quern::python
