// SPDX-License-Identifier: MIT
// Elements as raw bytes, for kernels that only move them: one kernel serves all types of one size.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/elementwise_program.hpp"
#include "base/dtype_kinds.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::array {

struct RawElement {
  DType dtype;                   // as the kernel declares it
  std::string type, definition;  // in C
};
RawElement raw_element_of(const DType& dtype);
// Returns the same memory as an array of raw elements.
Array as_raw(const Array& array, const RawElement& raw);

using detail::is_number;

// Returns the program of a key, and makes it on the first call. The key must determine the source.
std::shared_ptr<const algorithms::ElementwiseProgram> known_program(
    const std::string& key, const std::function<codegen::ElementwiseSource()>& make);

// Copies elements of the same type, broadcast to the target. Source and target share no memory.
Event move_elements(const Array& target, const Array& source, const Queue& queue);

}  // namespace quern::array
