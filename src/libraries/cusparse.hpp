// SPDX-License-Identifier: MIT
// Sparse products and triangular systems by cuSPARSE, which is searched when the first of them on a CUDA
// device runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "libraries/device_csr.hpp"
#include "quern/array.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// Whether cuSPARSE was found and takes matrices of this type on the queue's device.
bool cusparse_takes(const Queue& queue, Scalar scalar);

// The product of two sparse matrices with int32 indices; columns of the result are sorted.
struct CusparseProduct {
  Array data, indices, indptr;
};
// Nothing if memory for the workspaces is lacking, or if the result has too many entries or none. Waits.
std::optional<CusparseProduct> cusparse_multiply(const Queue& queue, const DeviceCsr& a, const DeviceCsr& b);

// A triangular matrix that was analysed, with its workspace. Other threads may call it.
class CusparseTriangle {
 public:
  // Null if memory for the workspace is lacking. Keeps the matrix, whose values must not change.
  static std::shared_ptr<const CusparseTriangle> analyse(const Queue& queue, const DeviceCsr& matrix,
                                                         bool is_lower, bool has_unit_diagonal);
  virtual ~CusparseTriangle() = default;
  // Enqueues x = the solution for b, which are vectors in different memory. Throws Error if cuSPARSE reports
  // a failure.
  virtual void solve(const Queue& queue, const Buffer& b, const Buffer& x) const = 0;
};

// What was found. Searches on the first call.
LibraryReport cusparse_report();

}  // namespace quern::libraries
