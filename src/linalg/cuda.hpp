// SPDX-License-Identifier: MIT
// Factorisations of stacks by cuSOLVER and cuBLAS: one call for a stack of small matrices where the libraries
// have one, and otherwise one matrix after the other.
#pragma once

#include "linalg/prepare.hpp"
#include "quern/linalg.hpp"

namespace quern::linalg {

// Whether cuSOLVER takes the operands. False if one of them is empty.
bool takes_cuda(const Operands& operands);

// a and b have the same stack; b is a stack of matrices, or of vectors. op is 'N', 'T' or 'C'.
Array solve_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector);
Array invert_by_cuda(const Operands& operands, const Array& a, bool throws);  // or NaN if it does not throw
SignAndLog determine_by_cuda(const Operands& operands, const Array& a);
Array factor_by_cuda(const Operands& operands, const Array& a, bool upper);
Array cho_solve_by_cuda(const Operands& operands, const Array& factor, bool is_lower, const Array& b,
                        bool is_vector);
LuFactors lu_factor_by_cuda(const Operands& operands, const Array& a);
Array lu_solve_by_cuda(const Operands& operands, const Array& lu, const Array& pivots, const Array& b,
                       bool is_vector, char op);
Lu lu_by_cuda(const Operands& operands, const Array& a);
bool takes_triangle(const Operands& operands);  // whether cuBLAS takes triangular systems
Array solve_triangle_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector,
                             bool is_lower, char op, bool has_unit_diagonal);

Eigen eigh_by_cuda(const Operands& operands, const Array& a, bool upper, bool wants_vectors);
bool takes_general(const Operands& operands);  // whether cuSOLVER has eigenvalues of general matrices
Eigen eig_by_cuda(const Operands& operands, const Array& a, bool wants_vectors);
Svd svd_by_cuda(const Operands& operands, const Array& a, bool is_full, bool wants_vectors);
bool takes_qr(const Operands& operands);  // whether the sizes fit the library's 32-bit integers
Qr qr_by_cuda(const Operands& operands, const Array& a, bool is_complete);
// The least-squares solution by singular values. `limit` is relative to the greatest.
LeastSquares lstsq_by_cuda(const Operands& operands, const Array& a, const Array& b, bool is_vector,
                           double limit);

}  // namespace quern::linalg
