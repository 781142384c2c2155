// SPDX-License-Identifier: MIT
// Eigenvalues by the Lanczos method with thick restarts, and singular values by those of A^H A.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/random.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// A small symmetric matrix on the host, row by row.
struct Small {
  std::size_t size;
  std::vector<double> values;
  explicit Small(std::size_t n) : size(n), values(n * n) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * size + j]; }
};

// Jacobi's method: the matrix becomes diagonal, `vectors` has the eigenvectors as columns.
void diagonalise(Small& matrix, Small& vectors) {
  const std::size_t n = matrix.size;
  for (std::size_t i = 0; i < n; ++i) vectors(i, i) = 1;
  constexpr int kSweeps = 60;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? all : off) += matrix(i, j) * matrix(i, j);
    if (off <= 1e-34 * (all + off)) return;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (matrix(p, q) == 0) continue;
        const double theta = (matrix(q, q) - matrix(p, p)) / (2 * matrix(p, q));
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto rotate = [c, s](double& first, double& second) {
          const double before = first;
          first = c * before - s * second;
          second = s * before + c * second;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(matrix(k, p), matrix(k, q));
        for (std::size_t k = 0; k < n; ++k) rotate(matrix(p, k), matrix(q, k));
        for (std::size_t k = 0; k < n; ++k) rotate(vectors(k, p), vectors(k, q));
      }
    }
  }
}

// Eigenvalues in the order of preference.
std::vector<std::size_t> preferred(Small& values, Which which) {
  std::vector<std::size_t> order(values.size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const double value = values(i, i);
    switch (which) {
      case Which::largest_magnitude:
        return -std::abs(value);
      case Which::smallest_magnitude:
        return std::abs(value);
      case Which::largest:
        return -value;
      default:
        return value;
    }
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  return order;
}

// A random vector without the components along the rows of `known`, of length 1.
Array new_vector(const Queue& queue, std::int64_t n, const DType& dtype, const Array* known,
                 std::uint64_t seed) {
  const Array drawn =
      random::Generator(seed).draw(queue, {n}, DType::of(Scalar::float32), random::Uniform{-1, 1});
  Array v = quern::astype(drawn, dtype);
  for (int pass = 0; known != nullptr && pass < 2; ++pass) {
    const Array adjoint = is_complex(dtype) ? apply("conj", {*known}) : *known;
    v = v - matmul(matmul(adjoint, v), *known);
  }
  return v / quern::astype(apply("sqrt", {real_dot(v, v)}), dtype);
}

}  // namespace

Eigen eigsh(const LinearOperator& a, const EigenOptions& options) {
  check_square("eigsh", a);
  const std::int64_t n = a.size().rows, count = options.count;
  if (count < 1 || count >= n)
    value_error("eigsh: k must be at least 1 and less than " + std::to_string(n) + ", got " +
                std::to_string(count));
  const DType dtype = solver_type(a.dtype(), a.dtype());
  const auto basis_size =
      std::clamp(options.basis.value_or(std::max<std::int64_t>(2 * count + 1, 20)), count + 1, n);
  if (!options.v0 && a.matrix() == nullptr)
    value_error("eigsh: an operator that is not a matrix needs v0, whose device it runs on");
  const Queue queue = options.v0 ? options.v0->queue() : a.matrix()->queue();
  const bool is_single = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::complex64;
  const double precision =
      is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double tolerance = options.tol > 0 ? options.tol : precision * (is_single ? 8 : 64);
  const Array basis = zeros(queue, {basis_size + 1, n}, dtype);
  const Array table = zeros(queue, {basis_size, basis_size + 1}, dtype);
  const Array start =
      options.v0 ? first_guess(options.v0, n, dtype, queue) : new_vector(queue, n, dtype, nullptr, 20);
  const double length = read_norm(start);
  if (!(length > 0)) value_error("eigsh: v0 must not be zero");
  assign(view(basis, {Index(0)}), start / length);

  const auto m = static_cast<std::size_t>(basis_size), width = m + 1;
  std::vector<double> kept;   // eigenvalues of the vectors that a restart keeps
  std::vector<double> found;  // eigenvalues that converged once
  const std::int64_t most = options.maxiter.value_or(10 * n);
  for (std::int64_t cycle = 0; cycle < most; ++cycle) {
    assign(table, 0);
    for (auto j = static_cast<std::int64_t>(kept.size()); j < basis_size; ++j)
      extend_basis(basis, table, j, a(view(basis, {Index(j)})));
    const std::vector<double> read = host_values<double>(table);
    double scale = 0;
    for (const double value : read) {
      if (!std::isfinite(value)) throw Error("eigsh: the operator returned a number that is not finite");
      scale = std::max(scale, std::abs(value));
    }
    for (const double value : kept) scale = std::max(scale, std::abs(value));
    // A vanishing length: the vectors before span an invariant space.
    std::size_t used = m;
    for (std::size_t j = kept.size(); j < m; ++j) {
      if (read[j * width + j + 1] > precision * scale * 16) continue;
      used = j + 1;
      break;
    }
    Small values(used), vectors(used);
    for (std::size_t i = 0; i < kept.size(); ++i) values(i, i) = kept[i];
    for (std::size_t j = kept.size(); j < used; ++j)
      for (std::size_t i = 0; i <= j; ++i) values(i, j) = values(j, i) = read[j * width + i];
    const double last = used < m ? 0 : read[(m - 1) * width + m];
    diagonalise(values, vectors);
    const std::vector<std::size_t> order = preferred(values, options.which);
    const auto wanted = static_cast<std::size_t>(count);
    std::size_t converged = 0;
    for (std::size_t k = 0; k < std::min(wanted, used); ++k) {
      const double residual = std::abs(last * vectors(used - 1, order[k]));
      const double size = std::max(std::abs(values(order[k], order[k])), scale * std::sqrt(precision) * 1e-2);
      converged += residual <= tolerance * size ? 1 : 0;
    }
    const bool is_done = used >= wanted && converged == wanted;
    const std::size_t keep = is_done ? wanted
                             : used < m
                                 ? used
                                 : std::min(wanted + std::max<std::size_t>((m - wanted) / 2, 1), m - 1);
    std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep));
    if (is_done)
      std::sort(chosen.begin(), chosen.end(),
                [&](std::size_t i, std::size_t j) { return values(i, i) < values(j, j); });
    std::vector<double> mix;
    kept.clear();
    for (const std::size_t k : chosen) {
      kept.push_back(values(k, k));
      for (std::size_t i = 0; i < used; ++i) mix.push_back(vectors(i, k));
    }
    const Shape mix_shape = {static_cast<std::int64_t>(keep), static_cast<std::int64_t>(used)};
    const Array ritz = matmul(device_values(queue, mix, mix_shape, dtype),
                              view(basis, {Index::slice(0, static_cast<std::int64_t>(used))}));
    ritz.evaluate();
    // One start vector finds an eigenvalue once, however often it occurs. So the search goes on with a new
    // vector, orthogonal to those that were found, until it finds nothing better.
    bool is_same = is_done && found.size() == kept.size();
    for (std::size_t k = 0; is_same && k < kept.size(); ++k)
      is_same = std::abs(found[k] - kept[k]) <= 16 * tolerance * scale;
    const bool spans_all = static_cast<std::int64_t>(used) == n;
    if (is_done && (is_same || spans_all || cycle + 1 == most)) {
      const DType real = is_single ? DType::of(Scalar::float32) : DType::of(Scalar::float64);
      const Array columns = copy(matrix_transpose(ritz));
      columns.evaluate();
      return {device_values(queue, kept, {count}, real), columns};
    }
    const auto next = static_cast<std::int64_t>(keep);
    if (is_done) found = kept;
    const Array vector = used < m || is_done
                             ? new_vector(queue, n, dtype, &ritz, 21 + static_cast<std::uint64_t>(cycle))
                             : copy(view(basis, {Index(basis_size)}));
    vector.evaluate();
    assign(view(basis, {Index::slice(0, next)}), ritz);
    assign(view(basis, {Index(next)}), vector);
  }
  throw Error("eigsh: no convergence after " + std::to_string(most) +
              " restarts; raise maxiter or ncv, or lower the precision by tol=");
}

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
    inner.v0 = new_vector(a.matrix()->queue(), n, dtype, nullptr, 22);
  }
  const Eigen found = eigsh(gram, inner);
  const Array s = apply("sqrt", {apply("maximum", {found.values, 0})});
  s.evaluate();
  const Queue queue = s.queue();
  // The other vectors: A v / s, or A^H u / s.
  std::vector<Array> others;
  for (std::int64_t k = 0; k < options.count; ++k) {
    const Array vector = copy(view(found.vectors, {Index::slice(), Index(k)}));
    const Array image = is_wide ? a.adjoint(vector) : a(vector);
    const Array scale = quern::astype(view(s, {Index(k)}), dtype);
    others.push_back(image * safe_ratio(full(queue, {}, 1, dtype), scale));
  }
  const Array rows = stack(others, 0);
  const auto adjoint = [&](const Array& x) {
    const Array turned = matrix_transpose(x);
    return copy(is_complex(dtype) ? apply("conj", {turned}) : turned);
  };
  if (!is_wide) return {copy(matrix_transpose(rows)), s, adjoint(found.vectors)};
  return {found.vectors, s, is_complex(dtype) ? apply("conj", {rows}) : rows};
}

}  // namespace quern::sparse
