// SPDX-License-Identifier: MIT
// Parameters of kernels, and the classes of arguments that are neither arrays nor numbers.
#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "py_kernel.hpp"

namespace quern::python {
namespace {

const char* space_name(AddressSpace space) {
  switch (space) {
    case AddressSpace::value:
      return "value";
    case AddressSpace::global:
      return "global";
    case AddressSpace::constant:
      return "constant";
    case AddressSpace::local:
      break;
  }
  return "local";
}

void bind_signature(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter", R"(Parameter of a kernel.

Examples
--------
>>> program = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }")
>>> x, a = program.scale.signature
>>> x.name, x.dtype, x.is_pointer, x.address_space
('x', 'float32', True, 'global')
>>> a.type, a.address_space
('float', 'value'))")
      .def_ro("name", &Parameter::name, "Name in the source.")
      .def_ro("type", &Parameter::type_name, "Type in the source.")
      .def_prop_ro(
          "dtype", [](const Parameter& self) { return self.dtype.name(); },
          "Dtype of the value, or of the elements that a pointer points to.")
      .def_ro("is_pointer", &Parameter::is_pointer, "Whether the parameter is a pointer.")
      .def_ro("is_const", &Parameter::is_const, "Whether the kernel only reads through this pointer.")
      .def_prop_ro(
          "address_space", [](const Parameter& self) { return space_name(self.space); },
          "\"value\", \"global\", \"constant\" or \"local\".")
      .def("__repr__", [](const Parameter& self) {
        return "<Parameter " + self.type_name + " " + self.name + ", " + space_name(self.space) + ">";
      });
  nb::class_<Signature>(module, "Signature", R"(Parameters of a kernel.

Examples
--------
>>> program = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }")
>>> program.scale.signature
scale(float* x, float a)
>>> [parameter.name for parameter in program.scale.signature]
['x', 'a'])")
      .def_ro("name", &Signature::name, "Name of the kernel.")
      .def_ro("parameters", &Signature::parameters, "Parameters in order.")
      .def_prop_ro(
          "required_local_size",
          [](const Signature& self) -> nb::object {
            const auto& size = self.required_local;
            return size[0] == 0 ? nb::none() : nb::object(nb::make_tuple(size[0], size[1], size[2]));
          },
          nb::sig("def required_local_size(self) -> tuple[int, int, int] | None"),
          "Work-group size that the source requires (reqd_work_group_size), or None.")
      .def("__len__", [](const Signature& self) { return self.parameters.size(); })
      .def(
          "__iter__", [](const Signature& self) { return nb::iter(nb::cast(self.parameters)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Parameter]"))
      .def(
          "__getitem__",
          [](const Signature& self, nb::handle index) {
            return nb::object(nb::cast(self.parameters)[index]);
          },
          nb::sig("def __getitem__(self, index: int) -> Parameter"))
      .def("__repr__", &signature_text);
  nb::class_<FunctionAttributes>(module, "KernelAttributes", R"(Resources that a kernel uses on a device.

Examples
--------
>>> program = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }")
>>> attributes = program.scale.attributes()
>>> attributes.max_work_group_size >= 1, attributes.local_memory
(True, 0))")
      .def_ro("max_work_group_size", &FunctionAttributes::max_work_group_size,
              "Largest work-group size for this kernel.")
      .def_ro("preferred_multiple", &FunctionAttributes::preferred_multiple,
              "Preferred multiple of the work-group size.")
      .def_ro("local_memory", &FunctionAttributes::local_memory, "Bytes of statically declared local memory.")
      .def_ro("private_memory", &FunctionAttributes::private_memory, "Bytes per work-item.")
      .def_ro("registers", &FunctionAttributes::registers, "Registers per work-item; 0 if unknown.")
      .def("__repr__", [](const FunctionAttributes& self) {
        return "KernelAttributes(max_work_group_size=" + std::to_string(self.max_work_group_size) +
               ", preferred_multiple=" + std::to_string(self.preferred_multiple) +
               ", local_memory=" + std::to_string(self.local_memory) +
               ", private_memory=" + std::to_string(self.private_memory) +
               ", registers=" + std::to_string(self.registers) + ")";
      });
}

void bind_wrappers(nb::module_& module) {
  nb::class_<LocalMemory>(module, "LocalMemory", nb::is_final(),
                          R"(Kernel argument: local memory for a `local T*` parameter.

Parameters
----------
nbytes : int
    Size in bytes.

Examples
--------
>>> kernel = qn.Program('''kernel void f(local int *t, global int *x) {
...   t[get_local_id(0)] = 5; barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = t[0]; }''').f
>>> x = qn.zeros(4, dtype="int32")
>>> event = kernel(None, 4, 4, qn.LocalMemory(16), x)
>>> print(x)
[5 5 5 5])")
      .def(
          "__init__",
          [](LocalMemory* self, nb::handle nbytes) {
            new (self) LocalMemory{size_argument(nbytes, "nbytes")};
          },
          nb::arg("nbytes").none(), nb::sig("def __init__(self, nbytes: int) -> None"))
      .def_ro("nbytes", &LocalMemory::nbytes, "Size in bytes.")
      .def("__repr__",
           [](const LocalMemory& self) { return "LocalMemory(" + std::to_string(self.nbytes) + ")"; });

  nb::class_<HostArgument>(module, "HostArgument", nb::is_final(),
                           R"(NumPy array as a kernel argument; made by In(), Out() or InOut().

Examples
--------
>>> program = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }")
>>> x = np.ones(3, "float32")
>>> argument = qn.InOut(x)
>>> event = program.scale(None, 3, None, argument, 2)
>>> argument.array is x, x
(True, array([2., 2., 2.], dtype=float32)))")
      .def_prop_ro(
          "array", [](const HostArgument& self) { return self.array; },
          nb::sig("def array(self) -> numpy.typing.NDArray[typing.Any]"), "The NumPy array.");
  const auto wrap = [](bool in, bool out) {
    return [in, out](nb::handle array) -> HostArgument {
      const bool is_array = is_numpy_array(array);
      if (out && !is_array) type_error("expected a NumPy array to copy out to, got " + class_name(array));
      if (is_array && (out || nb::cast<bool>(array.attr("dtype").attr("isnative"))))
        return {nb::borrow(array), in, out};
      const nb::object values = numpy_attribute("ascontiguousarray")(array);
      return {values.attr("astype")(native_dtype(values.attr("dtype")), nb::arg("copy") = false), in, out};
    };
  };
  module.def("In", wrap(true, false), nb::arg("array").none(),
             nb::sig("def In(array: numpy.typing.ArrayLike) -> HostArgument"),
             R"(Kernel argument: a NumPy array that is copied to the device before the launch.

The call of the kernel waits for the copy and for earlier work on the queue, so the array may be overwritten as soon as the
call returns. Use an Array to launch without waiting. What the kernel writes to the argument is lost;
InOut() copies it back.

Parameters
----------
array : array_like
    Values of the argument.

Returns
-------
HostArgument
    Argument for a call of a kernel.

Examples
--------
>>> add = qn.Program("kernel void add(global int *x, global int *y) { y[get_global_id(0)] += x[get_global_id(0)]; }").add
>>> y = qn.ones(3, dtype="int32")
>>> event = add(None, 3, None, qn.In(np.array([1, 2, 3], dtype="int32")), y)
>>> print(y)
[2 3 4])");
  module.def("Out", wrap(false, true), nb::arg("array").none(),
             nb::sig("def Out(array: numpy.typing.NDArray[typing.Any]) -> HostArgument"),
             R"(Kernel argument: a NumPy array that is copied from the device after the launch.

The call of the kernel waits until the array is filled; with wait=False the array is filled when the Event of the call is
done. Elements that the kernel does not write are undefined. Out() for a parameter that the kernel only reads is an error of
that call.

Parameters
----------
array : numpy.ndarray
    Array to copy to.

Returns
-------
HostArgument
    Argument for a call of a kernel.

Raises
------
TypeError
    If `array` is not a NumPy array.

Examples
--------
>>> count = qn.Program("kernel void count(global int *x) { x[get_global_id(0)] = get_global_id(0); }").count
>>> values = np.zeros(3, dtype="int32")
>>> event = count(None, 3, None, qn.Out(values))
>>> values.tolist()
[0, 1, 2])");
  module.def(
      "InOut", wrap(true, true), nb::arg("array").none(),
      nb::sig("def InOut(array: numpy.typing.NDArray[typing.Any]) -> HostArgument"),
      R"(Kernel argument: a NumPy array that is copied to the device before the launch and back after it.

The call of the kernel waits for both copies; with wait=False it waits for the first one only, as with In().

Parameters
----------
array : numpy.ndarray
    Values of the argument, which the kernel changes.

Returns
-------
HostArgument
    Argument for a call of a kernel.

Raises
------
TypeError
    If `array` is not a NumPy array.

Examples
--------
>>> twice = qn.Program("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").twice
>>> values = np.array([1, 2, 3], dtype="int32")
>>> event = twice(None, 3, None, qn.InOut(values))
>>> values.tolist()
[2, 4, 6])");
}
}  // namespace

void bind_kernel_arguments(nb::module_& module) {
  bind_signature(module);
  bind_wrappers(module);
}

}  // namespace quern::python
