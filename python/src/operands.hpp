// SPDX-License-Identifier: MIT
// Python objects as operands of arithmetic: arrays, Python's numbers, NumPy's numbers and arrays.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "binding.hpp"

namespace quern::python {

// An axis, or several, as functions take them. Throws ArgumentError naming the function for what is none.
int axis_of(nb::handle axis, const char* function);
std::vector<int> axes_of(nb::handle axes, const char* function);  // of an integer, or a sequence of them

// Borrows an array from its object, so that it holds while the GIL is held. Nothing where the object is none
// of ours: the other operand may know it.
[[nodiscard]] std::optional<Operand> find_operand(nb::handle object);
// Warns as NumPy does where a finite number becomes an infinite element.
void warn_of_overflow(const Number& number, const DType& dtype);
// The same of the numbers beside arrays, which take their types.
void warn_of_overflow(std::span<const Operand> operands);
// Throws ArgumentError naming the function instead.
[[nodiscard]] Operand operand_of(nb::handle object, const char* function);
// The queue that work on these belongs to; nothing where none of them is an array.
[[nodiscard]] std::optional<Queue> queue_of(nb::handle given, std::span<const Operand> operands);

// Whether the interpreter's stack has the only reference to an object that Python passed to a function.
[[nodiscard]] bool is_temporary(nb::handle object);
// How many handles of an array there are in an object that only the interpreter's stack refers to, and in an
// Operands that keeps it: they are hardly needed after an assignment. 0 where others refer to it.
[[nodiscard]] long spare_handles(nb::handle value);

// Keeps what its operands borrow, for work without the GIL.
class Operands {
 public:
  [[nodiscard]] std::optional<Operand> find(nb::handle object);
  [[nodiscard]] Operand get(nb::handle object, const char* function);
  // All of a call, which belongs to the queue: that given, that of the first array, or the current one. What
  // NumPy holds, and lists, become arrays there; so does the first number where there is no array.
  std::vector<Operand> all(std::span<const nb::handle> objects, const char* function, nb::handle given,
                           std::optional<Queue>& queue);
  // Of something that is_foreign: an array on the device of the queue, which keeps the type that NumPy gave.
  [[nodiscard]] Operand moved(nb::handle object, const Queue& queue);

 private:
  // Copies of the handles: another thread may put something else into the object meanwhile.
  std::deque<Array> kept_;
};

// An operation on arrays and numbers of Python's, written down; null where an operand is something else, or
// none is an array.
[[nodiscard]] nb::object apply_at_once(const codegen::Op& op, std::span<PyObject* const> objects);

// A number or array of NumPy's, or a list or tuple.
[[nodiscard]] bool is_foreign(nb::handle object);
// A number of Python's or NumPy's; throws ArgumentError naming the role for anything else.
Number number_of(nb::handle object, const char* role);

}  // namespace quern::python
