// SPDX-License-Identifier: MIT
// Matrix products on the host by a hand-written function, without a compiler.
#pragma once

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// The queue's device must run precompiled kernels. `item` is the type of the sums.
void multiply_by_loops(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out, const DType& item);

}  // namespace quern::algorithms
