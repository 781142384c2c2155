// SPDX-License-Identifier: MIT
// Matrix products that the calling thread computes on the host, without a queue.
#pragma once

#include <cstddef>

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// Whether the calling thread should compute a product itself, because enqueueing it takes longer.
[[nodiscard]] bool multiplies_here(const MatmulSize& size, Scalar scalar);
// Computes such a product. The pointers are to the buffers of the operands, which are kept whole, and to the
// elements of the result, a contiguous stack of the operands' type.
void multiply_here(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                   const std::byte* a_elements, const std::byte* b_elements, std::byte* out);

}  // namespace quern::algorithms
