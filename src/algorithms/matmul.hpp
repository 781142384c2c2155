// SPDX-License-Identifier: MIT
// The product of stacks of matrices, of operands that are in memory and have one dtype.
#pragma once

#include <array>
#include <cstdint>

#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// A stack of matrices as a product reads it; steps count elements.
struct MatrixStack {
  Buffer buffer;
  std::int64_t start = 0;        // the first element of the first matrix
  std::int64_t count = 1;        // matrices of its own
  std::int64_t matrix_step = 0;  // from one of them to the next
  std::int64_t line_step = 0;    // from row to row of a left one, from column to column of a right one
  std::int64_t depth_step = 0;   // along the axis that is summed over
  std::array<std::int64_t, 3> steps = {
      0, 0, 0};  // which of its own comes next, along the axes of the result's stack
};

struct MatmulSize {
  std::int64_t m = 1, n = 1, depth = 1;           // none of them zero
  std::array<std::int64_t, 3> stack = {1, 1, 1};  // of the result
  [[nodiscard]] std::int64_t matrices() const { return stack[0] * stack[1] * stack[2]; }
};

// Into `out`, which has the operands' dtype and is contiguous: a stack of m x n matrices.
void matmul(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
            const Array& out);

}  // namespace quern::algorithms
