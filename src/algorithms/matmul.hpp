// SPDX-License-Identifier: MIT
// Matrix products for stacks of matrices. The operands are in memory and have one dtype.
#pragma once

#include <array>
#include <cstdint>

#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/inline_vector.hpp"
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
  bool may_round = false;                         // float32 operands may be rounded to TF32
  [[nodiscard]] std::int64_t matrices() const { return stack[0] * stack[1] * stack[2]; }
};

// Elements that are added to a product, of its dtype, times a factor. Steps count elements.
struct Addend {
  Buffer buffer;
  std::int64_t start = 0;
  std::int64_t row_step = 0, column_step = 0;     // 0 along an axis that is broadcast
  std::array<std::int64_t, 3> steps = {0, 0, 0};  // along each axis of the result's stack
  double factor = 1;
};

// What is computed from the sums of a product before they are stored: factor * (a @ b) + addends + constant,
// and of that the positive part if `is_relu`. It is rounded once. NaN stays NaN.
struct Epilogue {
  static constexpr std::size_t kMostAddends = 2;
  double factor = 1, constant = 0;
  InlineVector<Addend, kMostAddends> addends;
  bool is_relu = false;

  [[nodiscard]] bool is_empty() const {
    return factor == 1 && constant == 0 && addends.size() == 0 && !is_relu;
  }
};

// Whether matmul() takes this epilogue, for operands and a result of this dtype, which is a real floating
// type.
[[nodiscard]] bool takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                  const MatmulSize& size, const DType& dtype, const Epilogue& epilogue);

// Writes the product to `out`, a contiguous stack of m x n matrices of the operands' dtype.
void matmul(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
            const Array& out, const Epilogue& epilogue = {});

}  // namespace quern::algorithms
