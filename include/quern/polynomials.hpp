// SPDX-License-Identifier: MIT
// Polynomials as vectors of coefficients, the highest power first.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// The polynomial at each element.
Array polyval(const Array& p, const Array& x);
// The powers of each element of a vector, in a row each, the highest first unless `increasing`. Without a
// count there are as many as elements.
Array vander(const Array& x, std::optional<std::int64_t> count = {}, bool increasing = false);

Array polyadd(const Array& a1, const Array& a2);
Array polysub(const Array& a1, const Array& a2);
// It waits to know how many coefficients are zero in front, which do not count.
Array polymul(const Array& a1, const Array& a2);
// The quotient and the remainder. It waits to know the degree of the remainder.
std::pair<Array, Array> polydiv(const Array& u, const Array& v);
// The m-th derivative.
Array polyder(const Array& p, std::int64_t m = 1);
// The m-th integral; the constants are zero where none are given.
Array polyint(const Array& p, std::int64_t m = 1, const std::optional<Array>& constants = {});
// The polynomial with these zeros. It waits to know whether complex ones come in pairs, which make it real.
Array poly(const Array& zeros);

struct PolynomialFit {
  Array coefficients;     // of one set of values, or in columns
  Array residuals;        // sums of squares; none where the rank is too small or no place is left over
  std::int64_t rank;      // of the matrix of powers
  Array singular_values;  // of that matrix with columns of length one
  double rcond;           // what is smaller, as a part of the greatest one, counts as zero
  Array covariance;       // of the coefficients, for values whose variance is one
};
// The polynomial of this degree with the least squares of distances from the values y at the places x, which
// are weighted where weights are given. It waits for the small matrices, which are solved on the host.
PolynomialFit polyfit(const Array& x, const Array& y, std::int64_t degree, std::optional<double> rcond = {},
                      const std::optional<Array>& weights = {});

}  // namespace quern
