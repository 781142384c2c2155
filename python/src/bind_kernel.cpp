// SPDX-License-Identifier: MIT
// The Python classes of kernels.
#include <optional>
#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "interpreter.hpp"
#include "kernel_launch.hpp"
#include "quern/declared_signature.hpp"

namespace quern::python {
namespace {

std::optional<unsigned> occupancy(const PyKernel& self, nb::handle device, nb::handle local_items,
                                  nb::handle shared_bytes) {
  const Device target = device_or_current(device);
  const std::size_t local_size = size_argument(local_items, "local_size");
  const std::size_t shared_memory = size_argument(shared_bytes, "shared_memory");
  return without_gil(
      [&] { return self.kernel().groups_per_compute_unit(target, local_size, shared_memory); });
}

// Its name and parameters; only the name if the program would have to be built, or has errors.
std::string signature_to_show(const PyKernel& self) {
  const auto signature = without_gil([&] { return declared_signature(self.kernel()); });
  return signature ? signature_text(*signature) : self.kernel().name();
}

}  // namespace

void bind_kernel(nb::module_& module) {
  nb::class_<ConfiguredKernel>(module, "ConfiguredKernel", nb::is_final(),
                               "Kernel with a launch configuration: kernel[grid, block].")
      .def(
          "__call__", &launch_configured,
          nb::sig("def __call__(self, *args: typing.Any, wait_for: Event | collections.abc.Sequence[Event] | "
                  "None = None, wait: bool | None = None, **named_args: typing.Any) -> Event"),
          "Launch the kernel with these arguments; see Kernel.__call__().")
      .def("__repr__", [](const ConfiguredKernel& self) {
        return std::string("<quern.Kernel ") + nb::inst_ptr<PyKernel>(self.kernel)->kernel().name() + "[" +
               nb::repr(self.grid).c_str() + ", " + nb::repr(self.block).c_str() + "]>";
      });
  nb::class_<PyKernel>(
      module, "Kernel", nb::is_final(),
      R"(Kernel of a program. Call it to launch it; it is immutable, and arguments are passed with each call.

Examples
--------
>>> program = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }")
>>> x = qn.ones(3, dtype="float32")
>>> event = program.scale(None, x.shape, None, x, 2)
>>> x.get()
array([2., 2., 2.], dtype=float32))")
      .def(
          "__call__",
          [](nb::handle_t<PyKernel> self, nb::args arguments, nb::kwargs named) {
            return nb::steal(PyVectorcall_Call(self.ptr(), arguments.ptr(), named.ptr()));
          },
          nb::sig("def __call__(self, queue: Queue | None, global_size: int | collections.abc.Sequence[int] "
                  "| None, local_size: int | "
                  "collections.abc.Sequence[int] | None, /, *args: typing.Any, wait_for: Event | "
                  "collections.abc.Sequence[Event] | None = "
                  "None, offset: int | collections.abc.Sequence[int] | None = None, grid: int | "
                  "collections.abc.Sequence[int] | None = None, "
                  "block: int | collections.abc.Sequence[int] | None = None, shared_memory: int = 0, wait: "
                  "bool | None "
                  "= None, "
                  "**named_args: typing.Any) -> "
                  "Event"),
          documented(R"(Launch the kernel: kernel(queue, global_size, local_size, *args).

CUDA's form takes grid and block instead of the first three arguments: kernel(*args, grid=4, block=256, queue=q), or
kernel[4, 256](*args).

Parameters
----------
queue : Queue or None
    Queue to enqueue the launch on; None for the current queue.
global_size : int or sequence of int
    Number of work-items in up to three dimensions.
local_size : int, sequence of int or None
    Number of work-items of a work-group; None for an automatic choice.
*args
    Kernel arguments in order: numbers, arrays, buffers, LocalMemory, and NumPy arrays wrapped by In(), Out() or InOut().
@wait_for
offset : int or sequence of int, optional
    First global id; 0 by default.
grid : int or sequence of int, optional
    CUDA's form: number of work-groups.
block : int or sequence of int, optional
    CUDA's form: number of work-items of a work-group.
shared_memory : int, optional
    Bytes of dynamic shared memory of a kernel in CUDA C.
wait : bool, optional
    Whether the call waits for the kernel. By default it waits if an argument is Out() or InOut(), until these are filled.
**named_args
    Kernel arguments by the names in the source.

Returns
-------
Event
    Event of the launch.

Raises
------
ArgumentError
    If the arguments do not fit the parameters, or if the sizes do not fit the device.
BuildError
    If the program cannot be built.

Examples
--------
>>> kernel = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }").scale
>>> x = qn.ones(3, dtype="float32")
>>> event = kernel(None, 3, None, x, 2)
>>> event = kernel(None, 3, None, x, a=5)
>>> print(x)
[10. 10. 10.])")
              .c_str())
      .def("__getitem__", &configured, nb::arg("sizes").none(),
           nb::sig("def __getitem__(self, sizes: tuple[typing.Any, ...], /) -> ConfiguredKernel"),
           "Launch configuration as in Numba: kernel[grid, block](*args), or kernel[grid, block, queue, "
           "shared_memory](*args).")
      .def_prop_ro(
          "name", [](const PyKernel& self) { return self.kernel().name(); }, "Name of the kernel.")
      .def_prop_ro(
          "signature", [](const PyKernel& self) { return self.signature(current_device()); },
          "Parameters of the kernel.")
      .def(
          "attributes",
          [](const PyKernel& self, nb::handle device) {
            const Device target = device_or_current(device);
            return without_gil([&] { return self.kernel().attributes(target); });
          },
          nb::arg("device") = nb::none(),
          nb::sig("def attributes(self, device: Device | str | None = None) -> KernelAttributes"),
          R"(Resources that the kernel uses on a device. The call builds the program first.

Parameters
----------
device : Device or str, optional
    Device; the current device by default.

Returns
-------
KernelAttributes
    Largest work-group, memory and registers.

Raises
------
BuildError
    If the program cannot be built.

Examples
--------
>>> kernel = qn.Program("kernel void f(global int *x) { local int t[4]; t[0] = 1; x[0] = t[0]; }").f
>>> kernel.attributes().local_memory
16)")
      .def(
          "occupancy", &occupancy, nb::arg("device").none(), nb::arg("local_size").none(),
          nb::arg("shared_memory").none() = 0,
          nb::sig("def occupancy(self, device: Device | str | None, local_size: int, shared_memory: int = "
                  "0) -> int | "
                  "None"),
          R"(Number of work-groups that a compute unit runs at the same time. The call builds the program first.

Parameters
----------
device : Device, str or None
    Device; None for the current device.
local_size : int
    Number of work-items of a work-group.
shared_memory : int, optional
    Bytes of dynamic local memory of a work-group.

Returns
-------
int or None
    Number of work-groups; None if the device cannot tell, as the host and OpenCL devices.

Raises
------
BuildError
    If the program cannot be built.

Examples
--------
>>> kernel = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }").one
>>> kernel.occupancy(qn.device("host"), 64) is None
True)")
      .def(
          "__reduce__", [](const PyKernel& self) { return reduced(self.recipe(), &self.kernel().name()); },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__copy__", [](nb::object self) { return self; }, nb::sig("def __copy__(self) -> Kernel"))
      .def(
          "__deepcopy__", [](nb::object self, nb::handle /*memo*/) { return self; }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: object, /) -> Kernel"))
      .def("__repr__", [](const PyKernel& self) { return "<quern.Kernel " + signature_to_show(self) + ">"; });
}

}  // namespace quern::python
