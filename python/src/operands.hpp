// SPDX-License-Identifier: MIT
// Python objects as operands of arithmetic: arrays, Python's numbers, NumPy's numbers and arrays.
#pragma once

#include <deque>
#include <optional>

#include "binding.hpp"

namespace quern::python {

// Borrows an array from its object, so that it holds while the GIL is held. Nothing where the object is none
// of ours: the other operand may know it.
[[nodiscard]] std::optional<Operand> find_operand(nb::handle object);
// Throws ArgumentError naming the function instead.
[[nodiscard]] Operand operand_of(nb::handle object, const char* function);
// Throws ArgumentError for an array, too.
[[nodiscard]] Number number_of(nb::handle object, const char* function);
// The queue that work on these belongs to; nothing where none of them is an array.
[[nodiscard]] std::optional<Queue> queue_of(nb::handle given, std::span<const Operand> operands);

// Keeps what its operands borrow, for work without the GIL.
class Operands {
 public:
  [[nodiscard]] std::optional<Operand> find(nb::handle object);
  [[nodiscard]] Operand get(nb::handle object, const char* function);

 private:
  // Copies of the handles: another thread may put something else into the object meanwhile.
  std::deque<Array> kept_;
};

}  // namespace quern::python
