// SPDX-License-Identifier: MIT
// Singular values: a space that contains the wanted vectors, and the singular value decomposition on it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/linalg.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/views.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

Array adjoint_of(const Array& x) {
  const Array transposed = matrix_transpose(x);
  return is_complex(x.dtype()) ? apply("conj", {transposed}) : transposed;
}

Array column(const Array& x, std::int64_t k) {
  return copy(view(x, {Index::slice(), Index(k)}));
}

// The parts of the eigenvectors of (0 A; A^H 0) on the shorter side, and random vectors beside them: values
// that are too small for A^H A, or zero, are found in this space.
Array augmented_space(const LinearOperator& a, bool is_wide, EigenOptions options, const DType& dtype) {
  const std::int64_t rows = a.size().rows, columns = a.size().columns, n = std::min(rows, columns);
  const LinearOperator both({rows + columns, rows + columns}, dtype, [&](const Array& x) {
    const Array left = copy(view(x, {Index::slice(0, rows)})), right = copy(view(x, {Index::slice(rows)}));
    return concat(std::vector<Array>{a(right), a.adjoint(left)}, 0);
  });
  const Queue queue = options.v0->queue();
  options.which = Which::largest;
  options.v0 = random_vector(queue, rows + columns, dtype, nullptr, 23);
  // Small values are in the middle of this spectrum, where more vectors tell them apart.
  options.basis = std::max(options.basis.value_or(0), 4 * options.count + 20);
  const Array vectors = eigsh(both, options).vectors;
  std::vector<Array> parts;
  for (std::int64_t k = 0; k < options.count; ++k) {
    const Array whole = column(vectors, k);
    parts.push_back(view(whole, {is_wide ? Index::slice(0, rows) : Index::slice(rows)}));
  }
  for (std::int64_t k = options.count; k < std::min(n, 2 * options.count); ++k)
    parts.push_back(random_vector(queue, n, dtype, nullptr, 24 + static_cast<std::uint64_t>(k)));
  return linalg::qr(stack(parts, 1)).q;
}

// An estimate of the norm of an operator, at least half of it for almost all first vectors.
double norm_of(const LinearOperator& a, Array x) {
  double norm = 0;
  for (int k = 0; k < 6; ++k) {
    const Array image = a(x);
    norm = read_norm(image) / std::max(read_norm(x), std::numeric_limits<double>::min());
    if (norm == 0) break;
    x = a.adjoint(image);
    x = x / Number(read_norm(x));
  }
  return norm;
}

// x without its components along these orthonormal vectors, of length 1.
Array beside(Array x, const std::vector<Array>& known) {
  for (int pass = 0; pass < 2; ++pass)
    for (const Array& one : known) x = x - one * dot_of(one, x);
  return x / Number(std::max(read_norm(x), std::numeric_limits<double>::min()));
}

// Of values that are zero, the images of the right vectors are rounding errors, and what belongs to them on
// the left is a vector that the adjoint maps to zero: what least squares leave of a random vector.
std::vector<Array> left_null_vectors(const LinearOperator& a, const Queue& queue,
                                     const std::vector<Array>& known, std::int64_t count, double norm,
                                     double precision) {
  const std::int64_t rows = a.size().rows;
  std::vector<Array> all = known, result;
  LeastSquaresOptions options;
  options.atol = options.btol = precision;
  options.conlim = 0.1 / precision;
  options.maxiter = 10 * std::min(rows, a.size().columns) + 100;
  for (std::int64_t k = 0; k < count; ++k) {
    Array x = beside(random_vector(queue, rows, a.dtype(), nullptr, 40 + static_cast<std::uint64_t>(k)), all);
    for (int pass = 0; pass < 3; ++pass) {
      if (read_norm(a.adjoint(x)) <= 10 * static_cast<double>(rows) * precision * norm) break;
      x = beside(x - a(lsqr(a, x, options).x), all);
    }
    if (!(read_norm(a.adjoint(x)) <= std::sqrt(precision) * norm))
      throw NoConvergence("no left vector was found for a singular value that is zero",
                          {empty(queue, {0}, a.dtype()), empty(queue, {rows, 0}, a.dtype())});
    all.push_back(x);
    result.push_back(x);
  }
  return result;
}

}  // namespace

Singular svds(const LinearOperator& a, const EigenOptions& options) {
  const bool is_wide = a.size().columns > a.size().rows;
  const std::int64_t n = std::min(a.size().rows, a.size().columns);
  const DType dtype = solver_type(a.dtype(), a.dtype());
  const LinearOperator gram({n, n}, dtype,
                            [&](const Array& x) { return is_wide ? a(a.adjoint(x)) : a.adjoint(a(x)); });
  EigenOptions inner = options;
  inner.which = options.which == Which::smallest_magnitude ? Which::smallest : Which::largest;
  if (!inner.v0) {
    if (a.matrix() == nullptr)
      value_error("svds: an operator that is not a matrix needs v0, whose device it runs on");
    inner.v0 = random_vector(a.matrix()->queue(), n, dtype, nullptr, 22);
  }
  const Eigen found = eigsh(gram, inner);
  const std::vector<double> squares = host_values<double>(found.values);
  const bool is_single = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::complex64;
  const double precision =
      is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  // Rounding of A^H A hides the squares of small values.
  const bool is_hidden = inner.which == Which::largest && squares.front() <= 1e3 * precision * squares.back();
  const Array space = is_hidden ? augmented_space(a, is_wide, inner, dtype) : found.vectors;
  std::vector<Array> images;
  for (std::int64_t k = 0; k < space.shape()[1]; ++k)
    images.push_back(is_wide ? a.adjoint(column(space, k)) : a(column(space, k)));
  // The images are not orthogonal, as far as they are small: their own decomposition makes them so.
  const linalg::Qr images_qr = linalg::qr(stack(images, 1));
  const linalg::Svd small = linalg::svd(images_qr.r, false);
  // Descending values, of which the first are wanted, or the last if all are.
  const Index ascending = Index::slice(options.count - 1, std::nullopt, -1);
  const Array s = copy(view(small.s, {ascending}));
  Array longer = copy(view(matmul(images_qr.q, small.u), {Index::slice(), ascending}));
  const Array shorter = copy(view(matmul(space, adjoint_of(small.vh)), {Index::slice(), ascending}));
  compute({s, longer, shorter});
  const std::vector<double> values = host_values<double>(s);
  const LinearOperator tall(
      {std::max(a.size().rows, a.size().columns), n}, dtype,
      [&](const Array& x) { return is_wide ? a.adjoint(x) : a(x); },
      [&](const Array& x) { return is_wide ? a(x) : a.adjoint(x); });
  const bool has_greatest = inner.which == Which::largest;
  const double norm = has_greatest ? values.back() : std::max(values.back(), norm_of(tall, *inner.v0));
  const double least = static_cast<double>(tall.size().rows) * precision * norm;
  const std::int64_t missing =
      std::count_if(values.begin(), values.end(), [&](double value) { return value <= least; });
  if (missing != 0) {
    // The values increase.
    std::vector<Array> known;
    for (std::int64_t k = missing; k < options.count; ++k) known.push_back(column(longer, k));
    std::vector<Array> vectors = left_null_vectors(tall, longer.queue(), known, missing, norm, precision);
    vectors.insert(vectors.end(), known.begin(), known.end());
    longer = copy(stack(vectors, 1));
    longer.evaluate();
  }
  if (!is_wide) return {longer, s, copy(adjoint_of(shorter))};
  return {shorter, s, copy(adjoint_of(longer))};
}

}  // namespace quern::sparse
