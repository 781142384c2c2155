// SPDX-License-Identifier: MIT
// The memory pools: statistics, limits, and allocators written in Python.

#include "quern/pool.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// A call of an allocator's free(), which the destructor of a capsule makes.
struct PendingFree {
  nb::object free;
  std::uintptr_t native = 0;
  std::size_t nbytes = 0;
};

void call_free(PyObject* capsule) {
  const std::unique_ptr<PendingFree> pending(
      static_cast<PendingFree*>(PyCapsule_GetPointer(capsule, nullptr)));
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);  // destructors also run while an exception is raised
  try {
    pending->free(pending->native, pending->nbytes);
  } catch (nb::python_error& error) {
    error.restore();
    PyErr_WriteUnraisable(pending->free.ptr());
  }
  PyErr_Restore(type, value, trace);
}

// An object with allocate() and free(). The library frees memory on any thread and under the locks of its
// callers, so free() only releases a capsule: its destructor calls Python later, with the GIL.
class PythonAllocator final : public Allocator {
 public:
  explicit PythonAllocator(nb::handle object) {
    for (const char* name : {"allocate", "free"}) {
      if (!nb::hasattr(object, name) || PyCallable_Check(nb::object(object.attr(name)).ptr()) == 0)
        type_error(std::string("allocator: expected an object with allocate(nbytes) and free(address, ") +
                   "nbytes), got " + class_name(object) + " without " + name + "()");
    }
    allocate_ = nb::object(object.attr("allocate"));
    free_ = nb::object(object.attr("free"));
  }
  PythonAllocator(const PythonAllocator&) = delete;
  PythonAllocator& operator=(const PythonAllocator&) = delete;
  ~PythonAllocator() override {
    // The last reference may be dropped on any thread.
    (void)keep_reference(std::move(allocate_));
    (void)keep_reference(std::move(free_));
  }

  std::uintptr_t allocate(std::size_t nbytes) override {
    if (!has_interpreter()) throw std::bad_alloc();
    const AcquireGil gil;
    nb::object result;
    try {
      result = allocate_(nbytes);
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
      throw;
    }
    if (result.is_none()) return 0;
    const std::uintptr_t native = address_argument(result, "the result of the allocator's allocate()");
    auto pending = std::make_unique<PendingFree>(PendingFree{free_, native, nbytes});
    nb::object capsule = nb::steal(PyCapsule_New(pending.get(), nullptr, &call_free));
    if (!capsule.is_valid()) throw nb::python_error();
    (void)pending.release();
    std::shared_ptr<void> kept = keep_object(std::move(capsule));
    const std::lock_guard lock(mutex_);
    live_.emplace(native, std::move(kept));
    return native;
  }

  void free(std::uintptr_t native, std::size_t /*nbytes*/) noexcept override {
    std::shared_ptr<void> released;  // after the lock
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(native);
    if (found == live_.end()) return;
    released = std::move(found->second);
    live_.erase(found);
  }

 private:
  static std::shared_ptr<void> keep_reference(nb::object object) noexcept {
    return object.is_valid() ? keep_object(std::move(object)) : nullptr;
  }

  nb::object allocate_, free_;
  std::mutex mutex_;
  std::unordered_multimap<std::uintptr_t, std::shared_ptr<void>> live_;
};

}  // namespace

void bind_pool(nb::module_& module) {
  nb::class_<PoolStats>(module, "PoolStats", R"(Memory pool of a device: its numbers are in bytes.

Examples
--------
>>> x = qn.ones(1000)
>>> qn.synchronize()
>>> stats = qn.pool_stats()
>>> x.nbytes <= stats.in_use <= stats.peak
True)")
      .def_ro("in_use", &PoolStats::in_use, "Bytes in live buffers.")
      .def_ro("in_pool", &PoolStats::in_pool, "Bytes kept for reuse.")
      .def_ro("peak", &PoolStats::peak, "Largest number of bytes in use so far.")
      .def_ro("limit", &PoolStats::limit, "Limit in bytes; 0: no limit.")
      .def("__repr__", [](const PoolStats& self) {
        return "PoolStats(in_use=" + std::to_string(self.in_use) +
               ", in_pool=" + std::to_string(self.in_pool) + ", peak=" + std::to_string(self.peak) +
               ", limit=" + std::to_string(self.limit) + ")";
      });
  nb::class_<QueuePoolStats>(module, "QueuePoolStats",
                             R"(Memory of the buffers that were allocated for one queue.

Examples
--------
>>> queue = qn.Queue()
>>> memory = qn.Buffer(1024, queue=queue)
>>> stats = qn.pool_stats(queue=queue)
>>> stats.allocations, stats.in_use
(1, 1024))")
      .def_ro("in_use", &QueuePoolStats::in_use, "Bytes in live buffers.")
      .def_ro("in_pool", &QueuePoolStats::in_pool, "Bytes that were in buffers of the queue, kept for reuse.")
      .def_ro("peak", &QueuePoolStats::peak, "Largest number of bytes in use so far.")
      .def_ro("allocations", &QueuePoolStats::allocations, "Number of buffers that were allocated.")
      .def_ro("reused", &QueuePoolStats::reused, "Number of those that are memory of the pool.")
      .def("__repr__", [](const QueuePoolStats& self) {
        return "QueuePoolStats(in_use=" + std::to_string(self.in_use) +
               ", in_pool=" + std::to_string(self.in_pool) + ", peak=" + std::to_string(self.peak) +
               ", allocations=" + std::to_string(self.allocations) +
               ", reused=" + std::to_string(self.reused) + ")";
      });
  module.def(
      "pool_stats",
      [](nb::handle device, nb::handle queue) -> nb::object {
        if (queue.is_none()) return nb::cast(pool_stats(device_or_current(device)));
        if (!device.is_none()) type_error("pool_stats: expected a device or a queue, got both");
        nb::object keep;
        return nb::cast(pool_stats(queue_or_current(queue, keep)));
      },
      nb::arg("device") = nb::none(), nb::kw_only(), nb::arg("queue") = nb::none(),
      nb::sig("def pool_stats(device: Device | str | None = None, *, queue: Queue | None = None) -> "
              "typing.Any"),
      R"(Memory pool of a device, or the part of it that one queue takes.

Parameters
----------
device : Device or str, optional
    Device of the pool; the current device by default.
queue : Queue, optional
    If given, only buffers that were allocated for this queue count.

Returns
-------
PoolStats or QueuePoolStats
    Bytes in use, bytes kept for reuse, the peak and the limit; for a queue also the number of allocations.

Examples
--------
>>> memory = qn.Buffer(4096)
>>> qn.pool_stats().in_use >= memory.nbytes
True
>>> queue = qn.Queue()
>>> memory = qn.Buffer(4096, queue=queue)
>>> qn.pool_stats(queue=queue).in_use
4096)");
  module.def(
      "trim_pool",
      [](nb::handle device) {
        release_kept();
        const Device target = device_or_current(device);
        without_gil([&] { trim_pool(target); });
      },
      nb::arg("device") = nb::none(), nb::sig("def trim_pool(device: Device | str | None = None) -> None"),
      R"(Return the unused memory of a device's pool to the driver.

Parameters
----------
device : Device or str, optional
    Device of the pool; the current device by default.

Examples
--------
>>> qn.trim_pool())");
  module.def(
      "set_pool_limit",
      [](nb::handle nbytes, nb::handle device) {
        const std::size_t limit = nbytes.is_none() ? 0 : size_argument(nbytes, "nbytes");
        const Device target = device_or_current(device);
        without_gil([&] { set_pool_limit(target, limit); });
      },
      nb::arg("nbytes").none(), nb::arg("device") = nb::none(),
      nb::sig("def set_pool_limit(nbytes: int | None, device: Device | str | None = None) -> None"),
      R"(Limit the memory that buffers of a device may use.

QUERN_MEMORY_LIMIT sets the limit at startup.

Parameters
----------
nbytes : int or None
    Limit in bytes. None: no limit.
device : Device or str, optional
    Device of the pool; the current device by default.)");
  module.def(
      "set_allocator",
      [](nb::handle allocator, nb::handle device, nb::handle pooled) {
        const Device target = device_or_current(device);
        const AllocatorOptions options{flag_argument(pooled, "pooled")};
        std::shared_ptr<Allocator> ours;
        if (!allocator.is_none()) ours = std::make_shared<PythonAllocator>(allocator);
        release_kept();
        without_gil([&] { set_allocator(target, std::move(ours), options); });
        release_kept();
      },
      nb::arg("allocator").none(), nb::arg("device") = nb::none(), nb::kw_only(), nb::arg("pooled") = true,
      nb::sig(
          "def set_allocator(allocator: typing.Any, device: Device | str | None = None, *, pooled: bool = "
          "True) -> None"),
      R"(Supply the memory of a device's buffers by an allocator of the program's own.

Memory returns to the allocator that it came from, after all enqueued work that uses it is done.

Parameters
----------
allocator : object or None
    Object with the methods ``allocate(nbytes)``, which returns an address (on OpenCL devices that of a cl_mem),
    and ``free(address, nbytes)``. Addresses are multiples of 128. ``allocate`` may be called from any thread.
    MemoryError means that no memory is left: the pool then returns its unused memory and asks again. Other
    exceptions are raised where the memory is needed; exceptions of ``free`` go to sys.unraisablehook. None
    restores the driver's memory.
device : Device or str, optional
    Device of the buffers; the current device by default.
pooled : bool, optional
    If True, unused memory stays in the pool until trim_pool(). If False, it is freed at once.

Raises
------
TypeError
    If the object lacks one of the methods.

Examples
--------
>>> class Pages:
...     def __init__(self):
...         self.live = {}
...     def allocate(self, nbytes):
...         memory = np.empty(nbytes + 128, "uint8")
...         address = -(-memory.ctypes.data // 128) * 128
...         self.live[address] = memory
...         return address
...     def free(self, address, nbytes):
...         del self.live[address]
>>> pages = Pages()
>>> qn.set_allocator(pages, "host", pooled=False)
>>> memory = qn.Buffer(1000, device="host")
>>> len(pages.live)
1
>>> del memory
>>> qn.set_allocator(None, "host")
>>> len(pages.live)
0)");
}

}  // namespace quern::python
