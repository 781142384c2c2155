// SPDX-License-Identifier: MIT
// Linear algebra without factorisations.
#pragma once

#include <cstdint>
#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// The n-th power of each matrix of the stack; the identity for n = 0.
Array matrix_power(const Array& a, std::int64_t n);

// The norm of order `ord` of all elements, or along some axes: infinity gives the maximum magnitude,
// -infinity the minimum, 0 counts nonzero elements.
Array vector_norm(const Array& x, double ord = 2, const Over& over = {}, bool keepdims = false);

// Norms of the matrices in the last two axes: Frobenius, or the greatest or least sum of magnitudes of
// columns or rows. Other norms need singular values.
enum class MatrixNorm : std::uint8_t { frobenius, greatest_column, least_column, greatest_row, least_row };
Array matrix_norm(const Array& x, MatrixNorm norm = MatrixNorm::frobenius, bool keepdims = false);

}  // namespace quern
