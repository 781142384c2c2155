// SPDX-License-Identifier: MIT
// Memory of stacks that NVIDIA's libraries factor, and the errors that they report.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "libraries/device_part.hpp"
#include "quern/array.hpp"

namespace quern::linalg {

// The parts of a contiguous stack, one for each matrix.
class Parts {
 public:
  Parts(const Array& array, std::int64_t count)
      : elements_(array.elements()),
        step_(count == 0 ? 0 : static_cast<std::int64_t>(array.nbytes()) / count) {}
  [[nodiscard]] libraries::DevicePart operator[](std::int64_t i) const { return {&elements_, i * step_}; }
  [[nodiscard]] std::int64_t step() const { return step_; }

 private:
  Buffer elements_;
  std::int64_t step_;
};

// New contiguous memory with the elements of an array, which a factorisation overwrites.
Array own_copy(const Array& array, const Queue& queue);
std::int64_t count_of(const Shape& stack);
// A view of the first rows of each matrix.
Array first_rows(const Array& array, std::int64_t count);
// One int32 for each matrix, in which a library stores 0 or a failure.
Array new_info(const Queue& queue, std::int64_t count);
// One int32 for each matrix: 1 if an element is infinite or NaN.
Array find_not_finite(const Queue& queue, const Array& a);
// Attaches what a library reported to the results. The texts must have static lifetime.
void report(const Queue& queue, const char* text, const char* function, const Array& info,
            std::initializer_list<Array> results);

}  // namespace quern::linalg
