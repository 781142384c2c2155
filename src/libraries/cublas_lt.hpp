// SPDX-License-Identifier: MIT
// Matrix products with an epilogue by cuBLASLt, which comes with cuBLAS.
#pragma once

#include <optional>

#include "libraries/cublas.hpp"

namespace quern::libraries {

// factor * (a @ b) + added_factor * added + row, and of that the positive part if `is_relu`.
struct GemmEpilogue {
  double factor = 1, added_factor = 0;
  std::optional<GemmOperand> added;  // m x n matrices
  std::optional<GemmOperand> row;    // n elements, added to each row
  bool is_relu = false;
};

// Whether cuBLASLt was found and takes products of these types with this epilogue on the queue's device. It
// takes int8 into int32 without an epilogue.
bool cublas_lt_takes(const Queue& queue, Scalar scalar, Scalar result, const GemmEpilogue& epilogue);
// As cublas_multiply(). For int8, `a` is not transposed, `b` is, and n, depth and pitches are multiples of 4.
bool cublas_lt_multiply(const Queue& queue, const Gemm& gemm, const GemmEpilogue& epilogue);

}  // namespace quern::libraries
