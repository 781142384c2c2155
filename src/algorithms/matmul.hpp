// SPDX-License-Identifier: MIT
// Matrix products for stacks of matrices. The operands are in memory and have one dtype.
#pragma once

#include <array>
#include <cstdint>

#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// A stack of matrices as an operand of a product. Steps count elements.
struct MatrixStack {
  Buffer buffer;
  std::int64_t start = 0;        // index of the first matrix's first element
  std::int64_t count = 1;        // number of matrices in memory
  std::int64_t matrix_step = 0;  // from one matrix to the next
  std::int64_t line_step = 0;   // from row to row of a left operand, from column to column of a right operand
  std::int64_t depth_step = 0;  // along the summed axis
  std::array<std::int64_t, 3> steps = {
      0, 0, 0};  // matrices to advance along each axis of the result's stack; 0 if the axis is broadcast
};

struct MatmulSize {
  std::int64_t m = 1, n = 1, depth = 1;           // none is 0
  std::array<std::int64_t, 3> stack = {1, 1, 1};  // shape of the result's stack
  [[nodiscard]] std::int64_t matrices() const { return stack[0] * stack[1] * stack[2]; }
};

// Writes the product to `out`, a contiguous stack of m x n matrices of the operands' dtype.
void matmul(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
            const Array& out);

}  // namespace quern::algorithms
