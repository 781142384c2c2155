// SPDX-License-Identifier: MIT
// Least-squares polynomial fit. The device orthogonalises the columns of the Vandermonde matrix; the host
// computes the singular values of the remaining small triangular matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>

#include "array/build.hpp"
#include "base/dtype_kinds.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/polynomials.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

using Complex = std::complex<double>;

// A small matrix on the host, by columns.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<Complex> values;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  Complex& at(std::size_t r, std::size_t c) { return values[c * rows + r]; }
  [[nodiscard]] const Complex& at(std::size_t r, std::size_t c) const { return values[c * rows + r]; }
};

Matrix matrix_of(const Array& array) {
  Matrix matrix(static_cast<std::size_t>(array.shape()[0]), static_cast<std::size_t>(array.shape()[1]));
  const std::vector<double> real = functions::doubles_of(apply("real", {array}));
  const std::vector<double> imag = functions::doubles_of(apply("imag", {array}));
  for (std::size_t r = 0; r < matrix.rows; ++r)
    for (std::size_t c = 0; c < matrix.columns; ++c)
      matrix.at(r, c) = {real[r * matrix.columns + c], imag[r * matrix.columns + c]};
  return matrix;
}

Array array_of(const Queue& queue, const Matrix& matrix, const DType& dtype) {
  std::vector<double> real, imag;
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      real.push_back(matrix.at(r, c).real());
      imag.push_back(matrix.at(r, c).imag());
    }
  }
  const Shape shape = {static_cast<std::int64_t>(matrix.rows), static_cast<std::int64_t>(matrix.columns)};
  const DType part = codegen::part_of(dtype);
  const auto moved = [&](const std::vector<double>& values) {
    if (array::default_float(queue).itemsize == 8)
      return reshape(astype(asarray(queue, values), part), shape);
    return reshape(astype(asarray(queue, std::vector<float>(values.begin(), values.end())), part), shape);
  };
  return functions::is_complex(dtype) ? functions::complex_of(moved(real), moved(imag)) : moved(real);
}

Array vector_of(const Queue& queue, const std::vector<double>& values, const DType& dtype) {
  Matrix row(1, values.size());
  for (std::size_t k = 0; k < values.size(); ++k) row.at(0, k) = values[k];
  return reshape(array_of(queue, row, dtype), {static_cast<std::int64_t>(values.size())});
}

// Singular value decomposition: a = u * diag(s) * conjugate transpose of v, the greatest first.
struct SingularValues {
  Matrix u, v;
  std::vector<double> s;
};

double length_of(const Matrix& a, std::size_t column) {
  double total = 0;
  for (std::size_t r = 0; r < a.rows; ++r) total += std::norm(a.at(r, column));
  return std::sqrt(total);
}

// Rotates two columns so that they become orthogonal; false if they already are.
bool make_orthogonal(Matrix& a, Matrix& v, std::size_t p, std::size_t q) {
  Complex product = 0;
  for (std::size_t r = 0; r < a.rows; ++r) product += std::conj(a.at(r, p)) * a.at(r, q);
  const double first = length_of(a, p), second = length_of(a, q), size = std::abs(product);
  if (size == 0 || size <= std::numeric_limits<double>::epsilon() * first * second) return false;
  const double zeta = (second * second - first * first) / (2 * size);
  const double tangent = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
  const Complex turn = std::conj(product) / size;
  for (Matrix* const matrix : {&a, &v}) {
    for (std::size_t r = 0; r < matrix->rows; ++r) {
      const Complex one = matrix->at(r, p), other = matrix->at(r, q) * turn;
      matrix->at(r, p) = cosine * one - sine * other;
      matrix->at(r, q) = sine * one + cosine * other;
    }
  }
  return true;
}

// By Jacobi rotations of pairs of columns.
SingularValues singular_values(Matrix a) {
  const std::size_t n = a.columns;
  Matrix v(n, n);
  for (std::size_t k = 0; k < n; ++k) v.at(k, k) = 1;
  constexpr int kMostSweeps = 60;
  bool is_done = false;
  for (int sweep = 0; sweep < kMostSweeps && !is_done; ++sweep) {
    is_done = true;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) is_done &= !make_orthogonal(a, v, p, q);
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> lengths(n);
  for (std::size_t k = 0; k < n; ++k) lengths[k] = length_of(a, k);
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return lengths[i] > lengths[j]; });
  SingularValues result{Matrix(a.rows, n), Matrix(n, n), std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) {
    result.s[k] = lengths[order[k]];
    for (std::size_t r = 0; r < a.rows; ++r)
      result.u.at(r, k) = result.s[k] == 0 ? 0 : a.at(r, order[k]) / result.s[k];
    for (std::size_t r = 0; r < n; ++r) result.v.at(r, k) = v.at(r, order[k]);
  }
  return result;
}

Array conjugated(const Array& x) {
  return functions::is_complex(x.dtype()) ? apply("conj", {x}) : x;
}

double epsilon_of(const DType& dtype) {
  return codegen::part_of(dtype).itemsize == 8 ? std::numeric_limits<double>::epsilon()
                                               : std::numeric_limits<float>::epsilon();
}

// QR decomposition: orthogonal rows that span the columns of a matrix, and the triangular factor.
struct Orthogonal {
  Array rows, triangle;
};

// From each column its components along earlier columns are subtracted twice, so that only rounding errors
// remain.
Orthogonal orthogonal_of(const Array& matrix) {
  const Queue queue = matrix.queue();
  const std::int64_t count = matrix.shape()[0], columns = matrix.shape()[1];
  const DType& dtype = matrix.dtype();
  const Array rows = zeros(queue, {columns, count}, dtype),
              triangle = zeros(queue, {columns, columns}, dtype);
  const double nothing = 8 * epsilon_of(dtype);  // relative to columns of length one
  for (std::int64_t k = 0; k < columns; ++k) {
    Array column = copy(view(matrix, {Index::slice(), k}));
    if (k > 0) {
      const Array before = view(rows, {Index::slice(0, k)});
      const Array part = view(triangle, {Index::slice(0, k), k});
      for (int pass = 0; pass < 2; ++pass) {
        const Array along = copy(matmul(conjugated(before), column));
        column = copy(column - matmul(along, before));
        assign(part, part + along);
      }
    }
    const Array length = apply("sqrt", {sum(functions::squared_magnitudes(column))});
    const Array is_there = length > Number(nothing);
    assign(view(triangle, {k, k}), where(is_there, length, Number(0)));
    assign(view(rows, {k}), where(is_there, column / length, Number(0)));
  }
  return {rows, triangle};
}

void check_points(const Array& x, const Array& y, std::int64_t degree, const std::optional<Array>& weights) {
  if (degree < 0)
    functions::value_error("polyfit: deg is " + std::to_string(degree) + ", but must not be negative");
  if (x.shape().size() != 1)
    functions::type_error("polyfit: x must have one dimension, got " + std::to_string(x.shape().size()));
  if (x.size() == 0) functions::type_error("polyfit: x must not be empty");
  if (y.shape().empty() || y.shape().size() > 2)
    functions::type_error("polyfit: y must have one or two dimensions, got " +
                          std::to_string(y.shape().size()));
  if (y.shape()[0] != x.shape()[0])
    functions::type_error("polyfit: x and y have different lengths, " + std::to_string(x.shape()[0]) +
                          " and " + std::to_string(y.shape()[0]));
  if (weights && weights->shape() != x.shape())
    functions::type_error("polyfit: w must have one weight for each element of x");
}

}  // namespace

PolynomialFit polyfit(const Array& x, const Array& y, std::int64_t degree, std::optional<double> rcond,
                      const std::optional<Array>& weights) {
  check_points(x, y, degree, weights);
  const Queue queue = x.queue();
  const auto size = static_cast<std::size_t>(degree + 1);
  const DType dtype =
      detail::widened(result_type(functions::as_float(x).dtype(), functions::as_float(y).dtype()));
  const double limit =
      rcond.value_or(static_cast<double>(x.size()) * epsilon_of(functions::as_float(x).dtype()));
  Array powers = vander(astype(x, dtype), degree + 1);
  const bool is_single = y.shape().size() == 1;
  Array values = astype(is_single ? view(y, {Index::slice(), Index::new_axis()}) : y, dtype);
  if (weights) {
    const Array column = view(astype(*weights, dtype), {Index::slice(), Index::new_axis()});
    powers = powers * column;
    values = values * column;
  }
  const Array lengths = apply("sqrt", {sum(functions::squared_magnitudes(powers), {.over = 0})});
  powers = copy(powers / where(apply("equal", {lengths, 0}), Number(1), lengths));
  values = copy(values);
  const Orthogonal orthogonal = orthogonal_of(powers);
  const Matrix projected = matrix_of(matmul(conjugated(orthogonal.rows), values));
  const SingularValues singular = singular_values(matrix_of(orthogonal.triangle));
  std::vector<double> scale = functions::doubles_of(lengths);
  for (double& one : scale) one = one == 0 ? 1 : one;

  std::size_t rank = 0;
  while (rank < size && singular.s[rank] > limit * singular.s[0]) ++rank;
  Matrix scaled(size, projected.columns), covariance(size, size);
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t c = 0; c < projected.columns; ++c) {
      Complex part = 0;
      for (std::size_t r = 0; r < size; ++r) part += std::conj(singular.u.at(r, k)) * projected.at(r, c);
      for (std::size_t r = 0; r < size; ++r) scaled.at(r, c) += singular.v.at(r, k) * part / singular.s[k];
    }
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        covariance.at(r, c) += singular.v.at(r, k) * std::conj(singular.v.at(c, k)) /
                               (singular.s[k] * singular.s[k] * scale[r] * scale[c]);
  }
  const Array distance = values - matmul(powers, array_of(queue, scaled, dtype));
  const bool has_residuals = rank == size && x.size() > size;
  Array residuals = copy(sum(functions::squared_magnitudes(distance), {.over = 0}));
  if (!has_residuals) residuals = empty(queue, {0}, residuals.dtype());
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < scaled.columns; ++c) scaled.at(r, c) /= scale[r];
  const Array coefficients = array_of(queue, scaled, dtype);
  return {is_single ? reshape(coefficients, {degree + 1}) : coefficients,
          residuals,
          static_cast<std::int64_t>(rank),
          vector_of(queue, singular.s, codegen::part_of(dtype)),
          limit,
          array_of(queue, covariance, functions::is_complex(x.dtype()) ? dtype : codegen::part_of(dtype))};
}

namespace registry {
namespace {

// x, y, deg, rcond, full, w, cov
Result call_polyfit(const Arguments& a) {
  std::optional<double> rcond;
  if (a.has(3)) rcond = a.get<Number>(3).value().real();
  if (a.is<std::string>(6) && a.text(6) != "unscaled")
    functions::value_error("polyfit: cov must be True, False or 'unscaled', got '" + std::string(a.text(6)) +
                           "'");
  const PolynomialFit fit = polyfit(a.array(0), a.array(1), a.integer(2), rcond, a.find<Array>(5));
  const Queue& queue = a.queue();
  if (a.flag(4))
    return std::vector<Array>{fit.coefficients, fit.residuals,
                              full(queue, {}, fit.rank, DType::of(Scalar::int32)), fit.singular_values,
                              full(queue, {}, fit.rcond, array::default_float(queue))};
  const bool is_unscaled = a.is<std::string>(6);
  if (!is_unscaled && !a.flag(6)) return fit.coefficients;
  if (is_unscaled) return std::vector<Array>{fit.coefficients, fit.covariance};
  const auto count = static_cast<std::int64_t>(a.array(0).size()), order = a.integer(2) + 1;
  if (count <= order)
    functions::value_error(
        "polyfit: the number of data points must exceed order to scale the covariance matrix");
  if (fit.residuals.size() == 0)
    functions::value_error(
        "polyfit: the covariance is undefined because the Vandermonde matrix is rank deficient");
  const Array variance = fit.residuals / Number(count - order);
  if (a.array(1).shape().size() == 1) return std::vector<Array>{fit.coefficients, fit.covariance * variance};
  return std::vector<Array>{fit.coefficients,
                            view(fit.covariance, {Index::ellipsis(), Index::new_axis()}) * variance};
}

const Function kPolyfitRows[] = {
    {.name = "polyfit",
     .parameters = "x: array, y: array, deg: int, rcond: number = None, full: bool = False, w: array = None, "
                   "cov: bool | str = False",
     .summary = "Least-squares fit of a polynomial to data.",
     .notes = "The call waits for the small matrices and solves them on the host. NumPy warns if "
              "the fit is rank-deficient; here use full=True to get the rank.",
     .about = "x: x-coordinates of the data points.\n"
              "y: y-coordinates of the data points; a matrix holds several data sets in its columns.\n"
              "deg: Degree of the polynomial.\n"
              "rcond: Singular values below this fraction of the largest count as zero; None: len(x) times "
              "the machine epsilon.\n"
              "full: If True, also return the residuals, the rank, the singular values and rcond.\n"
              "w: Weight of each data point.\n"
              "cov: If True, also return the covariance of the coefficients; 'unscaled': without scaling "
              "by the residuals.",
     .returns = "The coefficients, highest power first; a tuple with `full` or `cov`.",
     .type = "Any",
     .example = ">>> x = qn.asarray([0.0, 1.0, 2.0, 3.0])\n"
                ">>> print(qn.round(qn.polyfit(x, 2 * x * x - x + 3, 2), 6))\n[ 2. -1.  3.]",
     .call = call_polyfit},
};

}  // namespace

std::span<const Function> polyfit_rows() {
  return kPolyfitRows;
}

}  // namespace registry
}  // namespace quern
