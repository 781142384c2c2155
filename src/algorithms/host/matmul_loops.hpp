// SPDX-License-Identifier: MIT
// The product of stacks of matrices on the host by functions of the library, without a compiler.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// On queues that call functions of the library; `item` is the type that is summed.
void multiply_by_loops(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out, const DType& item);

}  // namespace quern::algorithms
