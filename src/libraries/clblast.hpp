// SPDX-License-Identifier: MIT
// Matrix products by CLBlast, which is searched when the first product on an OpenCL device runs.
#pragma once

#include "libraries/cublas.hpp"

namespace quern::libraries {

// Whether CLBlast was found and takes such products on the queue's device. It is used on GPUs, for which its
// kernels are written, and on other OpenCL devices with QUERN_LIBRARIES=prefer. It sums float16 in float16,
// so it is not used for that type.
bool clblast_takes(const Queue& queue, Scalar scalar, Scalar result);
// Enqueues the products. Throws Error if CLBlast reports a failure.
void clblast_multiply(const Queue& queue, const Gemm& gemm);

// What was found. Searches on the first call.
LibraryReport clblast_report();

}  // namespace quern::libraries
