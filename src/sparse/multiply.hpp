// SPDX-License-Identifier: MIT
// Launches of products for the solvers.
#pragma once

#include <cstdint>

#include "algorithms/launch/kernel_table.hpp"
#include "quern/array.hpp"
#include "quern/sparse.hpp"

namespace quern::sparse {

// y = A x, and the parts of conj(x) . y in sums, which has dot_parts() elements of the dtype of the matrix.
// x and y are contiguous vectors of that dtype. Returns the number of parts.
std::int64_t multiply_with_dot(const Csr& matrix, const Array& x, const Array& y, const Array& sums);
std::int64_t dot_parts(const Queue& queue);

// The kernel of triangular systems: solve_level of sparse_tiles.cl if the device solves by levels, otherwise
// solve_rows of sparse_rows.cl.
algorithms::LibraryKernel triangular_kernel(const Queue& queue, const DType& dtype, const DType& index);
[[nodiscard]] bool solves_by_levels(const Queue& queue);

}  // namespace quern::sparse
