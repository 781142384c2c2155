// SPDX-License-Identifier: MIT
// Stacks of small matrices on devices other than the host: one launch of a kernel, without copies to the
// host.
#pragma once

#include "linalg/prepare.hpp"
#include "quern/array.hpp"
#include "quern/linalg.hpp"

namespace quern::linalg {

// Whether the kernels take matrices of this size and type, and so many columns of a right side.
bool takes_small(const Operands& operands, std::int64_t n, std::int64_t columns);

// Each writes the results of a whole stack to `out`, which is new and contiguous. Singular matrices and those
// that are not positive definite raise LinAlgError when `out` is read.
void solve_small(const Operands& operands, const Array& a, const Array& b, std::int64_t columns,
                 const Array& out);
void invert_small(const Operands& operands, const Array& a, const Array& out);
void determine_small(const Operands& operands, const Array& a, const Array& out);
void factor_small(const Operands& operands, const Array& a, bool upper, const Array& out);

// Whether the kernels take eigenvalues, singular values and orthogonal factors of m x n matrices of this
// type.
bool takes_small_spectral(const Operands& operands, std::int64_t m, std::int64_t n);

// The results of the stack operands.arrays[0]. Matrices that are not finite, and those of which the iteration
// does not converge, raise LinAlgError when a result of eigh and svd is read.
Eigen eigh_small(const Operands& operands, const char* name, bool upper, bool wants_vectors);
Svd svd_small(const Operands& operands, const char* name, bool is_full, bool wants_vectors);
Qr qr_small(const Operands& operands, bool is_complete);

}  // namespace quern::linalg
