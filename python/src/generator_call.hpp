// SPDX-License-Identifier: MIT
// What calls of generated kernels have in common: a queue, a wait list, a range of indices, and the kernel's
// own arguments by position or by name.
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
  // Takes the keywords that are not arguments of the kernel out of `named`: queue, wait_for, wait, range,
  // slice, and those in `extra`, which own_option() returns. Trailing arguments for which `may_miss` is true
  // become null pointers.
  GeneratorCall(const Signature& signature, nb::args positional, nb::kwargs named,
                std::initializer_list<const char*> extra, const std::function<bool(std::size_t)>& may_miss);

  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }
  [[nodiscard]] WaitList wait_for() const noexcept { return wait_for_; }
  [[nodiscard]] const std::optional<IndexRange>& range() const noexcept { return range_; }
  [[nodiscard]] nb::object own_option(const char* name) const;  // None when it was not given
  [[nodiscard]] CallArguments& arguments() noexcept { return *arguments_; }
  [[nodiscard]] bool misses_any() const noexcept { return misses_any_; }

  // Copies host arrays in, runs `launch` without the GIL, copies them out and waits, unless wait=False was
  // given.
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

// name, preamble and options, as the constructors of generators take them.
GeneratorOptions generator_options(nb::handle name, nb::handle preamble, nb::handle options);

PyArray as_python_array(Array array);

// A generator with what it was made of, by which a pickle makes it again.
template <class Kernel>
struct Made : Kernel {
  using Kernel::Kernel;
  nb::object arguments = {};  // a tuple of those by position, and a dict of those by name
};

// Pickles, copies and the names that all generators have.
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
      .def_prop_ro("name", [](const Made<Kernel>& self) { return self.name(); })
      .def_prop_ro("signature", [](const Made<Kernel>& self) { return self.signature(); })
      .def("__repr__", [name](const Made<Kernel>& self) {
        return std::string("<quern.") + name + " " + signature_text(self.signature()) + ">";
      });
}

// What is reduced or scanned: of a dtype that NumPy knows, or of a type that the preamble defines and calls
// so.
struct ItemType {
  DType dtype;
  std::string name;  // empty where the dtype says it
};
ItemType item_type(nb::handle dtype);

// Makes a generator of items: from the dtype, or from the name in C.
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

// The type of what a generator of items makes.
template <class Kernel>
void bind_item_type(nb::class_<Made<Kernel>>& bound) {
  bound.def_prop_ro(
      "dtype", [](const Made<Kernel>& self) { return numpy_dtype_of(self.dtype()); },
      nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"));
}

}  // namespace quern::python
