// SPDX-License-Identifier: MIT
// Matrix products by libraries of devices other than the host: cuBLAS and cuBLASLt, CLBlast.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// As matmul(). Returns false if no library takes the product.
bool multiply_by_library(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                         const MatmulSize& size, const Array& out, const Epilogue& epilogue);

// Writes the product of one pair of matrices to a block of `out` that starts at an element. `pitch` is the
// number of elements from row to row. Returns false if no library takes the product.
bool multiply_block_by_library(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                               const MatmulSize& size, const Array& out, std::int64_t start,
                               std::int64_t pitch);

// Whether a library is found that takes products of this type.
[[nodiscard]] bool library_takes(const Queue& queue, Scalar scalar);
// Whether it takes this product.
[[nodiscard]] bool library_takes(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                 const MatmulSize& size, const DType& dtype);

// Whether multiply_by_library() takes the product with this epilogue, which is not an expression.
[[nodiscard]] bool library_takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                          const MatmulSize& size, const DType& dtype,
                                          const Epilogue& epilogue);

}  // namespace quern::algorithms
