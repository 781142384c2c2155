// SPDX-License-Identifier: MIT
// Kernels: the call, which is on the path of every launch, and their properties.

#include <string>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "py_kernel.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// Keyword arguments of a call that are not the kernel's own.
struct Keywords {
  PyObject* wait_for = PyUnicode_InternFromString("wait_for");
  PyObject* offset = PyUnicode_InternFromString("offset");
  PyObject* grid = PyUnicode_InternFromString("grid");
  PyObject* block = PyUnicode_InternFromString("block");
  PyObject* shared_memory = PyUnicode_InternFromString("shared_memory");
  PyObject* wait = PyUnicode_InternFromString("wait");
  PyObject* queue = PyUnicode_InternFromString("queue");
};

const Keywords& keywords() {
  static const Keywords instance;
  return instance;
}

// Converts an int or a sequence of one to three ints; returns their number.
unsigned read_sizes(PyObject* sizes, std::array<std::size_t, 3>& result, const char* role) {
  // A one-dimensional ndarray is a sequence, although it has __index__.
  if (PyLong_Check(sizes) || (PyIndex_Check(sizes) && !PySequence_Check(sizes))) {
    result[0] = size_argument(sizes, role);
    return 1;
  }
  const bool is_tuple = PyTuple_CheckExact(sizes);
  const nb::object list = is_tuple ? nb::borrow(sizes) : nb::steal(PySequence_Tuple(sizes));
  if (!list.is_valid()) {
    PyErr_Clear();
    if (PyIndex_Check(sizes)) {  // a 0-d ndarray
      result[0] = size_argument(sizes, role);
      return 1;
    }
    type_error(std::string(role) + ": expected an int or a tuple of ints, got " + class_name(sizes));
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(list.ptr());
  if (count < 1 || count > 3)
    value_error(std::string(role) + ": expected one to three dimensions, got " + std::to_string(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    result[static_cast<std::size_t>(i)] = size_argument(PyTuple_GET_ITEM(list.ptr(), i), role);
  return static_cast<unsigned>(count);
}

bool is_queue(PyObject* object) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<Queue>().ptr());
  return Py_TYPE(object) == type;
}

// The launch options of a call. Null and None are the same.
struct CallOptions {
  PyObject* wait_for = nullptr;
  PyObject* offset = nullptr;
  PyObject* grid = nullptr;
  PyObject* block = nullptr;
  PyObject* shared_memory = nullptr;
  PyObject* wait = nullptr;
  PyObject* queue = nullptr;  // if the sizes are given as grid and block
  bool has_sizes = false;     // given by kernel[grid, block], not among the arguments

  // False if the name is not a launch option.
  bool take(PyObject* name, PyObject* value) {
    const Keywords& known = keywords();
    const auto is = [&](PyObject* keyword) {
      return name == keyword || PyUnicode_Compare(name, keyword) == 0;
    };
    PyObject** const slot = is(known.wait_for)        ? &wait_for
                            : is(known.offset)        ? &offset
                            : is(known.grid)          ? &grid
                            : is(known.block)         ? &block
                            : is(known.shared_memory) ? &shared_memory
                            : is(known.wait)          ? &wait
                            // A kernel parameter may have this name.
                            : is(known.queue) && is_queue(value) ? &queue
                                                                 : nullptr;
    if (slot == nullptr) return false;
    *slot = value == Py_None ? nullptr : value;
    return true;
  }
};

Range range_of(PyObject* global, PyObject* local, const CallOptions& options) {
  Range range;
  if (options.grid != nullptr || options.block != nullptr) {
    if (global != Py_None || local != Py_None)
      type_error("grid and block replace global and local size: omit the sizes or pass None");
    if (options.block == nullptr)
      type_error("grid: block is missing; pass the number of work-items of a group");
    std::array<std::size_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
    range.dims = read_sizes(options.block, block, "block");
    if (options.grid != nullptr) range.dims = std::max(range.dims, read_sizes(options.grid, grid, "grid"));
    for (std::size_t i = 0; i < 3; ++i) {
      if (__builtin_mul_overflow(grid[i], block[i], &range.global[i]))
        value_error("grid: the number of work-items overflows 64 bits");
      range.local[i] = block[i];
    }
  } else {
    range.dims = read_sizes(global, range.global, "global size");
    if (local != Py_None) {
      range.local = {1, 1, 1};
      const unsigned dims = read_sizes(local, range.local, "local size");
      if (dims != range.dims) {
        value_error("local size: has " + std::to_string(dims) + " dimensions, the global size has " +
                    std::to_string(range.dims));
      }
      for (std::size_t i = 0; i < dims; ++i) {
        if (range.local[i] == 0) value_error("local size: must be at least 1");
      }
    }
  }
  if (options.offset != nullptr) {
    if (read_sizes(options.offset, range.offset, "offset") != range.dims)
      value_error("offset: expected as many dimensions as the global size has, " +
                  std::to_string(range.dims));
  }
  if (options.shared_memory != nullptr)
    range.dynamic_local = size_argument(options.shared_memory, "shared_memory");
  return range;
}

// The queue and the sizes of a call. With grid and block the sizes are omitted, unless a queue or None comes
// first.
struct Leading {
  PyObject *queue = Py_None, *global = Py_None, *local = Py_None;
  std::size_t count = 0;  // number of positional arguments that they take
};

Leading leading_of(const PyKernel& kernel, std::span<PyObject* const> positional,
                   const CallOptions& options) {
  const bool starts_with_queue =
      !options.has_sizes && !positional.empty() && (positional[0] == Py_None || is_queue(positional[0]));
  if (options.block != nullptr && !starts_with_queue)
    return {.queue = options.queue != nullptr ? options.queue : Py_None};
  if (positional.size() < 3)
    type_error(
        "kernel " + kernel.kernel().name() +
        ": a call needs a queue (or None), a global size and a local size (or None); or grid= and block=");
  if (options.queue != nullptr)
    type_error("kernel " + kernel.kernel().name() + ": the queue is the first argument of a call with sizes");
  return {positional[0], positional[1], positional[2], 3};
}

Event launch(const PyKernel& kernel, std::span<PyObject* const> positional, std::span<PyObject* const> names,
             std::span<PyObject* const> named_values, CallOptions options = {}) {
  release_kept();
  std::vector<PyObject*> own_names, own_values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.take(names[i], named_values[i])) continue;
    own_names.push_back(names[i]);
    own_values.push_back(named_values[i]);
  }
  nb::object keep;
  const Leading leading = leading_of(kernel, positional, options);
  const Queue& queue = queue_or_current(leading.queue, keep);
  const Range range = range_of(leading.global, leading.local, options);
  CallArguments arguments(kernel, queue);
  if (own_names.empty()) {
    arguments.add(positional.subspan(leading.count));
  } else {
    arguments.add_named(positional.subspan(leading.count), own_names, own_values);
  }
  // A launch may build first, run a short kernel on this thread, or wait for room in a driver's queue.
  if (options.wait_for == nullptr && options.wait == nullptr && !arguments.has_host_arrays()) [[likely]]
    return without_gil([&] { return kernel.kernel().launch(queue, range, arguments.list()); });

  const std::vector<Event> events = events_of(options.wait_for != nullptr ? options.wait_for : Py_None);
  const bool waits = options.wait != nullptr ? flag_argument(options.wait, "wait") : arguments.copies_out();
  if (arguments.has_host_arrays()) arguments.copy_in(events);
  Event launched =
      without_gil([&] { return kernel.kernel().launch(queue, range, arguments.list(), events); });
  if (arguments.has_host_arrays()) launched = arguments.copy_out(std::move(launched));
  if (waits) wait_for_event(launched);
  return launched;
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t flagged_count, PyObject* names) {
  static PyTypeObject* const event_type = reinterpret_cast<PyTypeObject*>(nb::type<Event>().ptr());
  try {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    std::span<PyObject* const> name_list;
    if (names != nullptr)
      name_list = {&PyTuple_GET_ITEM(names, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(names))};
    Event event = launch(*nb::inst_ptr<PyKernel>(self), {arguments, count}, name_list,
                         {arguments + count, name_list.size()});
    nb::object result = nb::inst_alloc(reinterpret_cast<PyObject*>(event_type));
    new (nb::inst_ptr<Event>(result)) Event(std::move(event));
    nb::inst_mark_ready(result);
    return result.release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    try {
      set_python_error(std::current_exception());
    } catch (nb::python_error& error) {
      error.restore();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  }
  return nullptr;
}

// kernel[grid, block]: the sizes come first, as in CUDA C and Numba.
struct ConfiguredKernel {
  nb::object kernel, grid, block, queue = nb::none();
  nb::object shared_memory = nb::none();
};

ConfiguredKernel configured(nb::handle kernel, nb::handle sizes) {
  const std::string usage = "kernel[grid, block], or kernel[grid, block, queue, shared_memory]";
  if (!PyTuple_Check(sizes.ptr()) || PyTuple_GET_SIZE(sizes.ptr()) < 2 || PyTuple_GET_SIZE(sizes.ptr()) > 4)
    type_error("expected " + usage + ", got " + nb::repr(sizes).c_str());
  const auto item = [&](Py_ssize_t k) {
    return k < PyTuple_GET_SIZE(sizes.ptr()) ? nb::borrow(PyTuple_GET_ITEM(sizes.ptr(), k)) : nb::none();
  };
  ConfiguredKernel result{nb::borrow(kernel), item(0), item(1), item(2), item(3)};
  if (!result.queue.is_none() && !is_queue(result.queue.ptr()))
    type_error("expected " + usage + ", got a " + class_name(result.queue) + " as queue");
  std::array<std::size_t, 3> checked;
  read_sizes(result.grid.ptr(), checked, "grid");
  read_sizes(result.block.ptr(), checked, "block");
  return result;
}

Event launch_configured(const ConfiguredKernel& self, nb::args arguments, nb::kwargs named) {
  std::vector<PyObject*> positional, names, values;
  for (nb::handle one : arguments) positional.push_back(one.ptr());
  for (const auto& [name, value] : named) {
    names.push_back(name.ptr());
    values.push_back(value.ptr());
  }
  const auto given = [](const nb::object& object) { return object.is_none() ? nullptr : object.ptr(); };
  return launch(*nb::inst_ptr<PyKernel>(self.kernel), positional, names, values,
                {.grid = self.grid.ptr(),
                 .block = self.block.ptr(),
                 .shared_memory = given(self.shared_memory),
                 .queue = given(self.queue),
                 .has_sizes = true});
}

// CPython calls an instance through a function pointer at a fixed offset in it, which saves packing the
// arguments into a tuple. The offset of the C++ object in an instance is known once there is an instance.
void call_directly(nb::handle instance) {
  auto* type = reinterpret_cast<PyTypeObject*>(instance.type().ptr());
  type->tp_vectorcall_offset = reinterpret_cast<const char*>(nb::inst_ptr<PyKernel>(instance)) -
                               reinterpret_cast<const char*>(instance.ptr());
  type->tp_call = PyVectorcall_Call;
  type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  PyType_Modified(type);
}

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
  nb::class_<Parameter>(module, "Parameter", "Parameter of a kernel.")
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
  nb::class_<Signature>(module, "Signature", "Parameters of a kernel.")
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
  nb::class_<FunctionAttributes>(module, "KernelAttributes", "Resources that a kernel uses on a device.")
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
                           "NumPy array as a kernel argument; made by In(), Out() or InOut().")
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

std::optional<unsigned> occupancy(const PyKernel& self, nb::handle device, nb::handle local_items,
                                  nb::handle shared_bytes) {
  const Device target = device_or_current(device);
  const std::size_t local_size = size_argument(local_items, "local_size");
  const std::size_t shared_memory = size_argument(shared_bytes, "shared_memory");
  return without_gil(
      [&] { return self.kernel().groups_per_compute_unit(target, local_size, shared_memory); });
}

}  // namespace

const Signature& PyKernel::signature(const Device& device) const {
  const auto find = [&]() -> const Signature* {
    for (const auto& [known_device, known] : signatures_) {
      if (known_device == device) return &known;
    }
    return nullptr;
  };
  if (const Signature* known = find()) return *known;
  Signature asked = without_gil([&] { return kernel_.signature(device); });
  // Another thread may have queried it meanwhile.
  if (const Signature* known = find()) return *known;
  return signatures_.emplace_front(device, std::move(asked)).second;
}

nb::object make_kernel(const std::shared_ptr<const ProgramRecipe>& recipe, const std::string& name) {
  nb::object result = nb::cast(PyKernel(&call, recipe->program.kernel(name), recipe));
  static const bool once = [&] { return call_directly(result), true; }();
  (void)once;
  return result;
}

void bind_kernel(nb::module_& module) {
  bind_signature(module);
  bind_wrappers(module);
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
      "Kernel of a program. Call it to launch it; it is immutable, and arguments are passed with "
      "each call.")
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
      .def("__repr__", [](const PyKernel& self) { return "<quern.Kernel " + self.kernel().name() + ">"; });
}

}  // namespace quern::python
