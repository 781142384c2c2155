// SPDX-License-Identifier: MIT
// Factorisations of sparse matrices by cuDSS, which is searched when the first of them on a CUDA device runs.
#pragma once

#include <cstdint>
#include <memory>

#include "libraries/device_csr.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// Whether cuDSS was found and takes matrices of this type on the queue's device.
bool cudss_takes(const Queue& queue, Scalar scalar);

// The factors of a square matrix, in memory that cuDSS allocates. Other threads may call it.
class CudssFactors {
 public:
  // For int32 indices that are sorted. Waits for the factorisation. Null if cuDSS has no memory for it, or if
  // it met a pivot so small that it put another in its place, as it does for singular matrices.
  static std::shared_ptr<const CudssFactors> factorize(const Queue& queue, const DeviceCsr& matrix);
  virtual ~CudssFactors() = default;
  // Enqueues x = the solutions for b, which are column-major matrices in different memory. Throws Error if
  // cuDSS reports a failure.
  virtual void solve(const Queue& queue, const Buffer& b, const Buffer& x, std::int64_t columns) const = 0;
};

// What was found. Searches on the first call.
LibraryReport cudss_report();

}  // namespace quern::libraries
