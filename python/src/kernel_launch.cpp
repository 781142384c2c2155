// SPDX-License-Identifier: MIT
// Calls of kernels, which are on the path of every launch: launch options, sizes and the queue.
#include "kernel_launch.hpp"

#include <string>

#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
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
  if ((count < 1 || count > 3) && !is_tuple && !PyList_Check(sizes))
    type_error(std::string(role) + ": expected an int or a tuple of ints, got " + class_name(sizes) +
               "; the arguments of the kernel follow the global and the local size");
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

PyObject* call_kernel(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                      PyObject* names) {
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
}  // namespace

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
  nb::object result = nb::cast(PyKernel(&call_kernel, recipe->program.kernel(name), recipe));
  static const bool once = [&] { return call_directly(result), true; }();
  (void)once;
  return result;
}
}  // namespace quern::python
