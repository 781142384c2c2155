// SPDX-License-Identifier: MIT
// Python objects as operands of arithmetic: arrays, Python's numbers, NumPy's numbers and arrays.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "binding.hpp"

namespace quern::python {

// An axis, or several, as functions take them. Throws an ArgumentError that names the function for anything
// else.
int axis_of(nb::handle axis, const char* function);
std::vector<int> axes_of(nb::handle axes, const char* function);  // of an integer, or a sequence of integers

// Borrows an array from its object; valid while the GIL is held. Returns nothing for an object of another
// type, which may handle the operation itself.
[[nodiscard]] std::optional<Operand> find_operand(nb::handle object);
// Warns as NumPy does if a finite number becomes an infinite element.
void warn_of_overflow(const Number& number, const DType& dtype);
// The same for the numbers beside arrays, which take the arrays' dtypes.
void warn_of_overflow(std::span<const Operand> operands);
// Throws an ArgumentError that names the function instead.
[[nodiscard]] Operand operand_of(nb::handle object, const char* function);
// The queue of these operands; nothing if none of them is an array.
[[nodiscard]] std::optional<Queue> queue_of(nb::handle given, std::span<const Operand> operands);

// Whether the interpreter's stack holds the only reference to an object that Python passed to a function.
[[nodiscard]] bool is_temporary(nb::handle object);
// The number of handles to an array that belong to the interpreter's stack and to an Operands; they are
// hardly used after an assignment. 0 if there are other references.
[[nodiscard]] long spare_handles(nb::handle value);

// Owns what its operands borrow, for work without the GIL.
class Operands {
 public:
  [[nodiscard]] std::optional<Operand> find(nb::handle object);
  [[nodiscard]] Operand get(nb::handle object, const char* function);
  // All operands of a call, with their queue: the given one, that of the first array, or the current one.
  // NumPy's values and lists become arrays there; if there is no array, so does the first number.
  std::vector<Operand> all(std::span<const nb::handle> objects, const char* function, nb::handle given,
                           std::optional<Queue>& queue);
  // Converts an object for which is_foreign() is true to an array on the device of the queue; it keeps
  // NumPy's dtype.
  [[nodiscard]] Operand moved(nb::handle object, const Queue& queue);

 private:
  // Copies of the handles: another thread may assign to the object meanwhile.
  std::deque<Array> kept_;
};

// Records an operation on arrays and Python numbers; null if an operand is something else, or none is an
// array.
[[nodiscard]] nb::object apply_at_once(const codegen::Op& op, std::span<PyObject* const> objects);

// A NumPy number or array, or a list or tuple.
[[nodiscard]] bool is_foreign(nb::handle object);
// A Python or NumPy number; throws an ArgumentError that names the role for anything else.
Number number_of(nb::handle object, const char* role);

}  // namespace quern::python
