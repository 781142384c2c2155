// SPDX-License-Identifier: MIT
// What the iterative solvers share, and linear operators.
#include "sparse/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "quern/arithmetic.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

double sum_of(const std::byte* bytes, std::size_t size, const DType& dtype) {
  const std::size_t count = size / dtype.itemsize;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const at = bytes + i * dtype.itemsize;
    if (dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::complex64) {
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      sum += static_cast<double>(value);
    } else {
      double value = 0;
      std::memcpy(&value, at, sizeof value);
      sum += value;
    }
  }
  return sum;
}

}  // namespace

LinearOperator::LinearOperator(const Csr& matrix)
    : size_(matrix.size()), dtype_(matrix.dtype()), matrix_(matrix) {
  apply_ = [matrix](const Array& x) { return multiply(matrix, x); };
  struct Kept {
    std::once_flag once;
    std::optional<Csr> adjoint;
  };
  // The operator keeps it, not the matrix: values may change between two operators of one matrix.
  adjoint_ = [matrix, kept = std::make_shared<Kept>()](const Array& x) {
    std::call_once(kept->once, [&] {
      const Csr other = matrix.transposed(false);
      kept->adjoint = is_complex(matrix.dtype()) ? other.with_data(apply("conj", {other.data()})) : other;
    });
    return multiply(*kept->adjoint, x);
  };
}

LinearOperator::LinearOperator(Size size, DType dtype, Apply apply, Apply adjoint)
    : size_(size), dtype_(std::move(dtype)), apply_(std::move(apply)), adjoint_(std::move(adjoint)) {}

Array LinearOperator::operator()(const Array& x) const {
  Array result = apply_(x);
  if (static_cast<std::int64_t>(result.size()) != size_.rows)
    value_error("a linear operator of " + std::to_string(size_.rows) + " rows returned " +
                std::to_string(result.size()) + " elements");
  return result.shape().size() == 1 ? result : reshape(result, {-1});
}

Array LinearOperator::adjoint(const Array& x) const {
  if (!adjoint_) value_error("the method needs the adjoint of the operator (rmatvec), which is not known");
  Array result = adjoint_(x);
  if (static_cast<std::int64_t>(result.size()) != size_.columns)
    value_error("the adjoint of a linear operator of " + std::to_string(size_.columns) +
                " columns returned " + std::to_string(result.size()) + " elements");
  return result.shape().size() == 1 ? result : reshape(result, {-1});
}

bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}

DType solver_type(const DType& a, const DType& b) {
  const DType common = result_type(value_type(a), value_type(b));
  const bool is_floating = is_complex(common) || common.scalar == Scalar::float32;
  return is_floating ? common : DType::of(Scalar::float64);
}

void check_square(const char* what, const LinearOperator& a) {
  if (a.size().rows != a.size().columns)
    value_error(std::string(what) + ": expected a square operator, got shape (" +
                std::to_string(a.size().rows) + ", " + std::to_string(a.size().columns) + ")");
}

Array right_side(const char* what, const LinearOperator& a, const Array& b, const DType& dtype) {
  const Shape& shape = b.shape();
  if (static_cast<std::int64_t>(b.size()) != a.size().rows || shape.empty() || shape[0] != a.size().rows)
    value_error(std::string(what) + ": the right side must be a vector of " + std::to_string(a.size().rows) +
                " elements");
  return vector_of(reshape(b, {-1}), dtype);
}

Array first_guess(const std::optional<Array>& x0, std::int64_t count, const DType& dtype,
                  const Queue& queue) {
  if (!x0) return zeros(queue, {count}, dtype);
  if (static_cast<std::int64_t>(x0->size()) != count)
    value_error("x0 must be a vector of " + std::to_string(count) + " elements");
  const Array given = quern::astype(reshape(*x0, {-1}), dtype);
  Array result = empty(queue, {count}, dtype);
  assign(result, given);
  return result;
}

Array dot_of(const Array& a, const Array& b) {
  if (!is_complex(a.dtype())) return sum(a * b);
  return sum(apply("conj", {a}) * b);
}

Array real_dot(const Array& a, const Array& b) {
  const Array product = dot_of(a, b);
  return is_complex(product.dtype()) ? apply("real", {product}) : product;
}

Array safe_ratio(const Array& a, const Array& b) {
  const Array is_zero = apply("equal", {b, 0});
  // The other branch divides by 1 where b is 0, so that no infinity appears.
  return where(is_zero, zeros(a.queue(), {}, a.dtype()),
               a / where(is_zero, full(b.queue(), {}, 1, b.dtype()), b));
}

void compute(std::initializer_list<Array> arrays) {
  const std::vector<Array> list(arrays);
  evaluate(std::span<const Array>(list));
}

void extend_basis(const Array& basis, const Array& table, std::int64_t j, const Array& w) {
  const DType& dtype = basis.dtype();
  const Array known = view(basis, {Index::slice(0, j + 1)});
  const Array adjoint = is_complex(dtype) ? apply("conj", {known}) : known;
  // Orthogonalised twice, which is as stable as one vector after the other.
  const Array first = matmul(adjoint, w);
  Array rest = w - matmul(first, known);
  const Array second = matmul(adjoint, rest);
  rest = rest - matmul(second, known);
  compute({rest});
  const Array length = quern::astype(apply("sqrt", {real_dot(rest, rest)}), dtype);
  assign(view(basis, {Index(j + 1)}), rest * safe_ratio(full(w.queue(), {}, 1, dtype), length));
  assign(view(table, {Index(j), Index::slice(0, j + 1)}), first + second);
  assign(view(table, {Index(j), Index(j + 1)}), length);
}

double read_sum(const Array& parts) {
  const Array values = as_contiguous(parts);
  values.evaluate();
  std::vector<std::byte> bytes(values.nbytes());
  const Queue queue = values.queue();
  values.wait_for_elements(queue);
  values.get(queue, bytes.data()).wait();
  return sum_of(bytes.data(), bytes.size(), values.dtype());
}

double read_norm(const Array& x) {
  if (x.size() == 0) return 0;
  const bool is_single = x.dtype().scalar == Scalar::float32 || x.dtype().scalar == Scalar::complex64;
  const double squared = read_sum(real_dot(x, x)), least = is_single ? 1e-30 : 1e-290;
  if (std::isfinite(squared) && squared > least) return std::sqrt(squared);
  // Squares overflow or underflow where the norm does not.
  const double largest = read_sum(max(apply("absolute", {x})));
  if (!std::isfinite(largest) || largest == 0) return largest;
  const Array scaled = x / largest;
  return largest * std::sqrt(read_sum(real_dot(scaled, scaled)));
}

std::optional<double> DeferredSums::submit(const Array& parts) {
  std::optional<double> result;
  if (pending_) {
    pending_->done.wait();
    result = sum_of(pending_->bytes->data(), pending_->bytes->size(), pending_->dtype);
  }
  parts.evaluate();
  auto bytes = std::make_shared<std::vector<std::byte>>(parts.nbytes());
  Event done = parts.get(queue_, bytes->data(), {}, bytes);
  pending_ = Reading{std::move(bytes), parts.dtype(), std::move(done)};
  return result;
}

Progress::Progress(const LinearOperator& a, const Array& b, const SolveOptions& options, std::int64_t most)
    : a_(a),
      b_(b),
      options_(options),
      most_(options.maxiter.value_or(most)),
      every_(std::max<std::int64_t>(options.check_every, 1)) {
  const double norm = read_norm(b);
  tolerance_ = std::max(options.rtol * norm, options.atol);
  is_zero_ = norm == 0;
}

double Progress::residual(const Array& x) const {
  return read_norm(b_ - a_(x));
}

Solution Progress::solution(const Array& x, std::int64_t iterations) const {
  const double left = residual(x);
  // An infinite right side makes the tolerance infinite, too.
  const bool is_solved = std::isfinite(left) && left <= tolerance_;
  return {x, is_solved ? 0 : std::max<std::int64_t>(iterations, 1), iterations, left};
}

}  // namespace quern::sparse
