// SPDX-License-Identifier: MIT
// Linear algebra that needs no factorisation.
#pragma once

#include <cstdint>
#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// The product of so many equal matrices, of which the array is a stack; of none, ones on the diagonal.
Array matrix_power(const Array& a, std::int64_t n);

// The norm of order `ord` of all elements, or of those along some axes: infinities are the greatest and the
// least magnitude, 0 counts.
Array vector_norm(const Array& x, double ord = 2, const Over& over = {}, bool keepdims = false);

// Of the matrices in the last two axes: the root of the sum of squares, or the greatest or least sum of
// magnitudes of columns or of rows. Others need singular values.
enum class MatrixNorm : std::uint8_t { frobenius, greatest_column, least_column, greatest_row, least_row };
Array matrix_norm(const Array& x, MatrixNorm norm = MatrixNorm::frobenius, bool keepdims = false);

}  // namespace quern
