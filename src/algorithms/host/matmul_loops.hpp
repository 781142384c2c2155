// SPDX-License-Identifier: MIT
// Matrix products on the host by a hand-written function, without a compiler.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// As matmul(). The queue's device calls functions.
void multiply_by_function(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                          const MatmulSize& size, const Array& out);

}  // namespace quern::algorithms
