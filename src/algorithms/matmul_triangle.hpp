// SPDX-License-Identifier: MIT
// Products by kernels or libraries in which one operand is zero on one side of a diagonal.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

[[nodiscard]] inline bool is_triangular(const MatrixStack& stack) {
  return stack.kept.side != KeptPart::Side::all;
}

// Whether a product without the blocks of zeros takes less time: its calls and kernels have a price.
// `is_fast` says that tensor cores multiply, `uses_panels` that products run by panels, on few cores.
[[nodiscard]] bool pays_to_skip_blocks(const MatmulSize& size, Scalar scalar, bool is_fast, bool uses_panels);

// As matmul() of one matrix, of whose operands one is a triangle that has zeros in memory where it is not
// kept: multiplies blocks of its lines with the steps that they keep. Where the other operand has infinities
// or NaN opposite the zeros that are left out, the result is NaN, as the whole product is.
void multiply_triangle(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out);

}  // namespace quern::algorithms
