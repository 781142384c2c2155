// SPDX-License-Identifier: MIT
// Sums, products, powers and adjoints of linear operators, and norms of matrices.
#include <string>

#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/sparse/linalg.hpp"
#include "quern/views.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

std::string text_of(const LinearOperator& a) {
  return "(" + std::to_string(a.size().rows) + ", " + std::to_string(a.size().columns) + ")";
}

Array conjugated(const Array& x) {
  return is_complex(x.dtype()) ? apply("conj", {x}) : x;
}

LinearOperator sum_of(const LinearOperator& a, const LinearOperator& b, const char* operation) {
  if (!(a.size() == b.size()))
    value_error("operators of shapes " + text_of(a) + " and " + text_of(b) + " cannot be added");
  LinearOperator::Apply adjoint;
  if (a.has_adjoint() && b.has_adjoint())
    adjoint = [a, b, operation](const Array& x) { return apply(operation, {a.adjoint(x), b.adjoint(x)}); };
  return {a.size(), result_type(a.dtype(), b.dtype()),
          [a, b, operation](const Array& x) {
            return apply(operation, {a(x), b(x)});
          },
          adjoint};
}

}  // namespace

LinearOperator LinearOperator::of(const Array& matrix) {
  if (matrix.shape().size() != 2) value_error("an operator needs a matrix of two dimensions");
  return {{matrix.shape()[0], matrix.shape()[1]},
          matrix.dtype(),
          [matrix](const Array& x) { return matmul(matrix, x); },
          [matrix](const Array& x) { return matmul(conjugated(matrix_transpose(matrix)), x); }};
}

LinearOperator operator+(const LinearOperator& a, const LinearOperator& b) {
  return sum_of(a, b, "add");
}
LinearOperator operator-(const LinearOperator& a, const LinearOperator& b) {
  return sum_of(a, b, "subtract");
}

LinearOperator operator*(const LinearOperator& a, const LinearOperator& b) {
  if (a.size().columns != b.size().rows)
    value_error("operators of shapes " + text_of(a) + " and " + text_of(b) + " cannot be multiplied");
  LinearOperator::Apply adjoint;
  if (a.has_adjoint() && b.has_adjoint())
    adjoint = [a, b](const Array& x) { return b.adjoint(a.adjoint(x)); };
  return {{a.size().rows, b.size().columns},
          result_type(a.dtype(), b.dtype()),
          [a, b](const Array& x) { return a(b(x)); },
          adjoint};
}

LinearOperator operator*(const Number& factor, const LinearOperator& a) {
  const bool turns_complex = factor.kind() == Number::Kind::complex && !is_complex(a.dtype());
  DType dtype = a.dtype();
  if (turns_complex)
    dtype = DType::of(dtype.scalar == Scalar::float32 ? Scalar::complex64 : Scalar::complex128);
  LinearOperator::Apply adjoint;
  if (a.has_adjoint())
    adjoint = [a, factor](const Array& x) { return conjugated(conjugated(a.adjoint(x)) * factor); };
  return {a.size(), dtype, [a, factor](const Array& x) { return a(x) * factor; }, adjoint};
}

LinearOperator power(const LinearOperator& a, std::int64_t n) {
  if (a.size().rows != a.size().columns)
    value_error("only square operators have powers, got the shape " + text_of(a));
  if (n < 0) value_error("the power of an operator must be at least 0, got " + std::to_string(n));
  const auto repeated = [a, n](Array x, auto&& once) {
    for (std::int64_t k = 0; k < n; ++k) x = once(x);
    return x;
  };
  LinearOperator::Apply adjoint;
  if (a.has_adjoint())
    adjoint = [a, repeated](const Array& x) {
      return repeated(x, [&a](const Array& y) { return a.adjoint(y); });
    };
  return {a.size(), a.dtype(), [a, repeated](const Array& x) { return repeated(x, a); }, adjoint};
}

LinearOperator adjoint_of(const LinearOperator& a) {
  return {{a.size().columns, a.size().rows},
          a.dtype(),
          [a](const Array& x) { return a.adjoint(x); },
          [a](const Array& x) { return a(x); }};
}

LinearOperator transpose_of(const LinearOperator& a) {
  return {{a.size().columns, a.size().rows},
          a.dtype(),
          [a](const Array& x) { return conjugated(a.adjoint(conjugated(x))); },
          [a](const Array& x) { return conjugated(a(conjugated(x))); }};
}

Array norm(const Csr& matrix, MatrixNorm norm) {
  const Csr whole = sum_duplicates(matrix);
  const Csr sizes = whole.with_data(apply("absolute", {whole.data()}));
  switch (norm) {
    case MatrixNorm::frobenius:
      return apply("sqrt", {sum(sizes.data() * sizes.data())});
    case MatrixNorm::greatest_column:
      return max(column_sums(sizes));
    case MatrixNorm::least_column:
      return min(column_sums(sizes));
    case MatrixNorm::greatest_row:
      return max(row_sums(sizes));
    case MatrixNorm::least_row:
      return min(row_sums(sizes));
    case MatrixNorm::greatest_singular:
      return reshape(svds(whole, {.count = 1}).s, {});
    default:
      value_error("norm: this norm needs all singular values; use matrix_norm(dense_of(matrix), ...)");
  }
}

}  // namespace quern::sparse
