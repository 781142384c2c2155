// SPDX-License-Identifier: MIT
// Factorisations by cuSOLVER, which is searched when the first factorisation on a CUDA device runs. Matrices
// are column-major and contiguous.
#pragma once

#include <cstdint>

#include "quern/buffer.hpp"
#include "quern/dtype.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// Whether cuSOLVER was found and takes matrices of this type on the queue's device.
bool cusolver_takes(const Queue& queue, Scalar scalar);

// Part of a buffer, from this byte on.
struct DevicePart {
  const Buffer* buffer;
  std::int64_t start = 0;
};

// Each call enqueues one factorisation; `info` is an int32, which is 0 if it succeeded. Workspaces come from
// the pool. Throws Error if cuSOLVER reports a failure.
void cusolver_getrf(const Queue& queue, Scalar scalar, std::int64_t n, DevicePart a, DevicePart pivots,
                    DevicePart info);
// b = the solution of op(a) x = b; pivots are int64.
void cusolver_getrs(const Queue& queue, Scalar scalar, bool is_transposed, std::int64_t n,
                    std::int64_t columns, DevicePart lu, DevicePart pivots, DevicePart b, DevicePart info);
void cusolver_potrf(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n, DevicePart a,
                    DevicePart info);
// Eigenvalues ascending in `values`; eigenvectors replace a.
void cusolver_syevd(const Queue& queue, Scalar scalar, bool wants_vectors, bool is_lower, std::int64_t n,
                    DevicePart a, DevicePart values, DevicePart info);
// For m >= n. job is 'A', 'S' or 'N'; destroys a.
void cusolver_gesvd(const Queue& queue, Scalar scalar, char job, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart s, DevicePart u, DevicePart vt, DevicePart info);
void cusolver_geqrf(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart tau, DevicePart info);
// The first n columns of Q of k Householder vectors. Sizes must fit 32 bits.
void cusolver_orgqr(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, std::int64_t k,
                    DevicePart a, DevicePart tau, DevicePart info);

// What was found. Searches on the first call.
LibraryReport cusolver_report();

}  // namespace quern::libraries
