// SPDX-License-Identifier: MIT
// NumPy seen from C++, through Python's own protocols: dtypes, and the memory of arrays.
#pragma once

#include <cstddef>
#include <memory>

#include "binding.hpp"

namespace quern::python {

// numpy.<name>
nb::object numpy_attribute(const char* name);

// Warns of "overflow encountered ...", or raises, or does neither, as numpy.errstate says.
void warn_as_numpy(const char* text);

// numpy.dtype(like), and the element type it stands for. Throws ArgumentError for one that no kernel can use.
nb::object numpy_dtype(nb::handle like);
// The same in the machine's byte order, for elements that are still to be made.
nb::object native_dtype(nb::handle like);
DType element_type(nb::handle dtype);
// The other way round; vectors are those of quern.vec.
nb::object numpy_dtype_of(const DType& dtype);

[[nodiscard]] bool is_numpy_array(nb::handle object);
// NumPy's letter for a number of Python's or NumPy's: 'b', 'i', 'u' or 'f'. Zero for anything else.
[[nodiscard]] char number_kind(nb::handle object);
nb::object empty_numpy_array(const Shape& shape, nb::handle dtype);

nb::tuple shape_tuple(const Shape& shape);
Shape shape_of(nb::handle shape);  // an int, or a sequence of them

// Contiguous host memory that an object shows through the buffer protocol.
class HostMemory {
 public:
  // `role` names it in errors. Throws ArgumentError when it is not contiguous in C order, or must be writable
  // and is not.
  HostMemory(nb::handle object, bool writable, const char* role);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  [[nodiscard]] void* data() const noexcept { return view_.buf; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
  // Hands the view over to whoever uses the memory after this object is gone.
  std::shared_ptr<void> keep();

 private:
  Py_buffer view_ = {};
};

}  // namespace quern::python
