// SPDX-License-Identifier: MIT
// Distributed arrays: communicators, layouts, arrays, ghost cells. quern.dist holds them.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "errors.hpp"
#include "item_index.hpp"
#include "operands.hpp"
#include "quern/distributed.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using distributed::AxisLayout;
using distributed::Communicator;
using distributed::DistributedArray;
using distributed::DistributedOperand;
using distributed::HaloArray;
using distributed::HaloExchange;
using distributed::Layout;
using distributed::ProcessGrid;
using Lengths = std::vector<std::int64_t>;

Shape shape_of_lengths(const Lengths& lengths) {
  Shape shape;
  for (const std::int64_t length : lengths) shape.push_back(length);
  return shape;
}

// Runs f() without the GIL, on the current queue if it is on the array's device.
template <class F>
auto on_queue(const DistributedArray& array, F&& f) {
  return on_queue_of(array.local(), std::forward<F>(f));
}

// ---- Communicator

distributed::WaitLimits limits_of(std::optional<double> warn, std::optional<double> fail) {
  distributed::WaitLimits limits = distributed::WaitLimits::from_environment();
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  if (warn) limits.warn = milliseconds(*warn);
  if (fail) limits.fail = milliseconds(*fail);
  return limits;
}

void bind_communicator(nb::module_& module) {
  nb::class_<Communicator>(module, "Communicator", R"(A group of ranks; quern.dist.init() makes one.

Examples
--------
>>> communicator = qn.dist.init()
>>> communicator.rank, communicator.size
(0, 1))")
      .def_static(
          "world", [] { return without_gil([] { return distributed::world(); }); },
          "All ranks that mpiexec has started, or this process alone.")
      .def_static(
          "of_mpi",
          [](std::uintptr_t address) { return without_gil([&] { return distributed::of_mpi(address); }); },
          nb::arg("address"), "The ranks of the MPI communicator at this address.")
      .def_static(
          "self_only", [] { return without_gil([] { return distributed::self(); }); }, "This process alone.")
      .def_static(
          "threads",
          [](int ranks, std::optional<double> warn, std::optional<double> fail) {
            return without_gil([&] { return distributed::threads(ranks, limits_of(warn, fail)); });
          },
          nb::arg("ranks"), nb::arg("warn") = nb::none(), nb::arg("fail") = nb::none(),
          "The communicators of ranks that are threads of this process; limits of waits are in seconds.")
      .def_static(
          "mpi_library_names",
          [](nb::handle launcher) {
            return distributed::mpi_library_names(text_argument(launcher, "launcher"));
          },
          nb::arg("launcher"),
          "The MPI libraries that world() tries to load under a launcher, in this order.")
      .def_prop_ro("rank", &Communicator::rank, "Number of this rank, from 0.")
      .def_prop_ro("size", &Communicator::size, "Number of ranks.")
      .def_prop_ro("description", &Communicator::description, "What carries the messages.")
      .def_prop_ro(
          "sent",
          [](const Communicator& self) {
            const distributed::MessageCounts sent = self.sent();
            return std::pair(sent.messages, sent.bytes);
          },
          "Numbers of messages and bytes that this rank has sent.")
      .def(
          "barrier", [](const Communicator& self) { without_gil([&] { self.barrier(); }); },
          "Waits until all ranks have called it.")
      .def(
          "split",
          [](const Communicator& self, int color) { return without_gil([&] { return self.split(color); }); },
          nb::arg("color"), "The communicator of the ranks that give the same color.")
      .def(
          "announce_failure",
          [](const Communicator& self, nb::handle text) {
            const std::string told = text_argument(text, "text");
            without_gil([&] { self.announce_failure(told); });
          },
          nb::arg("text"), "Lets other ranks raise an error with this text where they wait.")
      .def(
          "announce_end", [](const Communicator& self) { without_gil([&] { self.announce_end(); }); },
          "Lets other ranks raise an error where they wait for this one, which calls no more operations.")
      .def_static(
          "announce_exit", [](bool waits) { without_gil([&] { distributed::announce_exit(waits); }); },
          nb::arg("waits"),
          "Calls announce_end() of all communicators of MPI, and may wait until all other ranks have done "
          "so.")
      .def(
          "abort", [](const Communicator& self, int status) { without_gil([&] { self.abort(status); }); },
          nb::arg("status") = 1, "Ends all ranks of the program.")
      .def("__repr__", [](const Communicator& self) {
        return "<Communicator: rank " + std::to_string(self.rank()) + " of " + std::to_string(self.size()) +
               " (" + self.description() + ")>";
      });
}

// ---- Layout

void bind_layout(nb::module_& module) {
  nb::class_<Layout>(module, "Layout", R"(Which rank owns which elements of a distributed array.

Examples
--------
>>> layout = qn.dist.zeros((6, 4)).layout
>>> layout.shape
(6, 4))")
      .def_static(
          "block",
          [](std::vector<int> grid, const Lengths& shape) {
            return Layout::block(ProcessGrid(std::move(grid)), shape_of_lengths(shape));
          },
          nb::arg("grid"), nb::arg("shape"), "One block for each rank of a grid.")
      .def_static(
          "for_shape",
          [](int ranks, const Lengths& shape) { return Layout::for_shape(ranks, shape_of_lengths(shape)); },
          nb::arg("ranks"), nb::arg("shape"), "Blocks on a grid that suits the shape.")
      .def_static(
          "cyclic",
          [](std::vector<int> grid, const Lengths& shape, std::int64_t block) {
            const ProcessGrid ranks(std::move(grid));
            if (ranks.lengths().size() > shape.size()) {
              value_error("a process grid of " + std::to_string(ranks.lengths().size()) +
                          " dimensions for an array of " + std::to_string(shape.size()));
            }
            std::vector<AxisLayout> axes;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
              const int parts = axis < ranks.lengths().size() ? ranks.lengths()[axis] : 1;
              axes.push_back(parts > 1 ? AxisLayout::cyclic(shape[axis], static_cast<int>(axis), parts, block)
                                       : AxisLayout::whole(shape[axis]));
            }
            return Layout(ranks, std::move(axes));
          },
          nb::arg("grid"), nb::arg("shape"), nb::arg("block"), "Blocks of this length, dealt round robin.")
      .def_static(
          "irregular",
          [](const std::vector<Lengths>& lengths) {
            std::vector<int> grid;
            std::vector<AxisLayout> axes;
            for (const Lengths& parts : lengths) {
              axes.push_back(AxisLayout::irregular(parts, static_cast<int>(grid.size())));
              grid.push_back(static_cast<int>(parts.size()));
            }
            return Layout(ProcessGrid(std::move(grid)), std::move(axes));
          },
          nb::arg("lengths"), "Blocks of given lengths along each axis.")
      .def_static(
          "replicated",
          [](int ranks, const Lengths& shape) { return Layout::replicated(ranks, shape_of_lengths(shape)); },
          nb::arg("ranks"), nb::arg("shape"), "All elements on every rank.")
      .def_static(
          "owned",
          [](int ranks, const Lengths& shape, int root) {
            return Layout::owned(ranks, shape_of_lengths(shape), root);
          },
          nb::arg("ranks"), nb::arg("shape"), nb::arg("root"), "All elements on one rank.")
      .def_prop_ro(
          "shape", [](const Layout& self) { return shape_tuple(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Shape of the array.")
      .def_prop_ro(
          "grid", [](const Layout& self) { return nb::tuple(nb::cast(self.grid().lengths())); },
          nb::sig("def grid(self) -> tuple[int, ...]"), "Lengths of the grid of ranks.")
      .def_prop_ro(
          "root",
          [](const Layout& self) { return self.root() < 0 ? std::nullopt : std::optional(self.root()); },
          "The rank that owns all elements, if there is one.")
      .def_prop_ro("is_replicated", &Layout::is_replicated, "Whether every rank has all elements.")
      .def(
          "local_shape",
          [](const Layout& self, int rank) {
            if (rank < 0 || rank >= self.grid().size()) {
              value_error("rank " + std::to_string(rank) + " does not exist among " +
                          std::to_string(self.grid().size()));
            }
            return shape_tuple(self.local_shape(rank));
          },
          nb::arg("rank"), nb::sig("def local_shape(self, rank: int) -> tuple[int, ...]"),
          "Shape of the block of a rank.")
      .def(
          "owner",
          [](const Layout& self, const Lengths& index) {
            const Shape shape = self.shape();
            if (index.size() != shape.size()) {
              index_error("owner: expected " + std::to_string(shape.size()) + " indices, got " +
                          std::to_string(index.size()));
            }
            for (std::size_t i = 0; i < index.size(); ++i) {
              if (index[i] < 0 || index[i] >= shape[i]) {
                index_error("index " + std::to_string(index[i]) + " is out of bounds for axis " +
                            std::to_string(i) + " with size " + std::to_string(shape[i]));
              }
            }
            return self.owner(index);
          },
          nb::arg("index"), "The lowest rank that has the element.")
      .def(
          "intervals",
          [](const Layout& self, int rank) {
            nb::list axes;
            for (const auto& axis : self.intervals(rank)) {
              nb::list intervals;
              for (const auto& one : axis) intervals.append(nb::make_tuple(one.start, one.stop));
              axes.append(nb::tuple(intervals));
            }
            return nb::tuple(axes);
          },
          nb::arg("rank"),
          nb::sig("def intervals(self, rank: int) -> tuple[tuple[tuple[int, int], ...], ...]"),
          "For each axis the index intervals (start, stop) of a rank.")
      .def("is_first_replica", &Layout::is_first_replica, nb::arg("rank"),
           "Whether the rank is the lowest of those that have the same elements.")
      .def("__eq__",
           [](const Layout& self, nb::handle other) {
             return nb::isinstance<Layout>(other) && self == *nb::inst_ptr<Layout>(other);
           })
      .def("__hash__", [](const Layout& self) { return nb::hash(nb::cast(self.text())); })
      .def("__str__", &Layout::text)
      .def("__repr__", [](const Layout& self) {
        return "<Layout " + self.text() + " of shape " + text_of(shape_tuple(self.shape())) + ">";
      });
}

// ---- DistributedArray

DistributedArray item_of(const DistributedArray& self, nb::handle index) {
  std::vector<Index> basic;
  for (const ItemIndex& part : item_index(index, self.local())) {
    const Index* const one = std::get_if<Index>(&part);
    if (one == nullptr) {
      index_error(
          "an index of a distributed array consists of integers, slices, ... and None; "
          "take() takes lists, and where() masks");
    }
    basic.push_back(*one);
  }
  return on_queue(self, [&] { return distributed::get_item(self, basic); });
}

void set_item_of(const DistributedArray& self, nb::handle index, nb::handle value) {
  std::vector<Index> basic;
  for (const ItemIndex& part : item_index(index, self.local())) {
    const Index* const one = std::get_if<Index>(&part);
    if (one == nullptr) {
      index_error(
          "assignment to a distributed array takes an index of integers, slices, ... and None, or a "
          "distributed mask");
    }
    basic.push_back(*one);
  }
  if (nb::isinstance<DistributedArray>(value)) {
    const DistributedArray given = *nb::inst_ptr<DistributedArray>(value);
    return on_queue(self, [&] { distributed::set_item(self, basic, given); });
  }
  const Number number = number_of(value, "value");
  warn_of_overflow(number, self.dtype());
  on_queue(self, [&] { distributed::set_item(self, basic, number); });
}

std::optional<DType> dtype_argument(nb::handle dtype) {
  return dtype.is_none() ? std::nullopt : std::optional(element_type(native_dtype(dtype)));
}

DistributedArray reduced(const DistributedArray& self, const std::string& name,
                         std::optional<std::vector<int>> axes, bool keepdims, nb::handle dtype) {
  ReduceOptions options{.over = Over(std::move(axes)), .keepdims = keepdims, .dtype = dtype_argument(dtype)};
  return on_queue(self, [&] { return distributed::reduce(name, self, options); });
}

DistributedArray accumulated(const DistributedArray& self, const std::string& name, int axis,
                             nb::handle dtype) {
  const ScanOperation operation = name == "sum"    ? ScanOperation::sum
                                  : name == "prod" ? ScanOperation::product
                                  : name == "max"  ? ScanOperation::maximum
                                                   : ScanOperation::minimum;
  const std::optional<DType> type = dtype_argument(dtype);
  return on_queue(self, [&] { return distributed::cumulative(operation, self, axis, type); });
}

nb::tuple aligned(const std::string& name, const std::vector<DistributedArray>& arrays) {
  if (arrays.empty()) type_error(name + ": at least one operand must be a distributed array");
  const distributed::Aligned found =
      on_queue(arrays.front(), [&] { return distributed::align(name, arrays); });
  nb::list blocks;
  for (const Array& block : found.blocks) blocks.append(nb::cast(wrapped(block)));
  return nb::make_tuple(found.layout, blocks);
}

void bind_distributed_array(nb::module_& module) {
  nb::class_<DistributedArray>(module, "DistributedArray",
                               "Blocks of an array on several ranks; quern.dist.Array holds one.")
      .def(
          "__init__",
          [](DistributedArray* self, const Communicator& communicator, const Layout& layout,
             const PyArray& local) { new (self) DistributedArray(communicator, layout, local.array); },
          nb::arg("communicator"), nb::arg("layout"), nb::arg("local"))
      .def_static(
          "distribute",
          [](const Communicator& communicator, const Layout& layout, const PyArray& whole) {
            return on_queue_of(whole.array,
                               [&] { return distributed::distribute(communicator, layout, whole.array); });
          },
          nb::arg("communicator"), nb::arg("layout"), nb::arg("whole"),
          "Takes the block of this rank out of an array that all ranks have.")
      .def_static(
          "empty",
          [](const Communicator& communicator, const Layout& layout, nb::handle dtype, nb::handle device) {
            const DType type = element_type(native_dtype(dtype));
            const Queue queue =
                device.is_none() ? nb::cast<Queue>(current_queue())
                                 : queue_for(Context::of(nb::cast<Device>(device)), nb::cast<Device>(device));
            return without_gil([&] { return DistributedArray::empty(communicator, layout, type, queue); });
          },
          nb::arg("communicator"), nb::arg("layout"), nb::arg("dtype"), nb::arg("device") = nb::none(),
          "Elements that are not initialised.")
      .def_static("align", &aligned, nb::arg("name"), nb::arg("arrays"),
                  nb::sig("def align(name: str, arrays: Sequence[DistributedArray]) -> tuple[Layout, "
                          "list[Array]]"),
                  "The layout of an elementwise result, and the blocks of the operands in it.")
      .def_static(
          "concat",
          [](const std::vector<DistributedArray>& arrays, int axis) {
            if (arrays.empty()) value_error("concat: need at least one array to concatenate");
            return on_queue(arrays.front(), [&] { return distributed::concat(arrays, axis); });
          },
          nb::arg("arrays"), nb::arg("axis") = 0, "Joins arrays along an axis.")
      .def(
          "is_aligned",
          [](const DistributedArray& self, const DistributedArray& other) {
            return self.layout().root() < 0 && self.communicator() == other.communicator() &&
                   self.layout() == other.layout();
          },
          nb::arg("other"), "Whether elementwise functions of both need the blocks of each rank only.")
      .def(
          "with_block",
          [](const DistributedArray& self, const PyArray& local) {
            return DistributedArray(self.communicator(), self.layout(), local.array);
          },
          nb::arg("local"), "An array of the same layout with another block.")
      .def_prop_ro("communicator", &DistributedArray::communicator, "The ranks that have the array.")
      .def_prop_ro("layout", &DistributedArray::layout, "Which rank owns which elements.")
      .def_prop_ro(
          "shape", [](const DistributedArray& self) { return shape_tuple(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Shape of the whole array.")
      .def_prop_ro(
          "local", [](const DistributedArray& self) { return wrapped(self.local()); },
          "The block of this rank.")
      .def(
          "redistribute",
          [](const DistributedArray& self, const Layout& layout) {
            return on_queue(self, [&] { return distributed::redistribute(self, layout); });
          },
          nb::arg("layout"), "The same elements in another layout.")
      .def(
          "gather",
          [](const DistributedArray& self, std::optional<int> root) {
            return wrapped(on_queue(
                self, [&] { return root ? distributed::gather(self, *root) : distributed::gather(self); }));
          },
          nb::arg("root") = nb::none(), "All elements on every rank, or on one.")
      .def("get_item", &item_of, nb::arg("index").none(), "A copy of a part.")
      .def("set_item", &set_item_of, nb::arg("index").none(), nb::arg("value"), "Writes to a part.")
      .def(
          "take",
          [](const DistributedArray& self, const Lengths& indices, int axis) {
            return on_queue(self, [&] { return distributed::take(self, indices, axis); });
          },
          nb::arg("indices"), nb::arg("axis"), "Elements at these indices along an axis.")
      .def(
          "gather_at",
          [](const DistributedArray& self, const DistributedArray& places) {
            return on_queue(self, [&] { return distributed::gather_at(self, places); });
          },
          nb::arg("places"), "Elements at distributed places, counted in C order.")
      .def(
          "scatter_at",
          [](const DistributedArray& self, const DistributedArray& places, const DistributedArray& values) {
            on_queue(self, [&] { distributed::scatter_at(self, places, values); });
          },
          nb::arg("places"), nb::arg("values"), "Writes to distributed places.")
      .def(
          "reproducible_sum",
          [](const DistributedArray& self, const std::optional<std::vector<int>>& axes, bool keepdims) {
            return on_queue(self, [&] { return distributed::reproducible_sum(self, axes, keepdims); });
          },
          nb::arg("axes").none(), nb::arg("keepdims") = false,
          "Exact sums, with the same bits for any number of ranks.")
      .def(
          "permute_dims",
          [](const DistributedArray& self, const std::vector<int>& axes) {
            return on_queue(self, [&] { return distributed::permute_dims(self, axes); });
          },
          nb::arg("axes"), "Another order of the axes.")
      .def(
          "expand_dims",
          [](const DistributedArray& self, const std::vector<int>& axes) {
            return on_queue(self, [&] { return distributed::expand_dims(self, axes); });
          },
          nb::arg("axes"), "New axes of length 1.")
      .def(
          "squeeze",
          [](const DistributedArray& self, const std::vector<int>& axes) {
            return on_queue(self, [&] { return distributed::squeeze(self, axes); });
          },
          nb::arg("axes"), "Without these axes of length 1.")
      .def(
          "broadcast_to",
          [](const DistributedArray& self, const Lengths& shape) {
            return on_queue(self, [&] { return distributed::broadcast_to(self, shape_of_lengths(shape)); });
          },
          nb::arg("shape"), "Repeats axes of length 1.")
      .def(
          "reshape",
          [](const DistributedArray& self, const Lengths& shape) {
            return on_queue(self, [&] { return distributed::reshape(self, shape_of_lengths(shape)); });
          },
          nb::arg("shape"), "The same elements in another shape.")
      .def(
          "roll",
          [](const DistributedArray& self, const Lengths& shifts, const std::vector<int>& axes) {
            return on_queue(self, [&] { return distributed::roll(self, shifts, axes); });
          },
          nb::arg("shifts"), nb::arg("axes"), "Cyclic shifts along axes.")
      .def("reduce", &reduced, nb::arg("name"), nb::arg("axes").none(), nb::arg("keepdims") = false,
           nb::arg("dtype") = nb::none(), "Reduces over axes, or over all.")
      .def("cumulative", &accumulated, nb::arg("name"), nb::arg("axis"), nb::arg("dtype") = nb::none(),
           "Cumulative \"sum\", \"prod\", \"max\" or \"min\" along an axis.")
      .def(
          "matmul",
          [](const DistributedArray& self, const DistributedArray& other) {
            return on_queue(self, [&] { return distributed::matmul(self, other); });
          },
          nb::arg("other"), "Product of matrices and vectors.")
      .def(
          "sort",
          [](const DistributedArray& self, int axis, bool descending) {
            return on_queue(self, [&] { return distributed::sort(self, axis, {.descending = descending}); });
          },
          nb::arg("axis") = -1, nb::arg("descending") = false, "Sorted along an axis.")
      .def(
          "argsort",
          [](const DistributedArray& self, int axis, bool descending) {
            return on_queue(self,
                            [&] { return distributed::argsort(self, axis, {.descending = descending}); });
          },
          nb::arg("axis") = -1, nb::arg("descending") = false, "Indices that sort along an axis.")
      .def(
          "global_indices",
          [](const DistributedArray& self, int axis) {
            const std::size_t along = checked_axis(axis, self.shape().size());
            return wrapped(on_queue(self, [&] { return distributed::global_indices(self, along); }));
          },
          nb::arg("axis"), "Index along an axis of each element of the block.");
}

// ---- HaloArray

void bind_halo(nb::module_& module) {
  nb::class_<HaloArray>(module, "HaloBlocks", "Blocks with ghost cells; quern.dist.HaloArray holds them.")
      .def(
          "__init__",
          [](HaloArray* self, const Communicator& communicator, const Layout& layout,
             const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
             const std::vector<bool>& periodic, bool corners, nb::handle dtype, nb::handle device) {
            const DType element = element_type(native_dtype(dtype));
            const Queue queue = queue_on(device, nb::none());
            const distributed::HaloOptions options{widths, periodic, corners};
            HaloArray made = without_gil([&] {
              const QueueScope scope(queue);
              return HaloArray(communicator, layout, options, element, queue);
            });
            new (self) HaloArray(std::move(made));
          },
          nb::arg("communicator"), nb::arg("layout"), nb::arg("widths"), nb::arg("periodic"),
          nb::arg("corners"), nb::arg("dtype"), nb::arg("device").none() = nb::none())
      .def_prop_ro("layout", &HaloArray::layout, "Layout of the elements.")
      .def_prop_ro(
          "local", [](const HaloArray& self) { return wrapped(self.local()); },
          "The block of this rank with its ghost cells.")
      .def_prop_ro(
          "interior", [](const HaloArray& self) { return wrapped(self.interior()); },
          "A view of the block without ghost cells.")
      .def(
          "exchange_begin",
          [](const HaloArray& self) { on_queue_of(self.local(), [&] { self.exchange_begin(); }); },
          "Sends the elements that other ranks need.")
      .def(
          "exchange_end",
          [](const HaloArray& self) { on_queue_of(self.local(), [&] { self.exchange_end(); }); },
          "Waits for the ghost cells.");
  nb::class_<HaloExchange>(module, "HaloExchange",
                           R"(Exchange of ghost cells under way; exchange_begin() makes one.

Parameters
----------
fields : list
    Blocks of the arrays.

Examples
--------
>>> u, v = qn.dist.HaloArray(4, 1), qn.dist.HaloArray(4, 1)
>>> under_way = qn.dist.exchange_begin(u, v)
>>> under_way.finish())")
      .def(
          "__init__",
          [](HaloExchange* self, const std::vector<HaloArray>& fields) {
            const auto make = [&] { new (self) HaloExchange(fields); };
            fields.empty() ? without_gil(make) : on_queue_of(fields.front().local(), make);
          },
          nb::arg("fields"))
      .def(
          "finish", [](HaloExchange& self) { on_queue_of(self.first_block(), [&] { self.finish(); }); },
          "Wait for the messages of the neighbours and write the ghost cells.");
}

}  // namespace

void bind_distributed(nb::module_& module) {
  bind_communicator(module);
  bind_layout(module);
  bind_distributed_array(module);
  bind_halo(module);
}

}  // namespace quern::python
