// SPDX-License-Identifier: MIT
// Polynomials as vectors of coefficients, highest power first.
#include "quern/polynomials.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "array/build.hpp"
#include "base/dtype_kinds.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/functions/composite.hpp"
#include "quern/indexing.hpp"
#include "quern/linalg.hpp"
#include "quern/manipulation.hpp"
#include "quern/signals.hpp"
#include "quern/sorting.hpp"

namespace quern {
namespace {

Array counted_down(const Queue& queue, std::int64_t from) {
  return arange(queue, from, -1, from, DType::of(Scalar::int64));
}

Array coefficients_of(std::string_view function, const Array& p) {
  if (p.shape().size() > 1)
    functions::value_error(std::string(function) + ": coefficients must have one dimension, got " +
                           std::to_string(p.shape().size()));
  return functions::as_vector(p);
}

// Without leading zeros; a single zero if there is nothing else.
Array trimmed(const Array& p) {
  const Array found = flatnonzero(p);
  if (found.size() == 0) return zeros(p.queue(), {1}, p.dtype());
  const std::vector<std::int64_t> first =
      copy(view(found, {Index::slice(0, 1)})).to_vector<std::int64_t>(p.queue());
  return view(p, {Index::slice(first[0])});
}

Array combined(std::string_view function, std::string_view operation, const Array& a1, const Array& a2) {
  Array one = coefficients_of(function, a1), other = coefficients_of(function, a2);
  const auto padded = [&](const Array& p, std::int64_t length) {
    if (functions::size_of(p) == length) return p;
    const std::array<Array, 2> parts = {zeros(p.queue(), {length - functions::size_of(p)}, p.dtype()), p};
    return concat(parts, 0);
  };
  const std::int64_t length = std::max(functions::size_of(one), functions::size_of(other));
  return apply(operation, {padded(one, length), padded(other, length)});
}

}  // namespace

Array polyval(const Array& p, const Array& x) {
  const Array coefficients = functions::as_vector(p);
  const std::int64_t count = coefficients.shape()[0];
  const DType dtype = count != 0 ? result_type(coefficients.dtype(), x.dtype()) : x.dtype();
  Array result = full(x.queue(), x.shape(), Number(0), dtype);
  for (std::int64_t k = 0; k < count; ++k) result = result * x + view(coefficients, {k});
  return count == 0 ? copy(result) : result;
}

Array vander(const Array& x, std::optional<std::int64_t> count, bool increasing) {
  if (x.shape().size() != 1)
    functions::value_error("vander: expected one dimension, got " + std::to_string(x.shape().size()));
  const std::int64_t powers = count.value_or(functions::size_of(x));
  if (powers < 0)
    functions::value_error("vander: N is " + std::to_string(powers) + ", but must not be negative");
  if (powers > std::int64_t{1} << 60)
    functions::value_error("vander: N is " + std::to_string(powers) +
                           ", which exceeds the largest possible length");
  const Array exponents =
      arange(x.queue(), increasing ? 0 : powers - 1, increasing ? 1 : -1, powers, DType::of(Scalar::int64));
  return apply("power", {view(x, {Index::slice(), Index::new_axis()}), exponents});
}

Array polyadd(const Array& a1, const Array& a2) {
  return combined("polyadd", "add", a1, a2);
}

Array polysub(const Array& a1, const Array& a2) {
  return combined("polysub", "subtract", a1, a2);
}

Array polymul(const Array& a1, const Array& a2) {
  return convolve(trimmed(coefficients_of("polymul", a1)), trimmed(coefficients_of("polymul", a2)));
}

std::pair<Array, Array> polydiv(const Array& u, const Array& v) {
  const Array dividend = coefficients_of("polydiv", u), divisor = coefficients_of("polydiv", v);
  if (dividend.size() == 0 || divisor.size() == 0)
    functions::value_error("polydiv: coefficients must not be empty");
  const DType dtype = functions::as_float(view(dividend, {0}) + view(divisor, {0})).dtype();
  const Array factor = astype(divisor, dtype);
  const Array scale = Number(1.0) / view(factor, {0});
  const std::int64_t count = functions::size_of(dividend) - functions::size_of(divisor) + 1;
  Array rest = copy(astype(dividend, dtype));
  const Array quotient = zeros(u.queue(), {std::max<std::int64_t>(count, 1)}, dtype);
  for (std::int64_t k = 0; k < count; ++k) {
    const Array one = copy(scale * view(rest, {k}));
    assign(view(quotient, {k}), one);
    const Array part = view(rest, {Index::slice(k, k + functions::size_of(divisor))});
    assign(part, part - one * factor);
  }
  // Leading coefficients that are almost zero are removed, but one coefficient stays.
  const Array is_something = apply("logical_not", {isclose(rest, Number(0), {.rtol = 1e-14})});
  const Array found = flatnonzero(is_something);
  std::int64_t first = functions::size_of(rest) - 1;
  if (found.size() != 0)
    first = copy(view(found, {Index::slice(0, 1)})).to_vector<std::int64_t>(rest.queue())[0];
  return {quotient, copy(view(rest, {Index::slice(first)}))};
}

Array polyder(const Array& p, std::int64_t m) {
  if (m < 0) functions::value_error("polyder: m is " + std::to_string(m) + ", but must not be negative");
  Array result = coefficients_of("polyder", p);
  for (; m > 0 && result.size() != 0; --m) {
    const std::int64_t degree = functions::size_of(result) - 1;
    result = view(result, {Index::slice({}, -1)}) * counted_down(p.queue(), degree);
  }
  return result;
}

Array polyint(const Array& p, std::int64_t m, const std::optional<Array>& constants) {
  if (m < 0) functions::value_error("polyint: m is " + std::to_string(m) + ", but must not be negative");
  Array result = coefficients_of("polyint", p);
  const Queue queue = p.queue();
  const Array zero = zeros(queue, {1}, functions::as_float(result).dtype());
  Array given = constants ? functions::flattened(*constants) : zero;
  if (functions::size_of(given) != 1 && functions::size_of(given) < m)
    functions::value_error("polyint: k has " + std::to_string(given.size()) + " constants, but m is " +
                           std::to_string(m));
  for (std::int64_t k = 0; k < m; ++k) {
    const std::int64_t at = given.size() == 1 ? 0 : k;
    const std::array<Array, 2> parts = {result / counted_down(queue, functions::size_of(result)),
                                        view(given, {Index::slice(at, at + 1)})};
    result = concat(parts, 0);
  }
  return result;
}

Array poly(const Array& zeros_of) {
  const Shape& shape = zeros_of.shape();
  const bool is_matrix = shape.size() == 2 && shape[0] == shape[1] && shape[0] != 0;
  const Array given = is_matrix ? linalg::eigvals(zeros_of) : functions::as_vector(zeros_of);
  // Short types have too little precision; NumPy widens float16, too.
  const bool is_half = detail::is_short_float(given.dtype());
  const Array roots =
      is_half ? astype(given, array::default_float(given.queue())) : functions::as_float(given);
  if (roots.shape().size() != 1)
    functions::value_error("poly: expected one-dimensional roots or a square matrix");
  const Queue queue = roots.queue();
  const Array one = full(queue, {1}, Number(1), roots.dtype());
  if (roots.size() == 0) return full(queue, {}, Number(1.0), array::default_float(queue));
  Array result = one;
  for (std::int64_t k = 0; k < functions::size_of(roots); ++k) {
    const std::array<Array, 2> factor = {one, -view(roots, {Index::slice(k, k + 1)})};
    result = convolve(result, concat(factor, 0));
  }
  if (!functions::is_complex(roots.dtype())) return result;
  const bool is_paired = array_equal(sort(roots), sort(apply("conj", {roots})));
  return is_paired ? copy(apply("real", {result})) : result;
}

Array roots(const Array& p) {
  const Array given = coefficients_of("roots", p);
  const bool is_half = detail::is_short_float(given.dtype());
  const Queue queue = given.queue();
  const Array all = is_half ? astype(given, array::default_float(queue)) : functions::as_float(given);
  const std::vector<std::int64_t> found = copy(flatnonzero(all)).to_vector<std::int64_t>(queue);
  if (found.empty()) return zeros(queue, {0}, all.dtype());
  // A zero at the end is a root; one in front is not there.
  const Array rest = view(all, {Index::slice(found.front(), found.back() + 1)});
  const Array at_zero = zeros(queue, {functions::size_of(all) - found.back() - 1}, all.dtype());
  const std::int64_t degree = functions::size_of(rest) - 1;
  if (degree == 0) return at_zero;
  const Array companion = copy(eye(queue, degree, degree, all.dtype(), -1));
  assign(view(companion, {0}), -view(rest, {Index::slice(1)}) / view(rest, {0}));
  const std::array<Array, 2> parts = {linalg::eigvals(companion), at_zero};
  const Array result = concat(parts, 0);
  const bool is_real =
      !functions::is_complex(all.dtype()) && flatnonzero(apply("imag", {result})).size() == 0;
  return is_real ? copy(apply("real", {result})) : result;
}

namespace registry {
namespace {

constexpr std::string_view kTwoPolynomials =
    "a1: Coefficients of the first polynomial, highest power first.\n"
    "a2: Coefficients of the second polynomial.";

const Function kPolynomialRows[] = {
    {.name = "polyval",
     .parameters = "p: array, x: array | callable",
     .summary = "Evaluate a polynomial at each element.",
     .about = "p: Coefficients of the polynomial, highest power first.\n"
              "x: Array to evaluate it at, or a poly1d.",
     .returns =
         "The values of the polynomial, in the shape of `x`; a poly1d of one, which is the composition.",
     .example = ">>> print(qn.polyval([1, 0, 2], [1, 2, 3]))\n[ 3  6 11]",
     .call = [](const Arguments& a) -> Result { return polyval(a.array(0), a.array(1)); }},
    {.name = "vander",
     .parameters = "x: array, N: int = None, increasing: bool = False",
     .summary = "Vandermonde matrix: a row of powers for each element of a vector.",
     .about = "N: Number of columns; None: len(x).\n"
              "increasing: If True, the powers increase from left to right; otherwise they decrease.",
     .returns = "Matrix of shape (len(x), N).",
     .example = ">>> print(qn.vander([2, 3], 3))\n[[4 2 1]\n [9 3 1]]",
     .call = [](const Arguments& a) -> Result {
       return vander(a.array(0), a.find<std::int64_t>(1), a.flag(2));
     }},
    {.name = "polyadd",
     .parameters = "a1: array, a2: array",
     .summary = "Sum of two polynomials.",
     .about = kTwoPolynomials,
     .returns = "Coefficients of the sum, highest power first.",
     .example = ">>> print(qn.polyadd([1, 2], [1, 0, 3]))\n[1 1 5]",
     .call = [](const Arguments& a) -> Result { return polyadd(a.array(0), a.array(1)); }},
    {.name = "polysub",
     .parameters = "a1: array, a2: array",
     .summary = "Difference of two polynomials: a1 - a2.",
     .about = kTwoPolynomials,
     .returns = "Coefficients of the difference, highest power first.",
     .example = ">>> print(qn.polysub([1, 2], [1, 0, 3]))\n[-1  1 -1]",
     .call = [](const Arguments& a) -> Result { return polysub(a.array(0), a.array(1)); }},
    {.name = "polymul",
     .parameters = "a1: array, a2: array",
     .summary = "Product of two polynomials; waits for the number of leading zeros.",
     .about = kTwoPolynomials,
     .returns = "Coefficients of the product, highest power first.",
     .example = ">>> print(qn.polymul([1, 2], [1, 3]))\n[1 5 6]",
     .call = [](const Arguments& a) -> Result { return polymul(a.array(0), a.array(1)); }},
    {.name = "polydiv",
     .parameters = "u: array, v: array",
     .summary = "Quotient and remainder of polynomial division; waits for the degree of the remainder.",
     .about = "u: Coefficients of the dividend, highest power first.\n"
              "v: Coefficients of the divisor.",
     .returns = "Coefficients of the quotient and of the remainder.",
     .type = "tuple[Array, Array]",
     .example = ">>> quotient, rest = qn.polydiv([1.0, 5.0, 7.0], [1.0, 3.0])\n>>> print(quotient, rest)\n"
                "[1. 2.] [1.]",
     .call = [](const Arguments& a) -> Result {
       auto [quotient, rest] = polydiv(a.array(0), a.array(1));
       return std::vector<Array>{quotient, rest};
     }},
    {.name = "polyder",
     .parameters = "p: array, m: int = 1",
     .summary = "Derivative of a polynomial.",
     .about = "p: Coefficients of the polynomial, highest power first.\n"
              "m: Order of the derivative.",
     .returns = "Coefficients of the derivative, highest power first.",
     .example = ">>> print(qn.polyder([1, 2, 3]))\n[2 2]",
     .call = [](const Arguments& a) -> Result { return polyder(a.array(0), a.integer(1)); }},
    {.name = "polyint",
     .parameters = "p: array, m: int = 1, k: array = None",
     .summary = "Antiderivative of a polynomial.",
     .about = "p: Coefficients of the polynomial, highest power first.\n"
              "m: Number of times to integrate.\n"
              "k: Integration constants, one for each integration; None: zeros.",
     .returns = "Coefficients of the antiderivative, highest power first.",
     .example = ">>> print(qn.polyint([3.0, 2.0, 1.0], k=5.0))\n[1. 1. 1. 5.]",
     .call = [](const Arguments& a) -> Result {
       return polyint(a.array(0), a.integer(1), a.find<Array>(2));
     }},
    {.name = "poly",
     .parameters = "seq_of_zeros: array",
     .summary = "Coefficients of the polynomial with the given roots.",
     .about = "seq_of_zeros: Roots of the polynomial, in one dimension; or a square matrix, whose "
              "characteristic polynomial is returned.",
     .returns = "The coefficients, highest power first.",
     .example = ">>> print(qn.poly([1, 2]))\n[ 1. -3.  2.]",
     .call = [](const Arguments& a) -> Result { return poly(a.array(0)); }},
    {.name = "roots",
     .parameters = "p: array",
     .summary = "Roots of a polynomial; waits for the coefficients.",
     .about = "p: Coefficients of the polynomial, highest power first.",
     .returns =
         "The roots, each as often as it occurs. They are real numbers if no root has an imaginary part.",
     .example = ">>> print(qn.roots([1, -3, 2]))\n[2. 1.]",
     .call = [](const Arguments& a) -> Result { return roots(a.array(0)); }},
};

}  // namespace

std::span<const Function> polynomial_rows() {
  return kPolynomialRows;
}

}  // namespace registry
}  // namespace quern
