// SPDX-License-Identifier: MIT
// An expression that a generated kernel computes for each element that it reads. Reductions and scans use it,
// so that the expression's elements are not stored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/evaluate.hpp"

namespace quern::array {

struct FusedProducer {
  FusedExpression fused;
  std::string key;        // equal for expressions with the same text
  std::string function;   // a C function of the elements, and the functions that it calls
  std::string call;       // calls it for element i: "producer(x0[i], x1)"
  std::string arguments;  // parameters as in a snippet: "const float *x0, float x1"

  std::optional<Shape> shape;  // of the elements, if the arguments may have another shape

  // Converts the elements to `item`; for a test, to whether they are nonzero. An expression that depends on
  // the element's index, or has more elements than all its arguments together, is first stored in memory. It
  // is not stored if the kernel `counts` all elements: then `i` is the index of the element in C order, and
  // the kernel takes the shape from here.
  FusedProducer(const Array& array, const DType& item, bool is_test, const Queue& queue, bool counts = false);
};

// Stores the elements in memory in C order without gaps. An expression stays lazy if all arrays that it reads
// have its shape and no gaps.
Array as_contiguous_expression(const Array& array, const Queue& queue);

}  // namespace quern::array
