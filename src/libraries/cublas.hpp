// SPDX-License-Identifier: MIT
// Matrix products by cuBLAS, which is searched when the first product on a CUDA device runs.
#pragma once

#include <cstdint>

#include "quern/buffer.hpp"
#include "quern/dtype.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

// A stack of row-major matrices: rows are contiguous, or columns are if it is transposed.
struct GemmOperand {
  const Buffer* buffer;
  std::int64_t start;  // elements
  std::int64_t pitch;  // elements from row to row, or from column to column if it is transposed
  std::int64_t step;   // elements from matrix to matrix, 0 if all products use the same matrix
  bool is_transposed;
};

// out = a @ b for `count` products of m x depth and depth x n matrices.
struct Gemm {
  Scalar scalar, result;  // of the operands and of `out`
  std::int64_t m, n, depth, count;
  GemmOperand a, b, out;   // `out` is not transposed
  bool may_round = false;  // float32 may be rounded to the 10 bits of TF32, on tensor cores
};

// The types of a product as cuBLAS numbers them: of the elements, of the computation and of its factors.
// `data` is negative for a type that cuBLAS does not take.
struct GemmTypes {
  int data, compute, factors;
};
GemmTypes gemm_types(Scalar scalar, bool may_round = false);

// The bytes of cuBLAS's workspace: the size that NVIDIA recommends for Hopper.
inline constexpr std::int64_t kGemmWorkspace = std::int64_t{32} << 20;

// Whether cuBLAS was found and the queue's device is CUDA's.
bool cublas_is_on(const Queue& queue);
// Whether cublas_multiply() takes products of operands of the type `scalar` into the type `result` on the
// queue's device.
bool cublas_takes(const Queue& queue, Scalar scalar, Scalar result);
// Enqueues the products. Returns false if there is no memory for cuBLAS's workspace. Throws Error if cuBLAS
// reports a failure.
bool cublas_multiply(const Queue& queue, const Gemm& gemm);

// The same for one product a @ a.T, of a type other than float16, of which only the elements on and below the
// diagonal are written. `gemm.b` is not read.
bool cublas_multiply_symmetric(const Queue& queue, const Gemm& gemm);

// What was found. Searches on the first call.
LibraryReport cublas_report();

}  // namespace quern::libraries
