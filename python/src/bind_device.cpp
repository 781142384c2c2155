// SPDX-License-Identifier: MIT
// Devices and contexts.

#include <functional>
#include <optional>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

const char* kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::accelerator:
      break;
  }
  return "accelerator";
}

nb::tuple triple(const std::array<std::size_t, 3>& values) {
  return nb::make_tuple(values[0], values[1], values[2]);
}

nb::dict info_dict(const Device& device) {
  const Info info = without_gil([&] { return device.info(); });
  nb::dict result;
  for (const auto& [name, value] : info) result[nb::str(name.c_str())] = nb::str(value.c_str());
  return result;
}

template <class Member>
auto property(Member DeviceProperties::*member) {
  return [member](const Device& self) -> const Member& { return self.properties().*member; };
}

void bind_properties(nb::class_<Device>& type) {
  using P = DeviceProperties;
  type.def_prop_ro("name", property(&P::name), "Name of the device, as its driver reports it.")
      .def_prop_ro("backend", property(&P::backend), "Backend: \"host\", \"opencl\" or \"cuda\".")
      .def_prop_ro(
          "kind", [](const Device& self) { return kind_name(self.properties().kind); },
          "Kind of device: \"cpu\", \"gpu\" or \"accelerator\".")
      .def_prop_ro("vendor", property(&P::vendor), "Vendor of the device.")
      .def_prop_ro("platform", property(&P::platform), "Platform of the device.")
      .def_prop_ro("version", property(&P::version), "Version of the API that the device supports.")
      .def_prop_ro("driver_version", property(&P::driver_version), "Version of the driver.")
      .def_prop_ro("architecture", property(&P::architecture),
                   "Architecture of the device; the name depends on the backend.")
      .def_prop_ro("compute_units", property(&P::compute_units),
                   "Number of compute units: multiprocessors or CPU cores.")
      .def_prop_ro("sub_group_size", property(&P::sub_group_size),
                   "Number of work-items in a sub-group: the warp or SIMD width.")
      .def_prop_ro("global_memory", property(&P::global_memory), "Size of the global memory, in bytes.")
      .def_prop_ro("max_allocation", property(&P::max_allocation),
                   "Largest size of one allocation, in bytes.")
      .def_prop_ro("local_memory", property(&P::local_memory),
                   "Local memory that a work-group may use, in bytes.")
      .def_prop_ro("max_work_group_size", property(&P::max_work_group_size),
                   "Largest number of work-items in a work-group.")
      .def_prop_ro(
          "max_work_item_sizes",
          [](const Device& self) { return triple(self.properties().max_work_item_sizes); },
          nb::sig("def max_work_item_sizes(self) -> tuple[int, int, int]"),
          "Largest work-group size along each axis.")
      .def_prop_ro(
          "max_groups", [](const Device& self) { return triple(self.properties().max_groups); },
          nb::sig("def max_groups(self) -> tuple[int, int, int]"),
          "Largest number of work-groups along each axis.")
      .def_prop_ro("sub_buffer_alignment", property(&P::sub_buffer_alignment),
                   "Alignment of sub-buffers that kernels use, in bytes.")
      .def_prop_ro("max_argument_bytes", property(&P::max_argument_bytes),
                   "Largest total size of the arguments of a kernel, in bytes.")
      .def_prop_ro("has_fp64", property(&P::has_fp64), "Whether the device has float64.")
      .def_prop_ro("has_fp16", property(&P::has_fp16), "Whether the device has float16.")
      .def_prop_ro("has_int64_atomics", property(&P::has_int64_atomics),
                   "Whether the device has atomic operations on 64-bit integers.")
      .def_prop_ro("shares_host_memory", property(&P::shares_host_memory),
                   "Whether kernels can use ordinary host memory.")
      .def_prop_ro("groups_start_in_order", property(&P::groups_start_in_order),
                   "Whether work-groups start in order, so that one may wait for another with a lower index.")
      .def_prop_ro("non_uniform_groups", property(&P::non_uniform_groups),
                   "Whether the global size need not be a multiple of the local size.");
}

AffinityDomain domain_of(const std::string& name) {
  if (name == "numa") return AffinityDomain::numa;
  if (name == "l3") return AffinityDomain::l3;
  if (name == "core") return AffinityDomain::core;
  value_error("by: expected \"numa\", \"l3\" or \"core\", got \"" + name + "\"");
}

std::vector<Device> split_device(const Device& self, nb::handle equally, nb::handle counts, nb::handle by) {
  const int given = int{!equally.is_none()} + int{!counts.is_none()} + int{!by.is_none()};
  if (given != 1) type_error("split: expected one of equally, counts and by, got " + std::to_string(given));
  Division division;
  if (!equally.is_none()) {
    division = Equally{size_argument(equally, "equally")};
  } else if (!by.is_none()) {
    division = domain_of(text_argument(by, "by"));
  } else {
    if (PySequence_Check(counts.ptr()) == 0 || PyUnicode_Check(counts.ptr()))
      type_error("counts: expected a sequence of ints, got " + class_name(counts));
    Counts units;
    for (nb::handle count : counts) units.compute_units.push_back(size_argument(count, "counts"));
    division = std::move(units);
  }
  return without_gil([&] { return self.split(division); });
}

void bind_parts(nb::class_<Device>& type) {
  type.def("split", &split_device, nb::kw_only(), nb::arg("equally") = nb::none(),
           nb::arg("counts") = nb::none(), nb::arg("by") = nb::none(),
           nb::sig("def split(self, *, equally: int | None = None, counts: collections.abc.Sequence[int] | "
                   "None = None, by: str | None = None) -> list[Device]"),
           R"(Divide the compute units of the device into parts.

Each part is a device with queues, programs and memory of its own. On the host, a team of threads works for each part and
runs on its processors only; on OpenCL a part is a sub-device, on CUDA a green context. Parts can be divided further.
They exist until the process ends, so the same division returns the same parts.

Arrays and buffers of the device can be used on queues of its parts, and the reverse, on the host and on CUDA. On OpenCL
make a Context of the parts to share memory.

Parameters
----------
equally : int, optional
    Number of parts. Each has the same number of compute units, as many as possible; remaining units are unused.
counts : sequence of int, optional
    Number of compute units of each part. Remaining units are unused.
by : {"numa", "l3", "core"}, optional
    One part for each NUMA node, level-3 cache or core. CUDA devices have none of these.

Returns
-------
list of Device
    The parts.

Raises
------
ValueError
    If the device has too few compute units, or does not divide like this. On NVIDIA's Hopper GPUs the counts are multiples
    of 8.
TypeError
    If not exactly one of the three is given, or if it is of another type.
Error
    If the driver cannot divide devices.

Examples
--------
>>> device = qn.device("host")
>>> part, = device.split(counts=[1])
>>> part.compute_units
1
>>> part.parent == device
True
>>> qn.device(part.spec) == part
True)")
      .def_prop_ro(
          "parent", [](const Device& self) { return self.parent(); },
          nb::sig("def parent(self) -> Device | None"),
          "Device that this one is a part of; None for a whole device.")
      .def_prop_ro(
          "parts", [](const Device& self) { return self.parts(); },
          nb::sig("def parts(self) -> list[Device]"),
          "Parts that split() has made of the device so far, in order.")
      .def(
          "__reduce__",
          [](const Device& self) {
            return nb::make_tuple(nb::module_::import_("quern._storage").attr("restore_device"),
                                  nb::make_tuple(self.spec()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

void bind_context(nb::module_& module) {
  nb::class_<Context>(module, "Context",
                      R"(Devices of one backend and platform that share programs and memory objects.

Parameters
----------
devices : sequence of Device
    Devices of one backend and platform.

Examples
--------
>>> context = qn.Context([qn.device("host")])
>>> [device.spec for device in context.devices]
['host'])")
      .def(
          "__init__",
          [](Context* self, nb::handle list) {
            if (PySequence_Check(list.ptr()) == 0 || PyUnicode_Check(list.ptr()))
              type_error("devices: expected a sequence of quern.Device, got " + class_name(list));
            std::vector<Device> devices;
            for (nb::handle device : list) devices.push_back(device_argument(device, "devices"));
            new (self) Context(without_gil([&] { return Context(std::span<const Device>(devices)); }));
          },
          nb::arg("devices").none(),
          nb::sig("def __init__(self, devices: collections.abc.Sequence[Device]) -> None"))
      .def_static(
          "of",
          [](nb::handle device) {
            const Device target = device_argument(device, "device");
            return without_gil([&] { return Context::of(target); });
          },
          nb::arg("device").none(), nb::sig("def of(device: Device) -> Context"),
          "Default context of a device.")
      .def_prop_ro(
          "devices", [](const Context& self) { return self.devices(); }, "Devices of the context.")
      .def_prop_ro("native_handle", &Context::native_handle,
                   "Native handle: cl_context or CUcontext; 0 on the host.")
      .def(
          "__eq__", [](const Context& self, const Context& other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Context& self) { return std::hash<const void*>()(self.state().get()); })
      .def("__repr__", [](const Context& self) {
        std::string text = "<quern.Context of";
        for (const Device& device : self.devices()) text += " '" + device.spec() + "'";
        return text + ">";
      });
}

void bind_reports(nb::module_& module) {
  nb::class_<BackendReport::Attempt>(module, "Attempt",
                                     "One step in the search for devices, and its outcome.")
      .def_ro("what", &BackendReport::Attempt::what, "What was tried, such as loading a library.")
      .def_ro("outcome", &BackendReport::Attempt::outcome, "Result, or the reason of the failure.")
      .def_ro("ok", &BackendReport::Attempt::ok, "Whether the attempt succeeded.");
  nb::class_<BackendReport>(module, "BackendReport",
                            "Result of loading a backend: the devices found, and each attempt.")
      .def_ro("backend", &BackendReport::backend, "Name of the backend.")
      .def_ro("devices", &BackendReport::devices, "Devices of the backend.")
      .def_ro("attempts", &BackendReport::attempts, "Attempts in order.");
  module.def(
      "backend_reports", [] { return without_gil([] { return backend_reports(); }); },
      R"(Report what was found of each backend.

Returns
-------
list of BackendReport
    For each backend its devices, and each attempt to load it.

Examples
--------
>>> "host" in [report.backend for report in qn.backend_reports()]
True)");
  nb::class_<LibraryReport>(module, "LibraryReport",
                            "Result of the search for an external library such as cuBLAS, and each attempt.")
      .def_ro("name", &LibraryReport::name, "Name of the library.")
      .def_ro("backend", &LibraryReport::backend, "Backend whose devices the library runs on.")
      .def_ro("path", &LibraryReport::path, "Path of the library; empty if it was not found.")
      .def_ro("version", &LibraryReport::version, "Version of the library.")
      .def_ro("details", &LibraryReport::details,
              "Further properties of the library, such as the width of its integers.")
      .def_ro("attempts", &LibraryReport::attempts, "Attempts to load the library, in order.")
      .def_ro("failure", &LibraryReport::failure,
              "Reason why Quern's own kernels are used although the library was found; empty if it works so "
              "far.");
  module.def(
      "find_libraries", [] { return without_gil([] { return find_libraries(); }); },
      R"(Search the external libraries, such as cuBLAS, that Quern calls if it finds them.

Otherwise they are searched when an operation first needs them. ``QUERN_LIBRARIES=never`` turns them off.

Returns
-------
list of LibraryReport
    For each library its path and version, if it was found, and each attempt.

Examples
--------
>>> "host" in [library.backend for library in qn.find_libraries()]
True)");
  module.def("set_package_folders", &set_package_folders, nb::arg("folders"));
  module.def(
      "try_libraries", [](const Device& device) { without_gil([&] { try_libraries(Queue::of(device)); }); },
      nb::arg("device"), "Try the external libraries on the device; failures are then in their reports.");
}

// `quern.device("cuda")` as a statement of its own looks like a selection but selects nothing.
void warn_of_discarded_device(const Device& device) {
  static int calls = 0;
  constexpr int kMost = 100;  // the check copies the caller's bytecode, so later calls skip it
  if (calls == kMost) return;
  ++calls;
  if (!is_result_discarded()) return;
  const std::string text = "quern.device('" + device.spec() +
                           "') finds the device but does not select it; quern.set_device('" + device.spec() +
                           "') selects it, and so does a block `with quern.device('" + device.spec() + "')`";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

}  // namespace

void bind_device(nb::module_& module) {
  nb::class_<MemoryInfo>(module, "MemoryInfo", R"(Free and total memory of a device, in bytes.

Examples
--------
>>> memory = qn.device("host").memory_info
>>> 0 < memory.free <= memory.total
True)")
      .def_ro("free", &MemoryInfo::free, "Free memory, in bytes.")
      .def_ro("total", &MemoryInfo::total, "Total memory, in bytes.")
      .def("__repr__", [](const MemoryInfo& self) {
        return "MemoryInfo(free=" + std::to_string(self.free) + ", total=" + std::to_string(self.total) + ")";
      });

  auto type =
      nb::class_<Device>(module, "Device", nb::is_final(),
                         R"(Compute device. `with device:` makes it the current device of the thread or task.

Examples
--------
>>> host = qn.device("host")
>>> with host:
...     x = qn.ones(3)
>>> x.device == host, host.backend
(True, 'host'))");
  bind_properties(type);
  bind_parts(type);
  type.def_prop_ro("spec", &Device::spec,
                   "Name of the device, such as \"cuda:0\" or \"cuda:0[1 of 2]\", for quern.device().")
      .def_prop_ro("native_handle", &Device::native_handle,
                   "Native handle: cl_device_id or CUdevice; 0 on the host.")
      .def("info", &info_dict, nb::sig("def info(self) -> dict[str, str]"),
           "All properties that the backend's API reports, by name.")
      .def_prop_ro(
          "memory_info", [](const Device& self) { return without_gil([&] { return self.memory_info(); }); },
          "Free and total memory of the device, in bytes.")
      .def(
          "__enter__", [](nb::handle_t<Device> self) { return push_current(self), self; },
          nb::sig("def __enter__(self) -> Device"))
      .def(
          "__exit__", [](nb::handle, nb::args) { pop_current(); },
          nb::sig("def __exit__(self, *exc_info: object) -> None"))
      .def(
          "__eq__", [](const Device& self, const Device& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Device& self) { return std::hash<const void*>()(self.impl().get()); })
      .def("__repr__",
           [](const Device& self) { return "<quern.Device '" + self.spec() + "' " + self.name() + ">"; });

  bind_context(module);
  bind_reports(module);

  module.def(
      "devices",
      [](nb::handle name) {
        if (name.is_none()) return without_gil([] { return devices(); });
        const std::string backend = text_argument(name, "backend");
        return without_gil([&] { return devices(backend); });
      },
      nb::arg("backend") = nb::none(), nb::sig("def devices(backend: str | None = None) -> list[Device]"),
      R"(List the devices.

Parameters
----------
backend : str, optional
    Name of a backend: "cuda", "opencl" or "host". By default the devices of all backends are listed.

Returns
-------
list of Device
    The devices.

Examples
--------
>>> [device.spec for device in qn.devices("host")]
['host'])");
  module.def(
      "device",
      [](nb::handle spec) {
        Device found = device_or_current(spec);
        warn_of_discarded_device(found);
        return found;
      },
      nb::arg("spec") = nb::none(), nb::sig("def device(spec: Device | str | None = None) -> Device"),
      R"(Find a device by its name.

The call does not select the device. `with quern.device(...):` makes it the current device within the block;
quern.set_device(...) makes it the default.

Parameters
----------
spec : Device or str, optional
    Name: "cuda", "cuda:1", "host" or "opencl:nvidia". A part of a device is named by its number, from 0, and the division
    that split() makes: "host[1 of 4]" for split(equally=4), "cuda:0[0 of (64,32)]" for split(counts=[64, 32]) and
    "host[0 of numa]" for split(by="numa"). By default it is the current device.

Returns
-------
Device
    The device.

Raises
------
DeviceNotFound
    If no device has this name. The message lists the devices.

Examples
--------
>>> with qn.device("host"):
...     print(qn.zeros(2).device.spec)
host)");
  module.def("set_device", &set_device, nb::arg("device").none(),
             nb::sig("def set_device(device: Device | str | None) -> None"),
             R"(Set the default device of the process, for all threads.

A `with device:` block overrides it.

Parameters
----------
device : Device or str or None
    Device, or its name. None: restore the automatic choice of default_device().

Raises
------
DeviceNotFound
    If no device has this name.)");
  module.def(
      "default_device", [] { return without_gil([] { return default_device(); }); },
      R"(Default device of the process.

It is that of set_device(), otherwise the one that QUERN_DEVICE names, the first CUDA device, an OpenCL GPU with float64,
or the host.

Returns
-------
Device
    The default device.

Examples
--------
>>> qn.default_device() in qn.devices()
True)");
  module.def("current_device", &current_device,
             R"(Current device of the thread or task.

It is that of the innermost `with device:` or `with queue:` block, otherwise the default device.

Returns
-------
Device
    The current device.

Examples
--------
>>> with qn.device("host"):
...     print(qn.current_device().spec)
host)");
  module.def("current_queue", &current_queue, nb::sig("def current_queue() -> Queue"),
             R"(Current queue of the thread or task.

It is that of the innermost `with` block, or the default queue of the current device.

Returns
-------
Queue
    The current queue.

Examples
--------
>>> queue = qn.Queue()
>>> with queue:
...     print(qn.current_queue() == queue)
True)");
  module.def(
      "synchronize",
      [](nb::handle device) {
        const Device target = device_or_current(device);
        wait_interruptibly(Deadline::max(),
                           [&](Deadline deadline) { return synchronize_until(target, deadline); });
        release_kept();
      },
      nb::arg("device") = nb::none(), nb::sig("def synchronize(device: Device | str | None = None) -> None"),
      R"(Wait until all work that is enqueued on a device, on any queue, is done.

Work on the parts that Device.split() made of the device is included. A part waits for itself and its own parts only.

Parameters
----------
device : Device or str, optional
    Device to wait for; the current device by default.

Raises
------
Error
    A deferred error of that work, once.

Examples
--------
>>> x = qn.ones(3) + 1
>>> qn.eval(x)
>>> qn.synchronize())");
}

}  // namespace quern::python
