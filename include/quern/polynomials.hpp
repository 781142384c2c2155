// SPDX-License-Identifier: MIT
// Polynomials as vectors of coefficients, highest power first.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// Evaluates the polynomial at each element.
Array polyval(const Array& p, const Array& x);
// Vandermonde matrix: the powers of each element of a vector in a row, highest first unless `increasing`. By
// default as many columns as elements.
Array vander(const Array& x, std::optional<std::int64_t> count = {}, bool increasing = false);

Array polyadd(const Array& a1, const Array& a2);
Array polysub(const Array& a1, const Array& a2);
// Product. Waits for the number of leading zeros, which are removed.
Array polymul(const Array& a1, const Array& a2);
// Quotient and remainder. Waits for the degree of the remainder.
std::pair<Array, Array> polydiv(const Array& u, const Array& v);
// The m-th derivative.
Array polyder(const Array& p, std::int64_t m = 1);
// The m-th integral; the constants are zero by default.
Array polyint(const Array& p, std::int64_t m = 1, const std::optional<Array>& constants = {});
// The polynomial with these roots, or the characteristic polynomial of a square matrix. Waits to test whether
// complex roots are conjugate pairs, which make it real.
Array poly(const Array& zeros);
// The roots of a polynomial, as eigenvalues of its companion matrix. Waits for the zeros among the
// coefficients, and to test whether all roots are real.
Array roots(const Array& p);

struct PolynomialFit {
  Array coefficients;     // for one set of values, or in columns
  Array residuals;        // sums of squares; empty if the rank is too small or the fit is exact
  std::int64_t rank;      // of the Vandermonde matrix
  Array singular_values;  // of that matrix with columns of length one
  double rcond;           // smaller singular values, relative to the greatest, count as zero
  Array covariance;       // of the coefficients, for values of unit variance
};
// Least-squares fit of a polynomial of this degree to the values y at x, optionally weighted. Waits for small
// matrices, which the host solves.
PolynomialFit polyfit(const Array& x, const Array& y, std::int64_t degree, std::optional<double> rcond = {},
                      const std::optional<Array>& weights = {});

}  // namespace quern
