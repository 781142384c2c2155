// SPDX-License-Identifier: MIT
// Captures and graphs.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "py_kernel.hpp"
#include "quern/graph_memory.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// A capture that `with` begins and ends.
struct PyCapture {
  nb::object queue;
  std::unique_ptr<Capture> capture;
};

Graph enter(PyCapture& self) {
  if (self.capture) value_error("the capture has begun already");
  const Queue& queue = *nb::inst_ptr<Queue>(self.queue);
  self.capture = without_gil([&] { return std::make_unique<Capture>(queue); });
  push_current(self.queue);
  return self.capture->graph();
}

void leave(PyCapture& self, const nb::args& exc_info) {
  if (!self.capture) value_error("the capture has not begun");
  pop_current();
  const std::unique_ptr<Capture> capture = std::move(self.capture);
  // After an exception the destructor abandons the capture.
  const bool has_failed = exc_info.size() != 0 && !exc_info[0].is_none();
  without_gil([&] {
    if (!has_failed) capture->end();
  });
}

Buffer memory_of(nb::handle object, const char* role) {
  if (nb::isinstance<Buffer>(object)) return *nb::inst_ptr<Buffer>(object);
  if (!nb::isinstance<PyArray>(object))
    type_error(std::string(role) + ": expected an Array or a Buffer, got " + class_name(object) +
               "; make an Array of other data by qn.asarray()");
  const Array array = nb::inst_ptr<PyArray>(object)->array;
  without_gil([&] { array.evaluate(); });
  return array.buffer();
}

// The number of a parameter that is given by its name or number.
std::size_t parameter_of(const Signature& signature, nb::handle name) {
  const auto parameters = signature.parameters.size();
  std::size_t index = parameters;
  if (PyUnicode_Check(name.ptr())) {
    const auto wanted = nb::cast<std::string>(name);
    std::string names;
    for (std::size_t k = 0; k < parameters; ++k) {
      if (signature.parameters[k].name == wanted) index = k;
      names += (k == 0 ? "" : ", ") + signature.parameters[k].name;
    }
    if (index == parameters)
      value_error("kernel '" + signature.name + "' has no parameter '" + wanted + "'; it has " + names);
  } else {
    if (!PyLong_Check(name.ptr())) type_error("a parameter is a name or a number, got " + class_name(name));
    index = PyLong_AsSize_t(name.ptr());
    if (PyErr_Occurred() != nullptr) PyErr_Clear();  // of a negative number: it became the largest one
    if (index >= parameters)
      value_error("kernel '" + signature.name + "' has " + std::to_string(parameters) +
                  " parameters, counted from 0; got the number " + text_of(name));
  }
  return index;
}

// Converts all arguments before it changes any.
void update_kernel(const Graph& self, const Event& kernel,
                   const std::vector<std::pair<nb::object, nb::object>>& values) {
  const Signature signature = self.signature(kernel);
  const Queue queue = without_gil([&] { return Queue::of(self.device()); });
  std::deque<Signature> signatures;  // of one parameter each, to which the arguments refer
  std::deque<CallArguments> converted;
  std::vector<ArgumentUpdate> updates;
  for (const auto& [name, value] : values) {
    const std::size_t index = parameter_of(signature, name);
    Signature& single = signatures.emplace_back(signature);
    single.parameters = {signature.parameters[index]};
    CallArguments& arguments = converted.emplace_back(single, queue, index);
    PyObject* const object = value.ptr();
    arguments.add({&object, 1});
    if (arguments.has_host_arrays()) type_error("a graph takes no In, Out or InOut argument: use an Array");
    updates.push_back({index, arguments.list()[0]});
  }
  without_gil([&] { replace_arguments(self, kernel, updates); });
}

void update(const Graph& self, nb::handle target, nb::handle value, const nb::kwargs& arguments) {
  if (nb::isinstance<Event>(target)) {
    const Event kernel = *nb::inst_ptr<Event>(target);
    std::vector<std::pair<nb::object, nb::object>> values;
    const auto add = [&](const nb::dict& given) {
      for (const auto& [name, argument] : given) values.emplace_back(nb::borrow(name), nb::borrow(argument));
    };
    if (!value.is_none()) {
      if (!nb::isinstance<nb::dict>(value))
        type_error("update: expected a dict of parameters, got " + class_name(value));
      add(nb::cast<nb::dict>(value));
    }
    add(arguments);
    update_kernel(self, kernel, values);
    return;
  }
  if (arguments.size() != 0)
    type_error("update: arguments by name need the event of a captured kernel, got " + class_name(target));
  if (nb::isinstance<PyArray>(target) && nb::isinstance<PyArray>(value)) {
    const Array old = nb::inst_ptr<PyArray>(target)->array, now = nb::inst_ptr<PyArray>(value)->array;
    without_gil([&] { self.update(old, now); });
    return;
  }
  const Buffer old = memory_of(target, "old"), now = memory_of(value, "new");
  without_gil([&] { self.update(old, now); });
}

void replace(const Graph& self, nb::list pairs) {
  std::vector<Graph::Replacement> replacements;
  for (nb::handle pair : pairs)
    replacements.push_back({memory_of(nb::object(pair[0]), "old"), memory_of(nb::object(pair[1]), "new")});
  // A function with @qn.graph need not use all of its arguments.
  without_gil([&] { replace_memory(self, replacements); });
}

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::vector<Array> arrays_of(const nb::list& arrays) {
  std::vector<Array> list;
  for (nb::handle each : arrays) list.push_back(nb::inst_ptr<PyArray>(each)->array);
  return list;
}

const void* owner_of(const Array& array) {
  return array.buffer().allocation().get();
}

// What a recorded graph depends on: types, shapes and layouts of its arguments, and which share memory.
// Returns it with an identity of each argument's memory.
nb::tuple key_of(const nb::list& arrays) {
  const std::vector<Array> list = arrays_of(arrays);
  without_gil([&] { evaluate(list); });
  std::string key;
  nb::list owners;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Array& array = list[k];
    const Buffer& buffer = array.buffer();
    key += array.dtype().name();
    append(key, array.shape().size());
    for (const std::int64_t length : array.shape()) append(key, length);
    for (const std::int64_t stride : array.strides()) append(key, stride);
    append(key, array.offset());
    append(key, buffer.offset());
    append(key, buffer.size());
    append(key, buffer.access());
    append(key, buffer.is_frozen());
    append(key, misalignment_of(buffer));
    std::size_t same = 0;
    while (owner_of(list[same]) != owner_of(array)) ++same;
    append(key, same);
    owners.append(reinterpret_cast<std::uintptr_t>(owner_of(array)));
  }
  return nb::make_tuple(nb::bytes(key.data(), key.size()), owners);
}

// One buffer for each memory that the arrays use, from their first byte to their last.
std::vector<Buffer> joined_memory(const std::vector<Array>& arrays) {
  std::vector<Buffer> memory;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const void* const owner = owner_of(arrays[k]);
    std::size_t first = SIZE_MAX, last = 0, same = k;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (owner_of(arrays[i]) != owner) continue;
      const Buffer& buffer = arrays[i].buffer();
      same = std::min(same, i);
      first = std::min(first, buffer.offset());
      last = std::max(last, buffer.offset() + buffer.size());
    }
    if (same == k)
      memory.push_back(Buffer(arrays[k].buffer().allocation(), last).sub_buffer(first, last - first));
  }
  return memory;
}

nb::list memory_of_all(const nb::list& arrays) {
  nb::list memory;
  for (Buffer& each : joined_memory(arrays_of(arrays))) memory.append(nb::cast(std::move(each)));
  return memory;
}

// Arrays of the same types and layouts in memory of their own, which is shared as that of the given ones.
nb::list placeholders_of(const nb::list& arrays, const Queue& queue) {
  const std::vector<Array> list = arrays_of(arrays);
  const std::vector<Buffer> memory = joined_memory(list);
  std::vector<Buffer> fresh;
  without_gil([&] {
    for (const Buffer& each : memory) {
      constexpr std::size_t kAlignment = 128;
      const Buffer wide(queue, each.size() + kAlignment);
      const std::size_t before = (misalignment_of(each) + kAlignment - misalignment_of(wide)) % kAlignment;
      fresh.push_back(wide.sub_buffer(before, each.size()));
    }
  });
  nb::list result;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Array& array = list[k];
    const Buffer& buffer = array.buffer();
    std::size_t at = 0;
    while (memory[at].allocation() != buffer.allocation()) ++at;
    Buffer part = fresh[at].sub_buffer(buffer.offset() - memory[at].offset(), buffer.size());
    if (buffer.access() == Access::read_only) part = part.read_only();
    const PyArray& from = *nb::inst_ptr<PyArray>(arrays[k]);
    result.append(nb::cast(PyArray{
        Array(std::move(part), array.dtype(), array.shape(), array.strides(), array.offset()), from.dtype}));
  }
  return result;
}

PyArray with_memory(const PyArray& from, Buffer memory) {
  return {Array(std::move(memory), from.array.dtype(), from.array.shape(), from.array.strides(),
                from.array.offset()),
          from.dtype};
}

// The same elements as an object of its own, by the reference of the graph if it owns the memory.
PyArray same_elements(nb::handle array) {
  const PyArray& from = *nb::inst_ptr<PyArray>(array);
  return with_memory(from, owned_memory(from.array.buffer()));
}

// Whether it has memory of its own that was allocated in the capture, without gaps.
bool is_new_result(nb::handle array) {
  const Array& result = nb::inst_ptr<PyArray>(array)->array;
  return result.in_memory() && result.contiguous() && result.offset() == 0 &&
         is_captured_memory(result.buffer()) && result.buffer().size() == result.nbytes();
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::class_<Graph>(module, "Graph", nb::is_final(),
                    R"(Captured operations, which launch() enqueues together; Queue.capture() makes it.

A graph keeps the memory of its operations alive.

Examples
--------
>>> x, y = qn.arange(4.0), qn.zeros(4)
>>> queue = qn.Queue()
>>> with queue.capture() as graph:
...     y += x
>>> for _ in range(3):
...     event = graph.launch(queue)
>>> print(y)
[0. 3. 6. 9.])")
      .def(
          "launch",
          [](const Graph& self, nb::handle queue, nb::handle wait_for) {
            nb::object keep;
            Queue chosen =
                queue.is_none() ? queue_for(self.context(), self.device()) : queue_or_current(queue, keep);
            const std::vector<Event> events = events_of(wait_for);
            return without_gil([&] { return self.launch(chosen, events); });
          },
          nb::arg("queue") = nb::none(), nb::kw_only(), nb::arg("wait_for") = nb::none(),
          nb::sig("def launch(self, queue: Queue | None = None, *, wait_for: Event | "
                  "collections.abc.Sequence[Event] | None = None) -> Event"),
          documented(R"(Enqueue all operations of the graph, without waiting.

Other work is ordered with the launch by the memory that the graph uses, and so are two launches.

Parameters
----------
queue : Queue, optional
    Queue of the device and context on which the graph was captured; the current queue by default.
@wait_for

Returns
-------
Event
    Event of all operations together.

Raises
------
ValueError
    If the queue belongs to another device or context.
CaptureError
    If the capture has not ended, or failed.

Examples
--------
>>> x = qn.zeros(2)
>>> queue = qn.Queue()
>>> with queue.capture() as graph:
...     x += 1
>>> graph.launch(queue).wait()
True
>>> print(x)
[1. 1.])")
              .c_str())
      .def("update", &update, nb::arg("target").none(), nb::arg("new") = nb::none(), nb::arg("arguments"),
           nb::sig("def update(self, target: Event | Array | Buffer, new: object = None, /, **arguments: "
                   "object) -> None"),
           R"(Change arguments of a captured kernel, or the memory that operations use.

Launches that were enqueued before are not affected. If the call raises, nothing is changed.

Parameters
----------
target : Event, Array or Buffer
    Event that the launch of a kernel returned in the capture; or memory that captured operations use.
new : Array, Buffer or dict
    Memory that takes the place of `target` in all operations, with the same dtype, shape and layout. For a kernel: a dict of
    arguments by the names or numbers of their parameters.
**arguments : object
    For a kernel: arguments by the names of their parameters.

Raises
------
ValueError
    If no captured operation uses the memory of `target`, if the new memory has another size or layout, or if the kernel has
    no such parameter.

Examples
--------
>>> scale = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }").scale
>>> x, y = qn.ones(2, dtype="float32"), qn.ones(2, dtype="float32")
>>> queue = qn.Queue()
>>> with queue.capture() as graph:
...     node = scale(queue, 2, None, x, 3)
>>> graph.launch(queue).wait()
True
>>> graph.update(node, a=5)
>>> graph.update(x, y)
>>> graph.launch(queue).wait()
True
>>> print(x, y)
[3. 3.] [5. 5.])")
      .def("_replace", &replace, nb::sig("def _replace(self, pairs: list[typing.Any]) -> None"))
      .def(
          "_is_lent",
          [](const Graph& self, nb::handle array) {
            return is_lent(self, nb::inst_ptr<PyArray>(array)->array.buffer());
          },
          nb::sig("def _is_lent(self, array: Array) -> bool"))
      .def(
          "_lent",
          [](const Graph& self, nb::handle array) {
            const PyArray& of = *nb::inst_ptr<PyArray>(array);
            return with_memory(of, lent_memory(self, of.array.buffer()));
          },
          nb::sig("def _lent(self, array: Array) -> Array"))
      .def(
          "_uses",
          [](const Graph& self, nb::handle array) {
            return uses_memory(self, nb::inst_ptr<PyArray>(array)->array.buffer());
          },
          nb::sig("def _uses(self, array: Array) -> bool"))
      .def_prop_ro("device", &Graph::device, "Device on which the graph was captured.")
      .def_prop_ro("context", &Graph::context, "Context in which the graph was captured.")
      .def_prop_ro("complete", &Graph::complete,
                   "Whether the capture has ended, so that the graph can be launched.")
      .def("__len__", &Graph::size, nb::sig("def __len__(self) -> int"))
      .def("__repr__", [](const Graph& self) {
        const std::string device = " on '" + self.device().spec() + "'>";
        if (!self.complete()) return "<quern.Graph, not complete," + device;
        return "<quern.Graph of " + std::to_string(self.size()) + " operations" + device;
      });

  nb::class_<PyCapture>(module, "Capture", nb::is_final(), R"(Capture of a queue; Queue.capture() makes it.

Examples
--------
>>> queue = qn.Queue()
>>> x = qn.zeros(2)
>>> qn.synchronize()
>>> with queue.capture() as graph:
...     event = x.fill(1, queue=queue)
>>> graph.complete, len(graph)
(True, 1))")
      .def("__enter__", &enter, nb::sig("def __enter__(self) -> Graph"))
      .def("__exit__", &leave, nb::sig("def __exit__(self, *exc_info: object) -> None"));

  nb::handle(module.attr("Queue")).attr("capture") = nb::cpp_function(
      [](nb::handle_t<Queue> self) {
        return PyCapture{nb::borrow(self), nullptr};
      },
      nb::name("capture"), nb::scope(module.attr("Queue")), nb::is_method(),
      nb::sig("def capture(self) -> Capture"),
      R"(Record the work of a `with` block as a graph, instead of running it.

Recorded are the kernels, copies, fills and array expressions that the block enqueues on this queue, which is the current
queue in the block. Work on another queue of the same device is recorded, too, if it depends on recorded work by an event or
by memory. queue.copy() and get_async(out) to host memory are repeated by each launch, and the graph keeps that memory
alive. Only the work of the thread that captures is recorded. Reading values, waiting, mapping memory and random draws
raise CaptureError.

Returns
-------
Capture
    Context manager, whose `with` block gets the Graph. It can be launched after the block.

Raises
------
CaptureError
    At the begin of the block, if the thread captures already, or if work on the queue is held back.

Examples
--------
>>> x = qn.arange(3.0)
>>> queue = qn.Queue()
>>> with queue.capture() as graph:
...     y = 2 * x + 1
>>> graph.launch(queue).wait()
True
>>> print(y)
[1. 3. 5.])");

  module.def("is_capturing", &is_capturing, nb::sig("def is_capturing() -> bool"),
             R"(Whether the work of this thread is recorded by a capture.

Returns
-------
bool
    True in the block of Queue.capture() and while a function with @qn.graph is recorded.

Examples
--------
>>> qn.is_capturing()
False)");

  module.def("graph_key", &key_of, nb::sig("def graph_key(arrays: list[Array]) -> tuple[bytes, list[int]]"));
  module.def("graph_memory", &memory_of_all,
             nb::sig("def graph_memory(arrays: list[Array]) -> list[Buffer]"));
  module.def("graph_placeholders", &placeholders_of,
             nb::sig("def graph_placeholders(arrays: list[Array], queue: Queue) -> list[Array]"));
  module.def("same_elements", &same_elements, nb::sig("def same_elements(array: Array) -> Array"));
  module.def("is_new_result", &is_new_result, nb::sig("def is_new_result(array: Array) -> bool"));
  nb::class_<CapturePause>(module, "CapturePause", nb::is_final(),
                           "While it lives, work runs although the thread captures.")
      .def(nb::init<>());
}

}  // namespace quern::python
