// SPDX-License-Identifier: MIT
// Elements that are moved about without being looked into: one kernel for all types of a size.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/elementwise_program.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::array {

struct RawElement {
  DType dtype;                   // which the kernel is told
  std::string type, definition;  // in C
};
RawElement raw_element_of(const DType& dtype);
// The same memory, as elements of that type.
Array as_raw(const Array& array, const RawElement& raw);

// Whether elements are numbers, which expressions compute with.
[[nodiscard]] bool is_number(const DType& dtype);

// Programs that are kept for the next call, by a key that says all that shapes them.
std::shared_ptr<const algorithms::ElementwiseProgram> known_program(
    const std::string& key, const std::function<codegen::ElementwiseSource()>& make);

// Copies elements of the same type, broadcast to the target, with which they share no memory.
Event move_elements(const Array& target, const Array& source, const Queue& queue);

}  // namespace quern::array
