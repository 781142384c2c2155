// SPDX-License-Identifier: MIT
// Products of matrices, vectors and tensors of every dtype, with NumPy's types and rules.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"

namespace QUERN_API quern {

// numpy.matmul: the last two axes are matrices, the others are broadcast. A one-dimensional array is a row on
// the left and a column on the right, and its axis is removed from the result. Integers wrap in their own
// dtype; booleans give whether any product is true; float16 and bfloat16 are summed in float32. Throws
// ArgumentError for shapes that do not match.
Array matmul(const Array& a, const Array& b, const Queue* queue = nullptr);

// How precisely products of float32 matrices are computed. `high` lets CUDA devices round the operands to
// TF32 (10 bits of mantissa), for their tensor cores; sums stay float32. Other devices compute as with
// `highest`.
enum class MatmulPrecision : std::uint8_t { highest, high };
// For products that are called from now on, on all threads. The initial value is `highest`.
void set_float32_matmul_precision(MatmulPrecision precision) noexcept;
MatmulPrecision float32_matmul_precision() noexcept;

// Sums of products over pairs of axes; the remaining axes of `a` come first, then those of `b`.
Array tensordot(const Array& a, const Array& b, std::span<const int> axes_of_a,
                std::span<const int> axes_of_b, const Queue* queue = nullptr);
// Over the last `axes` axes of `a` and the first of `b`.
Array tensordot(const Array& a, const Array& b, int count = 2);

// Sums of conj(a) * b along an axis, which counts from the end; the other axes are broadcast.
Array vecdot(const Array& a, const Array& b, int axis = -1, const Queue* queue = nullptr);

// Products of stacks of matrices and vectors, and of conjugated vectors and matrices.
Array matvec(const Array& matrices, const Array& vectors);
Array vecmat(const Array& vectors, const Array& matrices);

// numpy.dot: sums of products over the last axis of `a` and the second-to-last of `b`, or products with a
// number.
Array dot(const Array& a, const Array& b);
// Sums of products over the last axes, or products with a number.
Array inner(const Array& a, const Array& b);
// The sum of conj(a) * b over all elements in C order.
Array vdot(const Array& a, const Array& b);
// The product of each element of `a` with each of `b`.
Array outer(const Array& a, const Array& b);
// The Kronecker product: a block of `b` for each element of `a`.
Array kron(const Array& a, const Array& b);

struct CrossAxes {
  int first = -1, second = -1, result = -1;
};
// Cross products of vectors of three elements; the other axes are broadcast.
Array cross(const Array& a, const Array& b, const CrossAxes& axes = {});

struct EinsumOptions {
  std::optional<Array> out = {};    // array for the result; a new array by default
  std::optional<DType> dtype = {};  // dtype of the computation and the result
  Casting casting = Casting::safe;
  bool in_fortran_order = false;  // memory order of a new array
};
// Sums of products in Einstein's notation, as in "ij,jk->ik"; "..." denotes broadcast axes.
Array einsum(std::string_view subscripts, std::span<const Array> operands, const EinsumOptions& options = {});
inline Array einsum(std::string_view subscripts, std::initializer_list<Array> operands,
                    const EinsumOptions& options = {}) {
  return einsum(subscripts, std::span<const Array>(operands.begin(), operands.size()), options);
}

}  // namespace quern
