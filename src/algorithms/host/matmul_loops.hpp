// SPDX-License-Identifier: MIT
// Matrix products on the host by a hand-written function, without a compiler.
#pragma once

#include <cstddef>

#include "algorithms/matmul.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

// As matmul(). The queue's device calls functions.
void multiply_by_function(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                          const MatmulSize& size, const Array& out, const Epilogue& epilogue);

// The kernel that multiplies the blocks of a ProductCall. With an expression it takes this many bytes of
// scratch memory before those of the expression's loops.
void multiply_matrices(const quern_launch* launch, unsigned long long first_group,
                       unsigned long long last_group);
inline constexpr std::size_t kExpressionScratch = (std::size_t{1920} << 10) + 12 * 2 * 64;

// Whether multiply_by_function() takes an operand that is kept in part.
[[nodiscard]] bool function_takes_triangle(const Queue& queue, const MatmulSize& size, Scalar scalar);

// Whether multiply_by_function() takes an epilogue for a product of this dtype: not if it divides the summed
// axis.
[[nodiscard]] bool function_takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                           const MatmulSize& size, const DType& dtype,
                                           const Epilogue& epilogue);

}  // namespace quern::algorithms
