// SPDX-License-Identifier: MIT
// Products of matrices and vectors, of every dtype, with NumPy's types and rules.
#pragma once

#include <span>

#include "quern/array.hpp"

namespace quern {

// numpy.matmul: the last two axes are matrices, those before them are broadcast; an array of one axis is a
// row on the left and a column on the right, whose axis the result does not have. Integers wrap in their own
// dtype; of booleans it is whether any product is true; float16 is summed in float32. Throws ArgumentError
// for shapes that do not fit.
Array matmul(const Array& a, const Array& b, const Queue* queue = nullptr);

// Sums of products over pairs of axes: what is left of `a` comes first, then what is left of `b`.
Array tensordot(const Array& a, const Array& b, std::span<const int> axes_of_a,
                std::span<const int> axes_of_b, const Queue* queue = nullptr);

// The sums of conj(a) * b along an axis, which counts from the end and is broadcast with the others.
Array vecdot(const Array& a, const Array& b, int axis = -1, const Queue* queue = nullptr);

}  // namespace quern
