// SPDX-License-Identifier: MIT
// Shared code of calls of generated kernels: a queue, a wait list, a range of indices, and the kernel's own
// arguments by position or by name.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "binding.hpp"
#include "interpreter.hpp"
#include "py_kernel.hpp"

namespace quern::python {

class GeneratorCall {
 public:
  // Removes the keywords that are not arguments of the kernel from `named`: queue, wait_for, wait, range,
  // slice, and those in `extra`, which own_option() returns. Missing trailing arguments for which `may_miss`
  // is true become null pointers.
  GeneratorCall(const Signature& signature, nb::args positional, nb::kwargs named,
                std::initializer_list<const char*> extra, const std::function<bool(std::size_t)>& may_miss);

  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }
  [[nodiscard]] WaitList wait_for() const noexcept { return wait_for_; }
  [[nodiscard]] const std::optional<IndexRange>& range() const noexcept { return range_; }
  [[nodiscard]] nb::object own_option(const char* name) const;  // None if it was not given
  [[nodiscard]] CallArguments& arguments() noexcept { return *arguments_; }
  [[nodiscard]] bool misses_any() const noexcept { return misses_any_; }

  // Copies host arrays to the device, runs `launch` without the GIL, copies them back and waits, unless
  // wait=False was given.
  template <class Launch>
  Event run(const Launch& launch) {
    if (arguments_->has_host_arrays()) arguments_->copy_in(wait_for_);
    Event event = without_gil(launch);
    if (arguments_->has_host_arrays()) event = arguments_->copy_out(std::move(event));
    if (waits_.value_or(arguments_->copies_out())) wait_for_event(event);
    return event;
  }

 private:
  nb::dict options_;
  std::optional<Queue> queue_;
  std::vector<Event> wait_for_;
  std::optional<IndexRange> range_;
  std::optional<CallArguments> arguments_;
  bool misses_any_ = false;
  std::optional<bool> waits_;
};

// The options name, preamble and options of the generators' constructors.
GeneratorOptions generator_options(nb::handle name, nb::handle preamble, nb::handle options);

PyArray as_python_array(Array array);
// A new Python object. nb::cast() would look up the class, which takes longer.
nb::object array_object(PyArray array);

// A generator with the constructor arguments from which a pickle restores it.
template <class Kernel>
struct Made : Kernel {
  using Kernel::Kernel;
  nb::object arguments = {};  // a tuple of positional arguments, and a dict of named ones
};

// Pickling, copying and the attributes that all generators share.
template <class Kernel>
void bind_generator(nb::class_<Made<Kernel>>& bound, const char* name) {
  bound
      .def(
          "__reduce__",
          [](nb::handle_t<Made<Kernel>> self) {
            const nb::object& all = nb::inst_ptr<Made<Kernel>>(self)->arguments;
            return nb::make_tuple(nb::module_::import_("quern._storage").attr("restore_generator"),
                                  nb::make_tuple(self.type(), all[nb::int_(0)], all[nb::int_(1)]));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def_prop_ro(
          "name", [](const Made<Kernel>& self) { return self.name(); }, "Name of the kernel.")
      .def_prop_ro(
          "signature", [](const Made<Kernel>& self) { return self.signature(); }, "Parameters of the kernel.")
      .def("__repr__", [name](const Made<Kernel>& self) {
        return std::string("<quern.") + name + " " + signature_text(self.signature()) + ">";
      });
}

// The item type of a reduction or scan: a NumPy dtype, or the name of a type that the preamble defines.
struct ItemType {
  DType dtype;
  std::string name;  // empty if the dtype determines it
};
ItemType item_type(nb::handle dtype);

// Makes a generator of items from the dtype, or from the name in C.
template <class Kernel, class... Arguments>
void make_of_items(Kernel* self, const ItemType& item, const Arguments&... arguments) {
  without_gil([&] {
    if (item.name.empty()) {
      new (self) Kernel(item.dtype, arguments...);
    } else {
      new (self) Kernel(item.name, arguments...);
    }
  });
}

// The item type of a generator.
template <class Kernel>
void bind_item_type(nb::class_<Made<Kernel>>& bound) {
  bound.def_prop_ro(
      "dtype", [](const Made<Kernel>& self) { return numpy_dtype_of(self.dtype()); },
      nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Dtype of the combined values.");
}

}  // namespace quern::python
