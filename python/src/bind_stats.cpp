// SPDX-License-Identifier: MIT
// Counters, and the disk cache of compiled programs.

#include <string>

#include "binding.hpp"
#include "interpreter.hpp"

namespace quern::python {

void bind_stats(nb::module_& module) {
  nb::class_<Stats>(module, "Stats", R"(Counters of the library since the process started.

Examples
--------
>>> before = qn.stats()
>>> x = qn.zeros(1000)
>>> qn.synchronize()
>>> after = qn.stats()
>>> after.bytes_in_use - before.bytes_in_use >= x.nbytes, after.bytes_peak >= after.bytes_in_use
(True, True))")
      .def_ro("bytes_in_use", &Stats::bytes_in_use, "Bytes in live buffers, over all devices.")
      .def_ro("bytes_in_pool", &Stats::bytes_in_pool, "Bytes kept for reuse.")
      .def_ro("bytes_peak", &Stats::bytes_peak, "Largest number of bytes in use so far.")
      .def_ro("launches", &Stats::launches, "Number of kernel launches.")
      .def_ro("compilations", &Stats::compilations, "Number of compiler runs.")
      .def_ro("cache_hits_memory", &Stats::cache_hits_memory, "Number of programs found in memory.")
      .def_ro("cache_hits_disk", &Stats::cache_hits_disk, "Number of programs found in the disk cache.")
      .def_ro("library_plans", &Stats::library_plans,
              "Plans and algorithms that are kept for calls of other libraries.")
      .def_ro("library_plan_bytes", &Stats::library_plan_bytes, "Bytes of host memory that these plans use.")
      .def_ro("library_plan_device_bytes", &Stats::library_plan_device_bytes,
              "Bytes of device memory that the tables of cuFFT's plans use: an upper estimate.")
      .def_ro("fft_tables", &Stats::fft_tables,
              "Tables of Fourier transforms that are kept in device memory for later calls.")
      .def_ro("fft_table_bytes", &Stats::fft_table_bytes, "Bytes of device memory that these tables use.")
      .def("__repr__", [](const Stats& self) {
        return "Stats(bytes_in_use=" + std::to_string(self.bytes_in_use) +
               ", bytes_in_pool=" + std::to_string(self.bytes_in_pool) +
               ", bytes_peak=" + std::to_string(self.bytes_peak) +
               ", launches=" + std::to_string(self.launches) +
               ", compilations=" + std::to_string(self.compilations) +
               ", cache_hits_memory=" + std::to_string(self.cache_hits_memory) +
               ", cache_hits_disk=" + std::to_string(self.cache_hits_disk) +
               ", library_plans=" + std::to_string(self.library_plans) +
               ", library_plan_bytes=" + std::to_string(self.library_plan_bytes) +
               ", library_plan_device_bytes=" + std::to_string(self.library_plan_device_bytes) +
               ", fft_tables=" + std::to_string(self.fft_tables) +
               ", fft_table_bytes=" + std::to_string(self.fft_table_bytes) + ")";
      });
  module.def(
      "stats",
      [] {
        release_kept();
        return stats();
      },
      R"(Counters of the library since the process started.

Returns
-------
Stats
    Memory in use and in the pools, launches, compilations and cache hits.

Examples
--------
>>> before = qn.stats().launches
>>> qn.eval(qn.ones(3) + 1)
>>> qn.stats().launches > before
True)");

  module.def(
      "hide_progress", [](bool hidden) { hide_progress(hidden); }, nb::arg("hidden"),
      "Hides long compilations and copies while Python shows progress of its own. Calls nest.");
  module.def(
      "finish_compilation", [] { without_gil([] { finish_compilation(); }); },
      R"(Wait until the background compilation of kernels is done.

The call waits for the kernels of all expressions that were evaluated so far. Only the host device compiles in the
background. Expressions that are too cheap to compile are not waited for.

Examples
--------
>>> qn.eval(qn.ones(3) + 1)
>>> qn.finish_compilation())");
  nb::enum_<HostLoopUse>(module, "HostLoopUse")
      .value("until_compiled", HostLoopUse::until_compiled)
      .value("never", HostLoopUse::never)
      .value("only", HostLoopUse::only);
  module.def("host_loop_use", &host_loop_use);
  module.def("set_host_loop_use", &set_host_loop_use, nb::arg("use"),
             "When precompiled loops replace compiled kernels; for tests and comparisons.");
  nb::enum_<LoopStructure>(module, "LoopStructure")
      .value("of_device", LoopStructure::of_device)
      .value("grid", LoopStructure::grid)
      .value("chunks", LoopStructure::chunks);
  module.def("loop_structure", &loop_structure);
  module.def("set_loop_structure", &set_loop_structure, nb::arg("structure"),
             "Loop structure of generated kernels; for tests and comparisons.");

  nb::class_<CacheInfo>(module, "CacheInfo", R"(Disk cache of compiled programs.

Examples
--------
>>> info = qn.cache.info()
>>> info.entries >= 0, info.bytes <= info.limit
(True, True))")
      .def_ro("folder", &CacheInfo::folder, "Folder of the cache.")
      .def_ro("problem", &CacheInfo::problem, "Reason why the cache is not used; empty if it is used.")
      .def_ro("entries", &CacheInfo::entries, "Number of entries.")
      .def_ro("bytes", &CacheInfo::bytes, "Size of all entries, in bytes.")
      .def_ro("limit", &CacheInfo::limit, "Limit of the size, in bytes.");
  module.def(
      "cache_info", [] { return without_gil([] { return cache_info(); }); },
      R"(Folder, entries and size of the disk cache.

Returns
-------
CacheInfo
    State of the cache now.

Examples
--------
>>> info = qn.cache.info()
>>> info.bytes >= 0 and info.limit > 0
True)");
  module.def(
      "cache_clear", [] { return without_gil([] { return cache_clear(); }); },
      R"(Remove all entries of the disk cache.

Returns
-------
int
    Number of removed entries.)");
  module.def(
      "cache_prune",
      [](std::uint64_t to_bytes) { return without_gil([&] { return cache_prune(to_bytes); }); },
      nb::arg("to_bytes"), "Remove the least recently used entries; returns how many were removed.");
}

}  // namespace quern::python
