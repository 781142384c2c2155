// SPDX-License-Identifier: MIT
// Maps of buffers and arrays as NumPy arrays, and migrations.

#include "quern/map.hpp"

#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "origin_text.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// A reference to a map. Dropping the last one enqueues an unmap, which must not wait with the GIL.
class MapReference {
 public:
  explicit MapReference(MemoryMap map) : map_(std::move(map)) {}
  MapReference(const MapReference&) = default;
  MapReference& operator=(const MapReference&) = delete;
  ~MapReference() {
    if (!map_.is_open()) return;
    if (!has_interpreter()) {
      new MemoryMap(std::move(map_));  // leaked: the drivers are finished
      return;
    }
    const ReleaseGil released{ReleaseGil::WithoutOrigin{}};
    map_ = MemoryMap();
  }
  const MemoryMap* operator->() const noexcept { return &map_; }

 private:
  MemoryMap map_;
};

// The mapped bytes, which the NumPy array refers to: the map is open as long as the array is used, and the
// memory stays allocated after it was unmapped.
struct MappedBytes {
  MapReference map;
  std::shared_ptr<void> memory;
  void* data;
  std::size_t size;
};

int show_bytes(PyObject* self, Py_buffer* view, int flags) {
  const auto* bytes = nb::inst_ptr<MappedBytes>(self);
  const bool is_writable = bytes->map->is_open() && bytes->map->access() != MapAccess::read;
  return PyBuffer_FillInfo(view, self, bytes->data, static_cast<Py_ssize_t>(bytes->size), !is_writable,
                           flags);
}

// How the mapped memory is shown.
struct Layout {
  nb::object dtype, shape;
  nb::object strides;  // None: contiguous
  std::size_t offset = 0;
};

class PyMemoryMap {
 public:
  PyMemoryMap(MemoryMap map, Layout layout) : map_(std::move(map)), layout_(std::move(layout)) {}

  // Raises MapError before the map is done, and after it was unmapped.
  nb::object array() {
    static char none = 0;  // the address of a map without bytes
    void* const data = map_->data();
    if (!array_.is_valid()) {
      nb::object bytes =
          nb::cast(MappedBytes{map_, map_->keep(), map_->size() != 0 ? data : &none, map_->size()});
      array_ =
          numpy_attribute("ndarray")(layout_.shape, layout_.dtype, bytes, layout_.offset, layout_.strides);
    }
    return array_;
  }

  nb::object wait() {
    wait_for_event(map_->event());
    return array();
  }

  nb::object enter() {
    try {
      return wait();
    } catch (...) {
      map_->abandon();  // the block that would unmap it does not begin
      throw;
    }
  }

  Event unmap(nb::handle wait_for) {
    const std::vector<Event> events = events_of(wait_for);
    const Event event = without_gil([&] { return map_->unmap(events); });
    if (array_.is_valid()) array_.attr("setflags")(nb::arg("write") = false);
    release_kept();
    return event;
  }

  [[nodiscard]] const MemoryMap* operator->() const noexcept { return map_.operator->(); }

 private:
  MapReference map_;
  Layout layout_;
  nb::object array_;
};

MapAccess access_of(nb::handle access) {
  const std::string name = text_argument(access, "access");
  if (name == "r") return MapAccess::read;
  if (name == "rw" || name == "w") return MapAccess::read_write;
  if (name == "discard") return MapAccess::discard;
  value_error("access: expected \"r\", \"w\", \"rw\" or \"discard\", got \"" + name + "\"");
}

const char* access_name(MapAccess access) {
  if (access == MapAccess::read) return "r";
  return access == MapAccess::discard ? "discard" : "rw";
}

PyMemoryMap map_bytes(const Buffer& self, nb::handle access, nb::handle start, nb::handle nbytes,
                      nb::handle dtype, nb::handle queue, nb::handle wait_for) {
  const MapAccess wanted = access_of(access);
  const std::size_t offset = size_argument(start, "offset");
  if (offset > self.size()) {
    value_error("map: offset " + std::to_string(offset) + " is past the end of a buffer of " +
                std::to_string(self.size()) + " bytes");
  }
  const std::size_t size = nbytes.is_none() ? self.size() - offset : size_argument(nbytes, "nbytes");
  if (size > self.size() - offset) {
    value_error("map: " + std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                " are more than a buffer of " + std::to_string(self.size()) + " bytes holds");
  }
  const nb::object element = numpy_dtype(dtype);
  const auto itemsize = nb::cast<std::size_t>(element.attr("itemsize"));
  if (itemsize == 0 || size % itemsize != 0) {
    value_error("map: " + std::to_string(size) + " bytes are not a multiple of the " +
                std::to_string(itemsize) + " bytes of " + text_of(element));
  }
  const Queue user = queue_for(queue, self);
  const std::vector<Event> events = events_of(wait_for);
  const Buffer range = self.sub_buffer(offset, size);
  std::string origin = origin_here();
  release_kept();
  MemoryMap map = without_gil([&] { return map_buffer(user, range, wanted, events, std::move(origin)); });
  return {std::move(map), {element, nb::int_(size / itemsize), nb::none(), 0}};
}

PyMemoryMap map_elements(const PyArray& self, nb::handle access, nb::handle queue, nb::handle wait_for) {
  const MapAccess wanted = access_of(access);
  const Array array = self.array;
  const Queue user = queue_for(queue, array);
  const std::vector<Event> events = events_of(wait_for);
  std::string origin = origin_here();
  release_kept();
  ArrayMap mapped = without_gil([&] { return map_array(user, array, wanted, events, std::move(origin)); });
  nb::list strides;
  for (const std::int64_t stride : array.strides()) strides.append(stride);
  return {std::move(mapped.map),
          {self.dtype, shape_tuple(array.shape()),
           array.size() != 0 ? nb::object(nb::tuple(strides)) : nb::none(), mapped.offset}};
}

// A buffer, an array, or a sequence of them.
std::vector<Buffer> buffers_of(nb::handle memory) {
  if (nb::isinstance<Buffer>(memory)) return {*nb::inst_ptr<Buffer>(memory)};
  if (nb::isinstance<PyArray>(memory)) {
    const Array array = nb::inst_ptr<PyArray>(memory)->array;
    return {without_gil([&] { return array.evaluate().buffer; })};
  }
  if (PySequence_Check(memory.ptr()) == 0 || PyUnicode_Check(memory.ptr()))
    type_error("migrate: expected buffers and arrays, got " + class_name(memory));
  std::vector<Buffer> all;
  for (nb::handle each : memory) {
    if (!nb::isinstance<Buffer>(each) && !nb::isinstance<PyArray>(each))
      type_error("migrate: expected buffers and arrays, got " + class_name(each));
    all.push_back(buffers_of(each).front());
  }
  return all;
}

Event migrate_memory(const Queue& self, nb::handle memory, nb::handle to, nb::handle wait_for) {
  const std::string place = text_argument(to, "to");
  if (place != "device" && place != "host")
    value_error("to: expected \"device\" or \"host\", got \"" + place + "\"");
  const std::vector<Buffer> buffers = buffers_of(memory);
  const std::vector<Event> events = events_of(wait_for);
  return without_gil(
      [&] { return migrate(self, buffers, place == "host" ? MigrateTo::host : MigrateTo::device, events); });
}

void bind_memory_map(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(show_bytes)}, {0, nullptr}};
  nb::class_<MappedBytes>(module, "MappedBytes", nb::type_slots(slots), nb::is_final(),
                          "Memory of a map, which its NumPy arrays refer to.");
  nb::class_<PyMemoryMap>(module, "MemoryMap", nb::is_final(),
                          R"(Device memory that the host accesses as a NumPy array.

Buffer.map() and Array.map() make it. As a context manager it waits, gives the array, and unmaps at the end of the
block. While a map for writing is open, operations that use the memory raise MapError; while a map for reading is open,
operations that write it do. A map that is never unmapped is unmapped when the map and its array are collected: what the
host wrote is written back then.

Examples
--------
>>> memory = qn.Buffer(4)
>>> with memory.map("discard") as view:
...     view[:] = [1, 2, 3, 4]
>>> print(memory.read())
[1 2 3 4])")
      .def_prop_ro(
          "event", [](const PyMemoryMap& self) { return self->event(); },
          "Event that is done when the host may access the memory.")
      .def_prop_ro(
          "array", &PyMemoryMap::array, nb::sig("def array(self) -> typing.Any"),
          "Mapped memory as a NumPy array. MapError is raised before the event is done and after unmap(). "
          "After unmap() the array is read-only.")
      .def_prop_ro(
          "nbytes", [](const PyMemoryMap& self) { return self->size(); },
          "Size of the mapped range in bytes.")
      .def_prop_ro(
          "access", [](const PyMemoryMap& self) { return access_name(self->access()); },
          "Access by the host: \"r\", \"rw\" or \"discard\".")
      .def_prop_ro(
          "closed", [](const PyMemoryMap& self) { return !self->is_open(); }, "Whether it was unmapped.")
      .def_prop_ro(
          "in_place", [](const PyMemoryMap& self) { return self->is_in_place(); },
          "Whether the array is the memory of the device itself, and not a copy in page-locked memory.")
      .def("wait", &PyMemoryMap::wait, nb::sig("def wait(self) -> typing.Any"),
           R"(Wait until the host may access the memory.

Returns
-------
numpy.ndarray
    Mapped memory.

Raises
------
MapError
    If it was unmapped.

Examples
--------
>>> memory = qn.Buffer(2)
>>> memory.write(b"ab")
>>> print(memory.map("r").wait())
[97 98])")
      .def("unmap", &PyMemoryMap::unmap, nb::arg("wait_for") = nb::none(),
           nb::sig(
               "def unmap(self, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
           documented(R"(Enqueue the end of the map, without waiting.

The array becomes read-only. Work that is enqueued later sees what was written to it.

Parameters
----------
@wait_for

Returns
-------
Event
    Event of the write-back.

Raises
------
MapError
    If it was unmapped already.

Examples
--------
>>> memory = qn.Buffer(1)
>>> opened = memory.map("discard")
>>> opened.wait()[0] = 5
>>> event = opened.unmap()
>>> print(memory.read())
[5])")
               .c_str())
      .def("__enter__", &PyMemoryMap::enter, nb::sig("def __enter__(self) -> typing.Any"))
      .def(
          "__exit__",
          [](PyMemoryMap& self, nb::handle, nb::handle, nb::handle) {
            if (self->is_open()) (void)self.unmap(nb::none());
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none(),
          nb::sig("def __exit__(self, type: typing.Any, value: typing.Any, traceback: typing.Any) -> None"))
      .def("__repr__", [](const PyMemoryMap& self) {
        return "<quern.MemoryMap of " + std::to_string(self->size()) + " bytes for \"" +
               access_name(self->access()) + "\", " + (self->is_open() ? "opened" : "closed; opened") +
               " at " + self->origin() + ">";
      });
}

}  // namespace

void bind_map(nb::module_& module) {
  bind_memory_map(module);
  auto buffer = nb::borrow<nb::class_<Buffer>>(nb::type<Buffer>());
  buffer.def(
      "map", &map_bytes, nb::arg("access").none() = "rw", nb::arg("offset").none() = 0,
      nb::arg("nbytes") = nb::none(), nb::kw_only(), nb::arg("dtype").none() = "uint8",
      nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
      nb::sig("def map(self, access: str = 'rw', offset: int = 0, nbytes: int | None = None, *, dtype: "
              "typing.Any = 'uint8', queue: Queue | None = None, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> MemoryMap"),
      documented(R"(Map a range of the memory as a NumPy array, without waiting.

The array is the memory itself on the host and on OpenCL CPUs. On other devices it is a copy in page-locked memory,
which unmapping copies back if the access allows writing.

Parameters
----------
access : str, optional
    Access by the host. "r": only reading. "rw" or "w": also writing; bytes that are not written keep their values.
    "discard": writing all of it; the values are undefined before, and are not copied from the device.
offset : int, optional
    First byte.
nbytes : int, optional
    Size in bytes; by default up to the end.
dtype : dtype, optional
    Dtype of the NumPy array.
@queue
@wait_for

Returns
-------
MemoryMap
    Open map; use it in a with statement, or call wait() and unmap().

Raises
------
ValueError
    If the range is not within the buffer, or not a multiple of the dtype's size.
MapError
    If a part of it is mapped already and one of the maps is for writing.

Examples
--------
>>> memory = qn.Buffer(16)
>>> with memory.map("discard", dtype="float32") as view:
...     view[:] = 1
>>> with memory.map("r", 4, 8, dtype="float32") as view:
...     print(view)
[1. 1.])")
          .c_str());
  auto array = nb::borrow<nb::class_<PyArray>>(nb::type<PyArray>());
  array.def("map", &map_elements, nb::arg("access").none() = "rw", nb::kw_only(),
            nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
            nb::sig("def map(self, access: str = 'rw', *, queue: Queue | None = None, wait_for: Event | "
                    "collections.abc.Sequence[Event] | None = None) -> MemoryMap"),
            documented(R"(Map the elements as a NumPy array, without waiting; see Buffer.map().

Parameters
----------
access : str, optional
    Access by the host: "r", "rw" or "discard".
@queue
@wait_for

Returns
-------
MemoryMap
    Open map; its array has the shape and strides of this one.

Raises
------
MapError
    If elements are mapped already and one of the maps is for writing.

Examples
--------
>>> x = qn.arange(4)
>>> with x.map() as view:
...     view *= 10
>>> print(x)
[ 0 10 20 30])")
                .c_str());
  auto queue = nb::borrow<nb::class_<Queue>>(nb::type<Queue>());
  queue.def(
      "migrate", &migrate_memory, nb::arg("memory").none(), nb::arg("to").none() = "device", nb::kw_only(),
      nb::arg("wait_for") = nb::none(),
      nb::sig("def migrate(self, memory: typing.Any, to: str = 'device', *, wait_for: Event | "
              "collections.abc.Sequence[Event] | None = None) -> Event"),
      documented(R"(Move memory to the queue's device or to the host before it is used there, without waiting.

It changes no values. OpenCL drivers move the memory; other devices have nothing to move.

Parameters
----------
memory : Buffer, Array or sequence of them
    Memory to move, in the context of the queue.
to : str, optional
    "device" or "host".
@wait_for

Returns
-------
Event
    Event of the move.

Raises
------
ValueError
    If the memory is not in the context of the queue, or `to` is neither of these.

Examples
--------
>>> queue = qn.Queue()
>>> queue.migrate(qn.Buffer(64)).wait()
True)")
          .c_str());
}

}  // namespace quern::python
