// SPDX-License-Identifier: MIT
// Linear algebra for the composed functions and the registry.
#pragma once

#include "quern/array.hpp"
#include "quern/linalg.hpp"

namespace quern::linalg {

// The inverse, and NaN for a singular matrix.
Array inverse_or_nan(const Array& a);

// Singular values and vectors of Hermitian matrices, of which the lower triangle is read: by their
// eigenvalues, which is faster.
Svd svd_hermitian(const Array& a);
Array svdvals_hermitian(const Array& a);

}  // namespace quern::linalg
