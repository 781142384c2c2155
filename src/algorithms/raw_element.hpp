// SPDX-License-Identifier: MIT
// Elements as raw bytes, for kernels that only move them: one kernel serves all types of one size.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/elementwise_program.hpp"
#include "quern/array.hpp"

namespace quern::algorithms {

struct RawElement {
  DType dtype;                   // as the kernel declares it
  std::string type, definition;  // in C
};
RawElement raw_element_of(const DType& dtype);
// Returns the same memory as an array of raw elements.
Array as_raw(const Array& array, const RawElement& raw);

// Returns the program of a key, and makes it on the first call. The key must determine the source.
std::shared_ptr<const ElementwiseProgram> known_program(
    const std::string& key, const std::function<codegen::ElementwiseSource()>& make);

}  // namespace quern::algorithms
