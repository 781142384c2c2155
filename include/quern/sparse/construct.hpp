// SPDX-License-Identifier: MIT
// Sparse matrices made from diagonals, random entries and other matrices: stacks, blocks, rows and columns,
// and operators of elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/random.hpp"
#include "quern/sparse.hpp"
#include "quern/views.hpp"

namespace quern {
namespace QUERN_API sparse {

// Compressed columns: column j has the rows indices[indptr[j]:indptr[j + 1]] with the values in the same part
// of data.
struct Csc {
  Size size;
  Array data, indices, indptr;
};
Csr csr_of(const Csc& matrix);
Csc csc_of(const Csr& matrix);
// Throws ArgumentError for arrays that do not fit each other or the size.
void check(const Csc& matrix);

// A matrix of these diagonals: diagonal k is offsets[k] above the main one. A diagonal of one element has it
// in all places. By default the matrix is the smallest square that holds the first diagonal.
Dia diags(std::span<const Array> diagonals, std::span<const std::int64_t> offsets,
          std::optional<Size> size = {});
// round(density * rows * columns) entries at random places, uniform in [0, 1). Waits. `dtype` is floating.
Coo random(random::Generator& generator, const Queue& queue, Size size, double density = 0.01,
           const DType& dtype = DType::of(Scalar::float64));

// Rows of blocks; a block that is absent is zero. Throws ArgumentError for blocks that do not fit, and for a
// row or column of absent blocks.
using Blocks = std::vector<std::vector<std::optional<Csr>>>;
Csr block_array(const Blocks& blocks);
Csr vstack(std::span<const Csr> matrices);
Csr hstack(std::span<const Csr> matrices);
// The matrices along the diagonal.
Csr block_diag(std::span<const Csr> matrices);
// kron(I, a) + kron(b, I), of square matrices.
Csr kronsum(const Csr& a, const Csr& b);

// Rows [start, stop) with a step, by the rules of Python's slices.
Csr slice_rows(const Csr& matrix, const Index& rows);
// The columns of these indices (int64, from 0 on), in their order; indices may repeat.
Csr take_columns(const Csr& matrix, const Array& columns);

// Operators of elements. A number multiplies the stored entries.
Csr operator+(const Csr& a, const Csr& b);
Csr operator-(const Csr& a, const Csr& b);
Csr operator-(const Csr& a);
Csr operator*(const Csr& a, const Csr& b);
Csr operator*(const Csr& a, const Number& factor);
Csr operator*(const Number& factor, const Csr& a);
Csr operator/(const Csr& a, const Number& divisor);
// Each entry times the element of an array in its place. The array is broadcast to the size of the matrix.
Csr multiply_elements(const Csr& matrix, const Array& dense);

}  // namespace sparse
}  // namespace quern
