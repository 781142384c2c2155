// SPDX-License-Identifier: MIT
// Access to NumPy from C++ through Python's protocols: dtypes, and the memory of arrays.
#pragma once

#include <cstddef>
#include <memory>

#include "binding.hpp"

namespace quern::python {

// numpy.<name>
nb::object numpy_attribute(const char* name);

// Emits the warning "overflow encountered ...", raises it as an error, or ignores it, as numpy.errstate says.
void warn_as_numpy(const char* text);

// numpy.dtype(like), and the element type for it. Throws ArgumentError for a dtype that kernels cannot use.
nb::object numpy_dtype(nb::handle like);
// The same in the machine's byte order, for new elements.
nb::object native_dtype(nb::handle like);
DType element_type(nb::handle dtype);
// The NumPy dtype of an element type; vectors are those of quern.vec.
nb::object numpy_dtype_of(const DType& dtype);

[[nodiscard]] bool is_numpy_array(nb::handle object);
// NumPy's kind letter for a Python or NumPy number: 'b', 'i', 'u' or 'f'. Zero for anything else.
[[nodiscard]] char number_kind(nb::handle object);
nb::object empty_numpy_array(const Shape& shape, nb::handle dtype);

nb::tuple shape_tuple(const Shape& shape);
Shape shape_of(nb::handle shape);  // an int, or a sequence of ints

// Contiguous host memory of an object with the buffer protocol.
class HostMemory {
 public:
  // `role` names it in errors. Throws ArgumentError if it is not contiguous in C order, or must be writable
  // and is not.
  HostMemory(nb::handle object, bool writable, const char* role);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  [[nodiscard]] void* data() const noexcept { return view_.buf; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
  // Transfers the view to a user of the memory that outlives this object.
  std::shared_ptr<void> keep();

 private:
  Py_buffer view_ = {};
};

}  // namespace quern::python
