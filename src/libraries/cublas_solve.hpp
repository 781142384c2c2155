// SPDX-License-Identifier: MIT
// Triangular systems, and systems of stacks of matrices, by cuBLAS. Matrices are column-major and contiguous.
#pragma once

#include <cstdint>

#include "libraries/device_part.hpp"
#include "quern/dtype.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// Whether cuBLAS was found and takes matrices of this type on the queue's device.
bool cublas_solves(const Queue& queue, Scalar scalar);

// b = the solution of op(a) x = b for a triangular matrix; op is 'N', 'T' or 'C'.
void cublas_trsm(const Queue& queue, Scalar scalar, bool is_lower, char op, bool has_unit_diagonal,
                 std::int64_t n, std::int64_t columns, DevicePart a, DevicePart b);

// A stack of matrices, and their addresses in device memory.
struct MatrixList {
  DevicePart matrices, addresses;
};
// Factors all matrices in one call. Pivots are int32, rows from 1; `info` is an int32 for each matrix.
void cublas_getrf_batched(const Queue& queue, Scalar scalar, std::int64_t n, std::int64_t count, MatrixList a,
                          DevicePart pivots, DevicePart info);
void cublas_getrs_batched(const Queue& queue, Scalar scalar, char op, std::int64_t n, std::int64_t columns,
                          std::int64_t count, MatrixList lu, DevicePart pivots, MatrixList b);

}  // namespace quern::libraries
