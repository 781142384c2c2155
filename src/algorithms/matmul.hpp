// SPDX-License-Identifier: MIT
// Matrix products for stacks of matrices. The operands are in memory and have one type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/inline_vector.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// The part of an operand that is not zero: the steps k along the summed axis with k >= line + diagonal, or
// k <= line + diagonal. Functions do not read the elements beside it; for kernels they are zeros in memory.
struct KeptPart {
  enum class Side : std::uint8_t { all, from_diagonal, to_diagonal };
  Side side = Side::all;
  std::int64_t diagonal = 0;
};

// A stack of matrices as an operand of a product. Steps count elements.
struct MatrixStack {
  Buffer buffer;
  Scalar scalar = Scalar::unknown;  // of the elements
  std::int64_t start = 0;           // index of the first matrix's first element
  std::int64_t count = 1;           // number of matrices in memory
  std::int64_t matrix_step = 0;     // from one matrix to the next
  std::int64_t line_step = 0;   // from row to row of a left operand, from column to column of a right operand
  std::int64_t depth_step = 0;  // along the summed axis
  std::array<std::int64_t, 3> steps = {
      0, 0, 0};   // matrices to advance along each axis of the result's stack; 0 if the axis is broadcast
  KeptPart kept;  // of each matrix, see takes_triangle()
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

class BlockLoops;

// An expression over the elements of a product and of arrays in the result's shape.
struct ProductExpression {
  struct Argument {
    std::optional<Array> array;  // absent for a number and for the product
    std::array<std::byte, 16> number{};
    std::size_t number_bytes = 0;
    DType dtype;
  };
  std::shared_ptr<const BlockLoops> loops;  // on the host, see host/matmul_expression.hpp
  std::string function;                     // elsewhere, see matmul_finish.hpp
  std::vector<Argument> arguments;
  std::size_t product = 0;  // the number of the argument that is the product
  DType dtype;              // of the product
};

// What is computed from the sums of a product before they are stored: factor * (a @ b) + addends + constant,
// and of that the positive part if `is_relu`. It is rounded once. NaN stays NaN. Or an expression, whose
// operations are rounded one by one; the other members then have their initial values.
struct Epilogue {
  static constexpr std::size_t kMostAddends = 2;
  double factor = 1, constant = 0;
  InlineVector<Addend, kMostAddends> addends;
  bool is_relu = false;
  std::shared_ptr<const ProductExpression> expression;

  [[nodiscard]] bool is_empty() const {
    return factor == 1 && constant == 0 && addends.size() == 0 && !is_relu && !expression;
  }
};

// Whether a product of operands of the type `narrow` may have results of the type `wide`, in which their
// products are summed: integers of 8 and 16 bits into 32 bits, float16 into float32.
[[nodiscard]] bool is_wider_result(Scalar narrow, Scalar wide);

// Whether the product is x @ x.T or x.T @ x, whose result is symmetric.
[[nodiscard]] bool is_symmetric_product(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size);

// Whether matmul() takes a product in which one operand is kept in part, and is faster so.
[[nodiscard]] bool takes_triangle(const Queue& queue, const MatmulSize& size, Scalar scalar);

// Whether matmul() may take an expression over this product, and is not slower so: libraries take none.
[[nodiscard]] bool takes_expression(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                    const MatmulSize& size, const DType& dtype);

// Whether matmul() takes this epilogue, for a product of this dtype. Only a product of real floating type has
// an epilogue that is not an expression.
[[nodiscard]] bool takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                  const MatmulSize& size, const DType& dtype, const Epilogue& epilogue);

// Writes the product to `out`, a contiguous stack of m x n matrices. The product has the type of the operands
// or a wider one; `out` has the type of the product, or that of the epilogue's expression.
void matmul(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
            const Array& out, const Epilogue& epilogue = {});

}  // namespace quern::algorithms
