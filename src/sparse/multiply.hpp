// SPDX-License-Identifier: MIT
// Launches of products for the solvers.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/launch/kernel_table.hpp"
#include "quern/array.hpp"
#include "quern/sparse.hpp"

namespace quern::sparse {

// y = A x, and the parts of conj(x) . y in sums, which has dot_parts() elements of the dtype of the matrix.
// x and y are contiguous vectors of that dtype. Returns the number of parts.
std::int64_t multiply_with_dot(const Csr& matrix, const Array& x, const Array& y, const Array& sums);
std::int64_t dot_parts(const Queue& queue);

// The values of each pattern of rows, if the device takes patterns and all rows of a pattern have the same
// values. Waits, and reads the values: they may change later.
std::optional<Array> constant_values(const Csr& matrix);

// The vectors of conjugate gradients before a product with the next direction, p_new = r + beta p with
// beta = rr_new / rr, of which both are the sums of `parts` elements.
struct Direction {
  const Array &r, &p, &p_new, &x, &rr_new, &rr, &alpha;
  std::int64_t parts;
  const std::optional<Array>& constants;  // of the matrix
};
// p_new as above, x += alpha p, y = A p_new, and the parts of conj(p_new) . y in sums, in one launch. Returns
// the number of parts; 0, having computed nothing, if the matrix or the device is not fit for it.
std::int64_t multiply_direction(const Csr& matrix, const Direction& direction, const Array& y,
                                const Array& sums);

// The kernel of triangular systems: solve_level of sparse_tiles.cl if the device solves by levels, otherwise
// solve_rows of sparse_rows.cl.
algorithms::LibraryKernel triangular_kernel(const Queue& queue, const DType& dtype, const DType& index);
[[nodiscard]] bool solves_by_levels(const Queue& queue);

}  // namespace quern::sparse
