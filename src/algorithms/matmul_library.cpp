// SPDX-License-Identifier: MIT
// Matrix products by libraries: describes the operands as the libraries take them, and enqueues the calls.
#include "algorithms/matmul_library.hpp"

#include <algorithm>
#include <optional>

#include "algorithms/copy.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/type_text.hpp"
#include "libraries/clblast.hpp"
#include "libraries/cublas.hpp"
#include "libraries/cublas_lt.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

// Describes a stack for a library, if its rows or its columns are contiguous. `along` is the step along rows,
// `across` the step from row to row.
std::optional<libraries::GemmOperand> gemm_operand(const MatrixStack& stack, std::int64_t rows,
                                                   std::int64_t columns, std::int64_t across,
                                                   std::int64_t along) {
  if (along == 1 && across >= columns)
    return libraries::GemmOperand{&stack.buffer, stack.start, across, 0, false};
  if (across == 1 && along >= rows) return libraries::GemmOperand{&stack.buffer, stack.start, along, 0, true};
  return std::nullopt;
}

bool takes_types(const Queue& queue, Scalar scalar, Scalar result) {
  return libraries::cublas_takes(queue, scalar, result) || libraries::clblast_takes(queue, scalar, result);
}

// The operands of a product as a library takes them; nothing if no library is found that takes them.
std::optional<libraries::Gemm> gemm_of(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                                       const MatmulSize& size, const DType& dtype) {
  if (!takes_types(queue, a.scalar, dtype.scalar)) return std::nullopt;
  const auto left = gemm_operand(a, size.m, size.depth, a.line_step, a.depth_step);
  const auto right = gemm_operand(b, size.depth, size.n, b.depth_step, b.line_step);
  // A call takes one axis of a stack.
  constexpr std::int64_t kMostCalls = 16;
  if (!left || !right || size.stack[0] * size.stack[1] > kMostCalls) return std::nullopt;
  libraries::Gemm gemm = {a.scalar, dtype.scalar, size.m,
                          size.n,   size.depth,   size.stack[2],
                          *left,    *right,       {nullptr, 0, size.n, size.m * size.n, false}};
  gemm.may_round = size.may_round;
  gemm.a.step = a.steps[2] * a.matrix_step;
  gemm.b.step = b.steps[2] * b.matrix_step;
  return gemm;
}

// The epilogue as cuBLASLt takes it: one stack of matrices, and one row that is added to all rows.
std::optional<libraries::GemmEpilogue> gemm_epilogue(const MatmulSize& size, const Epilogue& epilogue) {
  libraries::GemmEpilogue result;
  result.factor = epilogue.factor;
  result.is_relu = epilogue.is_relu;
  // A factor of 0 would let it skip operands, whose NaN must reach the result.
  if (epilogue.constant != 0 || epilogue.factor == 0) return std::nullopt;
  for (const Addend& addend : epilogue.addends) {
    const bool is_stacked =
        std::any_of(addend.steps.begin(), addend.steps.end(), [](auto step) { return step != 0; });
    const bool is_row = addend.row_step == 0 && addend.factor == 1 && !is_stacked;
    if (addend.column_step != 1 || addend.factor == 0) return std::nullopt;
    if (is_row && !result.row) {
      result.row = libraries::GemmOperand{&addend.buffer, addend.start, 0, 0, false};
    } else if (addend.row_step >= size.n && !result.added) {
      result.added =
          libraries::GemmOperand{&addend.buffer, addend.start, addend.row_step, addend.steps[2], false};
      result.added_factor = addend.factor;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

// Whether half of a symmetric product and a copy take less time than the whole: cuBLAS computes it for one
// matrix, and not on tensor cores for float32.
bool takes_half(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                const DType& dtype) {
  constexpr std::int64_t kLeast = 2048;
  const bool has_type = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::float64 ||
                        dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
  return has_type && a.scalar == dtype.scalar && size.m >= kLeast && size.matrices() == 1 &&
         !size.may_round && libraries::cublas_takes(queue, a.scalar, dtype.scalar) &&
         is_symmetric_product(a, b, size);
}

bool multiply_half(const Queue& queue, libraries::Gemm gemm, const Array& out) {
  const Buffer to = out.elements();
  gemm.out.buffer = &to;
  if (!libraries::cublas_multiply_symmetric(queue, gemm)) return false;
  const LibraryKernel kernel =
      kernel_of({"matmul_mirror"}, "mirror", {{"TYPE", codegen::type_name(out.dtype())}});
  constexpr std::size_t kSide = 32, kLines = 8;
  const auto squares = divided_up(static_cast<std::size_t>(gemm.m), kSide);
  Range range{2, {squares * (squares + 1) / 2 * kSide, kLines, 1}};
  kernel(queue, out.size(), range.with_local(kSide, kLines, 1), to, static_cast<std::uint64_t>(gemm.m));
  return true;
}

// cuBLASLt multiplies integers only if both operands are contiguous along the summed axis and the sizes are
// multiples of four. The right operand is copied if it is not.
bool multiply_integers(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out) {
  if (a.scalar != Scalar::int8 || size.n % 4 != 0 || size.depth % 4 != 0 || size.matrices() != 1 ||
      a.depth_step != 1 || a.line_step < size.depth || a.line_step % 4 != 0 || a.start % 4 != 0 ||
      !libraries::cublas_lt_takes(queue, a.scalar, out.dtype().scalar, {}))
    return false;
  MatrixStack right = b;
  const bool fits =
      b.depth_step == 1 && b.line_step >= size.depth && b.line_step % 4 == 0 && b.start % 4 == 0;
  if (!fits) {
    const DType dtype = DType::of(b.scalar);
    const Array from(b.buffer, dtype, {size.n, size.depth}, {b.line_step, b.depth_step},
                     static_cast<std::size_t>(b.start));
    const Array to = empty(queue, {size.n, size.depth}, dtype);
    copy_elements(queue, from, to);
    right.buffer = to.elements();
    right.start = 0;
    right.line_step = size.depth;
    right.depth_step = 1;
  }
  const Buffer to = out.elements();
  const libraries::Gemm gemm = {a.scalar,
                                out.dtype().scalar,
                                size.m,
                                size.n,
                                size.depth,
                                1,
                                {&a.buffer, a.start, a.line_step, 0, false},
                                {&right.buffer, right.start, right.line_step, 0, true},
                                {&to, 0, size.n, 0, false}};
  return libraries::cublas_lt_multiply(queue, gemm, {});
}

}  // namespace

bool multiply_by_library(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                         const MatmulSize& size, const Array& out, const Epilogue& epilogue) {
  if (multiply_integers(queue, a, b, size, out)) return true;
  std::optional<libraries::Gemm> gemm = gemm_of(queue, a, b, size, out.dtype());
  if (!gemm) return false;
  if (epilogue.is_empty() && takes_half(queue, a, b, size, out.dtype()) && multiply_half(queue, *gemm, out))
    return true;
  std::optional<libraries::GemmEpilogue> ending;
  if (!epilogue.is_empty()) {
    ending = gemm_epilogue(size, epilogue);
    if (!ending) return false;
  }
  const bool is_cuda = libraries::cublas_takes(queue, a.scalar, out.dtype().scalar);
  const Buffer to = out.elements();
  gemm->out.buffer = &to;
  for (std::int64_t outer = 0; outer < size.stack[0]; ++outer) {
    for (std::int64_t middle = 0; middle < size.stack[1]; ++middle) {
      gemm->a.start = a.start + (outer * a.steps[0] + middle * a.steps[1]) * a.matrix_step;
      gemm->b.start = b.start + (outer * b.steps[0] + middle * b.steps[1]) * b.matrix_step;
      if (!is_cuda) {
        libraries::clblast_multiply(queue, *gemm);
      } else if (!(ending ? libraries::cublas_lt_multiply(queue, *gemm, *ending)
                          : libraries::cublas_multiply(queue, *gemm))) {
        return false;
      }
      gemm->out.start += size.stack[2] * gemm->out.step;
    }
  }
  return true;
}

bool multiply_block_by_library(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                               const MatmulSize& size, const Array& out, std::int64_t start,
                               std::int64_t pitch) {
  std::optional<libraries::Gemm> gemm = gemm_of(queue, a, b, size, out.dtype());
  if (!gemm) return false;
  const Buffer to = out.elements();
  gemm->out = {&to, start, pitch, 0, false};
  if (libraries::cublas_takes(queue, a.scalar, out.dtype().scalar))
    return libraries::cublas_multiply(queue, *gemm);
  libraries::clblast_multiply(queue, *gemm);
  return true;
}

bool library_takes(const Queue& queue, Scalar scalar) {
  return takes_types(queue, scalar, scalar);
}

bool library_takes(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                   const DType& dtype) {
  return gemm_of(queue, a, b, size, dtype).has_value();
}

bool library_takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                            const MatmulSize& size, const DType& dtype, const Epilogue& epilogue) {
  if (!gemm_of(queue, a, b, size, dtype)) return false;
  // Stacks of several axes take several calls, whose addends differ.
  const std::optional<libraries::GemmEpilogue> ending = gemm_epilogue(size, epilogue);
  return ending && size.stack[0] * size.stack[1] == 1 &&
         libraries::cublas_lt_takes(queue, a.scalar, dtype.scalar, *ending);
}

}  // namespace quern::algorithms
