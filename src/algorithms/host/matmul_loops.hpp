// SPDX-License-Identifier: MIT
// Matrix products on the host by a hand-written function, without a compiler.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// As matmul(). The queue's device calls functions.
void multiply_by_function(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                          const MatmulSize& size, const Array& out, const Epilogue& epilogue);

// Whether multiply_by_function() takes an epilogue for this product: not if it divides the summed axis.
[[nodiscard]] bool function_takes_epilogue(const Queue& queue, const MatmulSize& size, Scalar scalar);

}  // namespace quern::algorithms
