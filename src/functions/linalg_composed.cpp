// SPDX-License-Identifier: MIT
// Linear algebra that is composed of factorisations and array operations: pseudo-inverses, ranks, condition
// numbers, chains of products, tensor equations, the matrix exponential.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "functions/operands.hpp"
#include "linalg/prepare.hpp"
#include "linalg/solve.hpp"
#include "quern/creation.hpp"
#include "quern/indexing.hpp"
#include "quern/linalg.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/sorting.hpp"

namespace quern::linalg {
namespace {

double precision_of(const Array& array) {
  return array.dtype().scalar == Scalar::float32 || array.dtype().scalar == Scalar::complex64
             ? std::numeric_limits<float>::epsilon()
             : std::numeric_limits<double>::epsilon();
}

Array with_axis(const Array& array) {
  return expand_dims(array, {-1});
}

std::int64_t larger_dimension(const Array& a) {
  return std::max(a.shape()[a.shape().size() - 2], a.shape().back());
}

std::int64_t product_of(Shape::const_iterator begin, Shape::const_iterator end) {
  std::int64_t product = 1;
  for (; begin != end; ++begin) product *= *begin;
  return product;
}

}  // namespace

Svd svd_hermitian(const Array& a) {
  const Eigen parts = eigh(a);
  const Array sizes = apply("absolute", {parts.values});
  const Array order = argsort(sizes, -1, {.descending = true});
  const Array s = take_along_axis(sizes, order, -1);
  const Array signs = take_along_axis(apply("sign", {parts.values}), order, -1);
  const Array u = take_along_axis(parts.vectors, expand_dims(order, {-2}), -1);
  // A negative eigenvalue is a positive singular value of the opposite vector. Zeros keep theirs.
  const Array turned = u * expand_dims(where(apply("equal", {signs, 0}), 1, signs), {-2});
  const Array rows = matrix_transpose(turned);
  return {u, s, functions::is_complex(a.dtype()) ? apply("conj", {rows}) : rows};
}

Array svdvals_hermitian(const Array& a) {
  return sort(apply("absolute", {eigvalsh(a)}), -1, {.descending = true});
}

Array pinv(const Array& a, const std::optional<Array>& rtol, bool hermitian) {
  check_stack(a);
  if (a.size() == 0) {
    Shape shape = a.shape();
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return empty(a.queue(), shape, functions::as_float(a).dtype());
  }
  const Array values = functions::is_complex(a.dtype()) ? apply("conj", {a}) : a;
  const Svd parts = hermitian ? svd_hermitian(values) : svd(values, false);
  const Array largest = max(parts.s, {.over = -1, .keepdims = true});
  const Array bound = rtol ? largest * with_axis(*rtol) : apply("multiply", {largest, 1e-15});
  const Array is_large = apply("greater", {parts.s, bound});
  const Array inverse = where(is_large, apply("divide", {1.0, where(is_large, parts.s, 1.0)}), 0.0);
  return matmul(matrix_transpose(parts.vh), with_axis(inverse) * matrix_transpose(parts.u));
}

Array matrix_rank(const Array& a, const std::optional<Array>& tol, const std::optional<Array>& rtol,
                  bool hermitian) {
  if (a.shape().size() < 2) return astype(any(apply("not_equal", {a, 0})), DType::of(Scalar::int64));
  if (tol && rtol) functions::value_error("`tol` and `rtol` can't be both set.");
  const Array s = hermitian ? svdvals_hermitian(a) : svdvals(a);
  if (s.shape().back() == 0) return zeros(a.queue(), stack_of(a), DType::of(Scalar::int64));
  const Array largest = max(s, {.over = -1, .keepdims = true});
  const Array bound =
      tol    ? with_axis(*tol)
      : rtol ? largest * with_axis(*rtol)
             : apply("multiply", {largest, precision_of(s) * static_cast<double>(larger_dimension(a))});
  return count_nonzero(apply("greater", {s, bound}), {.over = -1});
}

Array cond(const Array& a, std::optional<MatrixNorm> norm) {
  check_stack(a);
  if (a.shape().end()[-1] == 0 || a.shape().end()[-2] == 0)
    throw LinAlgError("cond is not defined on empty arrays");
  std::optional<Array> result;
  const Array x = functions::as_float(a);
  if (!norm || *norm == MatrixNorm::greatest_singular || *norm == MatrixNorm::least_singular) {
    const Array s = svdvals(x);
    const Array largest = max(s, {.over = -1}), least = min(s, {.over = -1});
    const bool is_inverse = norm && *norm == MatrixNorm::least_singular;
    result = is_inverse ? apply("divide", {least, largest}) : apply("divide", {largest, least});
  } else {
    check_square(x);
    result = matrix_norm(x, *norm) * matrix_norm(inverse_or_nan(x), *norm);
  }
  // A matrix without NaN has an infinite condition number where the division gave NaN.
  const Array has_nan = any(apply("isnan", {x}), {.over = Axes{-2, -1}});
  const Array is_infinite =
      apply("logical_and", {apply("isnan", {*result}), apply("logical_not", {has_nan})});
  return where(is_infinite, std::numeric_limits<double>::infinity(), *result);
}

Array multi_dot(std::span<const Array> arrays) {
  const std::size_t count = arrays.size();
  if (count < 2) functions::value_error("Expecting at least two arrays.");
  std::vector<Array> factors(arrays.begin(), arrays.end());
  const bool is_row = factors.front().shape().size() == 1, is_column = factors.back().shape().size() == 1;
  if (is_row) factors.front() = reshape(factors.front(), {1, -1});
  if (is_column) factors.back() = reshape(factors.back(), {-1, 1});
  for (const Array& factor : factors) {
    if (factor.shape().size() != 2)
      throw LinAlgError(std::to_string(factor.shape().size()) +
                        "-dimensional array given. Array must be two-dimensional");
  }
  // The cheapest order by dynamic programming over ranges of factors.
  std::vector<double> sizes;
  for (const Array& factor : factors) sizes.push_back(static_cast<double>(factor.shape()[0]));
  sizes.push_back(static_cast<double>(factors.back().shape()[1]));
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<std::size_t>> cut(count, std::vector<std::size_t>(count, 0));
  for (std::size_t length = 2; length <= count; ++length) {
    for (std::size_t i = 0; i + length <= count; ++i) {
      const std::size_t j = i + length - 1;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double total = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (total >= cost[i][j]) continue;
        cost[i][j] = total;
        cut[i][j] = k;
      }
    }
  }
  const auto multiply = [&](const auto& self, std::size_t i, std::size_t j) -> Array {
    if (i == j) return factors[i];
    return matmul(self(self, i, cut[i][j]), self(self, cut[i][j] + 1, j));
  };
  const Array result = multiply(multiply, 0, count - 1);
  if (!is_row && !is_column) return result;
  Shape shape;
  if (!is_row) shape.push_back(result.shape()[0]);
  if (!is_column) shape.push_back(result.shape()[1]);
  return reshape(result, shape);
}

Array tensorinv(const Array& a, std::int64_t ind) {
  if (ind <= 0) functions::value_error("Invalid ind argument.");
  const auto middle =
      a.shape().begin() + std::min<std::ptrdiff_t>(ind, static_cast<std::ptrdiff_t>(a.shape().size()));
  Shape shape(middle, a.shape().end());
  shape.insert(shape.end(), a.shape().begin(), middle);
  const std::int64_t rows = product_of(middle, a.shape().end());
  return reshape(inv(reshape(a, {rows, -1})), shape);
}

Array tensorsolve(const Array& a, const Array& b, const std::vector<int>& axes) {
  Array moved = a;
  if (!axes.empty()) {
    Axes to;
    for (std::size_t i = 0; i < axes.size(); ++i)
      to.push_back(static_cast<int>(i) - static_cast<int>(axes.size()));
    moved = moveaxis(a, Axes(axes.begin(), axes.end()), to);
  }
  const std::size_t rank = b.shape().size();
  const auto middle =
      moved.shape().begin() + static_cast<std::ptrdiff_t>(std::min(rank, moved.shape().size()));
  const Shape shape(middle, moved.shape().end());
  const std::int64_t columns = product_of(middle, moved.shape().end());
  if (product_of(moved.shape().begin(), middle) != columns)
    throw LinAlgError(
        "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == "
        "prod(a.shape[:b.ndim])");
  return reshape(solve(reshape(moved, {columns, columns}), reshape(b, {-1})), shape);
}

Array expm(const Array& a) {
  check_square(a);
  const Array x = functions::as_float(a);
  const std::int64_t n = x.shape().back();
  if (x.size() == 0) return x;
  if (n == 1) return apply("exp", {x});
  // Scaling, the Pade approximant of degree 13, and squaring (Higham 2005). The bound on the norm is the
  // largest for which the approximant has full double precision.
  constexpr double kBound = 5.371920351148152;
  constexpr double b[] = {64764752532480000.,
                          32382376266240000.,
                          7771770303897600.,
                          1187353796428800.,
                          129060195264000.,
                          10559470521600.,
                          670442572800.,
                          33522128640.,
                          1323241920.,
                          40840800.,
                          960960.,
                          16380.,
                          182.,
                          1.};
  const Array norms = reshape(matrix_norm(x, MatrixNorm::greatest_column), {-1});
  std::vector<double> steps;
  double most = 0;
  for (const double norm : functions::doubles_of(norms)) {
    const double needed = std::isfinite(norm) && norm > kBound ? std::ceil(std::log2(norm / kBound)) : 0;
    steps.push_back(needed);
    most = std::max(most, needed);
  }
  const Queue queue = x.queue();
  const Shape one_each = joined(stack_of(x), {1, 1});
  const auto spread = [&](const std::vector<double>& values) {
    const std::vector<float> single(values.begin(), values.end());
    return reshape(asarray(queue, single), one_each);
  };
  const Array squarings = spread(steps);
  Array scaled = x;
  if (most > 0) {
    // Powers of two, exact in single precision unless they exceed its range.
    const Array half = astype(
        squarings, functions::as_float(functions::is_complex(x.dtype()) ? apply("real", {x}) : x).dtype());
    scaled = x * apply("exp2", {apply("negative", {half})});
  }
  const Array identity = eye(queue, n, n, x.dtype());
  const Array a2 = matmul(scaled, scaled), a4 = matmul(a2, a2), a6 = matmul(a4, a2);
  const auto sum4 = [&](double c6, double c4, double c2, double c0) {
    return a6 * c6 + a4 * c4 + a2 * c2 + identity * c0;
  };
  const Array high_u = a6 * b[13] + a4 * b[11] + a2 * b[9];
  const Array u = matmul(scaled, matmul(a6, high_u) + sum4(b[7], b[5], b[3], b[1]));
  const Array high_v = a6 * b[12] + a4 * b[10] + a2 * b[8];
  const Array v = matmul(a6, high_v) + sum4(b[6], b[4], b[2], b[0]);
  Array result = solve(v - u, v + u);
  for (double step = 0; step < most; ++step)
    result = where(apply("greater", {squarings, step}), matmul(result, result), result);
  return result;
}

}  // namespace quern::linalg
