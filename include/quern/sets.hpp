// SPDX-License-Identifier: MIT
// Arrays as sets, with NumPy's rules. NaN is equal to nothing. What keeps some of the values waits for their
// number.
#pragma once

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Whether each element is among others, in the array's shape.
Array isin(const Array& element, const Array& test_elements, bool invert = false);

// The values that both arrays have, in order, and where each first is in them.
struct Intersection {
  Array values, first_indices, second_indices;
};
Array intersect1d(const Array& ar1, const Array& ar2);
Intersection intersect1d_indices(const Array& ar1, const Array& ar2);
// The values that either array has, in order.
Array union1d(const Array& ar1, const Array& ar2);
// The values that only the first array has, in order; where it has each once, `assume_unique` leaves them in
// its own order.
Array setdiff1d(const Array& ar1, const Array& ar2, bool assume_unique = false);
// The values that one of the arrays has and the other has not, in order.
Array setxor1d(const Array& ar1, const Array& ar2);

}  // namespace quern
