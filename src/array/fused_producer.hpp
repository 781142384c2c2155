// SPDX-License-Identifier: MIT
// An expression as what a generated kernel maps its elements with: reductions and scans compute it on the
// way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/evaluate.hpp"

namespace quern::array {

struct FusedProducer {
  FusedExpression fused;
  std::string key;        // the same for expressions that make the same text
  std::string function;   // a C function of the elements, with what it calls
  std::string call;       // of it, for element i: "producer(x0[i], x1)"
  std::string arguments;  // declared as snippets do: "const float *x0, float x1"

  std::optional<Shape> shape;  // of the elements, where what they are made of need not have it

  // Elements as `item`, or, of a test, whether they are not zero. What counts elements, or has more of them
  // than all that it reads together, is put into memory first; unless the kernel `counts` them all, with an
  // `i` that is the number of an element in C order, and takes their shape from here.
  FusedProducer(const Array& array, const DType& item, bool is_test, const Queue& queue, bool counts = false);
};

// Puts the elements into memory without gaps, unless they are an expression of arrays that all have its
// shape and no gaps.
Array as_contiguous_expression(const Array& array, const Queue& queue);

}  // namespace quern::array
