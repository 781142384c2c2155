// SPDX-License-Identifier: MIT
// Factorisations of stacks by cuSOLVER, one matrix after the other.
#pragma once

#include "linalg/prepare.hpp"
#include "quern/linalg.hpp"

namespace quern::linalg {

// Whether cuSOLVER takes the operands. Sizes are not 0.
bool takes_cuda(const Operands& operands);

// a and b have the same stack; b is a stack of matrices, or of vectors.
Array solve_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector);
Array invert_by_cuda(const Operands& operands, const Array& a);
Array factor_by_cuda(const Operands& operands, const Array& a, bool upper);
Eigen eigh_by_cuda(const Operands& operands, const Array& a, bool upper, bool wants_vectors);
Svd svd_by_cuda(const Operands& operands, const Array& a, bool is_full, bool wants_vectors);
Qr qr_by_cuda(const Operands& operands, const Array& a, bool is_complete);

}  // namespace quern::linalg
