// SPDX-License-Identifier: MIT
// Factorisations by cuSOLVER, which is searched when the first factorisation on a CUDA device runs. Matrices
// are column-major and contiguous.
#pragma once

#include <cstdint>

#include "libraries/device_part.hpp"
#include "quern/dtype.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// Whether cuSOLVER was found and takes matrices of this type on the queue's device.
bool cusolver_takes(const Queue& queue, Scalar scalar);

// Each call enqueues one factorisation; `info` is an int32, which is 0 if it succeeded. Workspaces come from
// the pool. Throws Error if cuSOLVER reports a failure.
// Pivots are int64, rows from 1.
void cusolver_getrf(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart pivots, DevicePart info);
// b = the solution of op(a) x = b; op is 'N', 'T' or 'C'.
void cusolver_getrs(const Queue& queue, Scalar scalar, char op, std::int64_t n, std::int64_t columns,
                    DevicePart lu, DevicePart pivots, DevicePart b, DevicePart info);
void cusolver_potrf(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n, DevicePart a,
                    DevicePart info);
// A stack of matrices, whose addresses in device memory are in `addresses`, in one call; `info` is an int32
// for each.
void cusolver_potrf_batched(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n,
                            std::int64_t count, DevicePart matrices, DevicePart addresses, DevicePart info);
void cusolver_potrs(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n, std::int64_t columns,
                    DevicePart factor, DevicePart b, DevicePart info);
// Eigenvalues ascending in `values`; eigenvectors replace a.
void cusolver_syevd(const Queue& queue, Scalar scalar, bool wants_vectors, bool is_lower, std::int64_t n,
                    DevicePart a, DevicePart values, DevicePart info);
// The same for a stack of matrices in one call; absent before CUDA 12.6.
bool cusolver_has_syev_batched();
void cusolver_syev_batched(const Queue& queue, Scalar scalar, bool wants_vectors, bool is_lower,
                           std::int64_t n, std::int64_t count, DevicePart a, DevicePart values,
                           DevicePart info);
// Eigenvalues of a general matrix, which are complex. The vectors of a real matrix are LAPACK's: those of a
// conjugate pair are stored as real part and imaginary part. Absent before CUDA 12.6.
bool cusolver_has_geev();
void cusolver_geev(const Queue& queue, Scalar scalar, bool wants_vectors, std::int64_t n, DevicePart a,
                   DevicePart values, DevicePart vectors, DevicePart info);
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
