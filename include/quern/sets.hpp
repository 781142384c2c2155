// SPDX-License-Identifier: MIT
// NumPy's set functions. NaN is equal to nothing. Functions whose result depends on the data wait for its
// length.
#pragma once

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Whether each element is in `others`, in the array's shape.
Array isin(const Array& element, const Array& test_elements, bool invert = false);

// The sorted values that both arrays have, and the first index of each in both.
struct Intersection {
  Array values, first_indices, second_indices;
};
Array intersect1d(const Array& ar1, const Array& ar2);
Intersection intersect1d_indices(const Array& ar1, const Array& ar2);
// The sorted values of either array.
Array union1d(const Array& ar1, const Array& ar2);
// The sorted values that only the first array has; with `assume_unique`, in the array's own order.
Array setdiff1d(const Array& ar1, const Array& ar2, bool assume_unique = false);
// The sorted values that exactly one of the arrays has.
Array setxor1d(const Array& ar1, const Array& ar2);

}  // namespace quern
