// SPDX-License-Identifier: MIT
// Memory of all ranks: arrays, a counter, locks. quern.dist holds them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "conversions.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "quern/distributed.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using distributed::Communicator;
using distributed::Counter;
using distributed::GlobalArray;
using distributed::GlobalLocks;
using distributed::Layout;
using distributed::Patch;
using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Numbers = std::vector<std::int64_t>;

Patch patch_of(const Bounds& bounds) {
  Patch patch;
  for (const auto& [start, stop] : bounds) patch.push_back({start, stop});
  return patch;
}

Bounds bounds_of(const Patch& patch) {
  Bounds bounds;
  for (const auto& interval : patch) bounds.emplace_back(interval.start, interval.stop);
  return bounds;
}

std::span<std::byte> bytes_of(const HostMemory& view) {
  return {static_cast<std::byte*>(view.data()), view.size()};
}

std::span<const std::int64_t> numbers_of(const HostMemory& view) {
  return {static_cast<const std::int64_t*>(view.data()), view.size() / sizeof(std::int64_t)};
}

void bind_blocks(nb::module_& module) {
  nb::class_<GlobalArray>(module, "GlobalBlocks", "Memory of all ranks; quern.dist.GlobalArray holds it.")
      .def(
          "__init__",
          [](GlobalArray* self, const Communicator& communicator, const Layout& layout, nb::handle dtype,
             const Bounds& widths, const std::vector<bool>& periodic) {
            const DType element = element_type(native_dtype(dtype));
            const distributed::HaloOptions ghosts{widths, periodic};
            GlobalArray made =
                without_gil([&] { return GlobalArray(communicator, layout, element, ghosts); });
            new (self) GlobalArray(std::move(made));
          },
          nb::arg("communicator"), nb::arg("layout"), nb::arg("dtype"), nb::arg("widths"),
          nb::arg("periodic"))
      .def_prop_ro("layout", &GlobalArray::layout, "Layout of the elements.")
      .def_prop_ro(
          "local", [](const GlobalArray& self) { return wrapped(self.local()); }, "The block of this rank.")
      .def_prop_ro(
          "local_with_ghosts", [](const GlobalArray& self) { return wrapped(self.local_with_ghosts()); },
          "The block of this rank with its ghost cells.")
      .def(
          "get",
          [](const GlobalArray& self, const Bounds& patch, nb::handle out) {
            const HostMemory to(out, true, "out");
            without_gil([&] { self.get(patch_of(patch), bytes_of(to)); });
          },
          nb::arg("patch"), nb::arg("out"), "Copies a patch to host memory.")
      .def(
          "put",
          [](const GlobalArray& self, const Bounds& patch, nb::handle values) {
            const HostMemory from(values, false, "values");
            without_gil([&] { self.put(patch_of(patch), bytes_of(from)); });
          },
          nb::arg("patch"), nb::arg("values"), "Copies host memory to a patch.")
      .def(
          "accumulate",
          [](const GlobalArray& self, const Bounds& patch, nb::handle values, double scale,
             double imaginary) {
            const HostMemory from(values, false, "values");
            without_gil([&] { self.accumulate(patch_of(patch), bytes_of(from), {scale, imaginary}); });
          },
          nb::arg("patch"), nb::arg("values"), nb::arg("scale"), nb::arg("imaginary"),
          "Adds scale * values to a patch.")
      .def(
          "read_inc",
          [](const GlobalArray& self, const Numbers& index, std::int64_t amount) {
            return self.read_inc(index, amount);
          },
          nb::arg("index"), nb::arg("amount"), "Adds to an element and returns what it was before.")
      .def(
          "gather",
          [](const GlobalArray& self, nb::handle indices, nb::handle out) {
            const HostMemory numbers(indices, false, "indices"), to(out, true, "out");
            without_gil([&] { self.gather(numbers_of(numbers), bytes_of(to)); });
          },
          nb::arg("indices"), nb::arg("out"), "Copies single elements to host memory.")
      .def(
          "scatter",
          [](const GlobalArray& self, nb::handle indices, nb::handle values) {
            const HostMemory numbers(indices, false, "indices"), from(values, false, "values");
            without_gil([&] { self.scatter(numbers_of(numbers), bytes_of(from)); });
          },
          nb::arg("indices"), nb::arg("values"), "Copies host memory to single elements.")
      .def(
          "scatter_accumulate",
          [](const GlobalArray& self, nb::handle indices, nb::handle values, double scale, double imaginary) {
            const HostMemory numbers(indices, false, "indices"), from(values, false, "values");
            without_gil([&] {
              self.scatter_accumulate(numbers_of(numbers), bytes_of(from), {scale, imaginary});
            });
          },
          nb::arg("indices"), nb::arg("values"), nb::arg("scale"), nb::arg("imaginary"),
          "Adds scale * values to single elements.")
      .def(
          "block_of", [](const GlobalArray& self, int rank) { return bounds_of(self.block_of(rank)); },
          nb::arg("rank"), "The block of a rank, in global indices.")
      .def(
          "owner", [](const GlobalArray& self, const Numbers& index) { return self.owner(index); },
          nb::arg("index"), "The rank that has an element.")
      .def(
          "ranks_of",
          [](const GlobalArray& self, const Bounds& patch) {
            std::vector<std::pair<int, Bounds>> parts;
            for (const auto& [rank, part] : self.ranks_of(patch_of(patch)))
              parts.emplace_back(rank, bounds_of(part));
            return parts;
          },
          nb::arg("patch"), "The parts of a patch by rank.")
      .def(
          "fence", [](const GlobalArray& self) { without_gil([&] { self.fence(); }); },
          "Waits for work that this rank has enqueued on its block.")
      .def(
          "sync", [](const GlobalArray& self) { without_gil([&] { self.sync(); }); },
          "All ranks wait for each other.")
      .def(
          "update_ghosts", [](const GlobalArray& self) { without_gil([&] { self.update_ghosts(); }); },
          "Copies elements of other blocks to the ghost cells.");
}

void bind_counter(nb::module_& module) {
  nb::class_<Counter>(module, "SharedCounter", "A number of all ranks; quern.dist.Counter holds it.")
      .def(
          "__init__",
          [](Counter* self, const Communicator& communicator) {
            Counter made = without_gil([&] { return Counter(communicator); });
            new (self) Counter(std::move(made));
          },
          nb::arg("communicator"))
      .def(
          "next", [](const Counter& self, std::int64_t step) { return self.next(step); }, nb::arg("step"),
          "Adds the step and returns the number before.")
      .def(
          "reset", [](const Counter& self, std::int64_t value) { without_gil([&] { self.reset(value); }); },
          nb::arg("value"), "Sets the number. Called by all ranks.");
  nb::class_<GlobalLocks>(module, "SharedLocks", "Locks of all ranks; quern.dist.Locks holds them.")
      .def(
          "__init__",
          [](GlobalLocks* self, const Communicator& communicator, std::size_t count) {
            GlobalLocks made = without_gil([&] { return GlobalLocks(communicator, count); });
            new (self) GlobalLocks(std::move(made));
          },
          nb::arg("communicator"), nb::arg("count"))
      .def_prop_ro("count", &GlobalLocks::count, "Number of locks.")
      .def(
          "lock",
          [](const GlobalLocks& self, std::size_t number) { without_gil([&] { self.lock(number); }); },
          nb::arg("number"), "Waits for a lock and takes it.")
      .def(
          "unlock", [](const GlobalLocks& self, std::size_t number) { self.unlock(number); },
          nb::arg("number"), "Releases a lock.");
}

}  // namespace

void bind_global_arrays(nb::module_& module) {
  bind_blocks(module);
  bind_counter(module);
}

}  // namespace quern::python
