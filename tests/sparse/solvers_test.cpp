// SPDX-License-Identifier: MIT
// Solvers from C++: operators that are functions, options, results.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/sparse/linalg.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace sparse;

class SparseSolvers : public EachDevice {
 protected:
  // 2 on the diagonal, -1 beside it.
  Csr matrix(std::int64_t n) {
    const Csr beside = elementwise("add", sparse::eye(queue_, {n, n}, 1), sparse::eye(queue_, {n, n}, -1));
    const Csr twice = sparse::eye(queue_, {n, n});
    return elementwise("subtract", twice.with_data(twice.data() * 2), beside);
  }
  void check(const Csr& a, const Solution& solution, const Array& b, double tolerance) {
    EXPECT_EQ(solution.info, 0);
    const std::vector<double> left = (b - multiply(a, solution.x)).to_vector<double>(queue_);
    double sum = 0;
    for (const double value : left) sum += value * value;
    EXPECT_LE(std::sqrt(sum), tolerance);
  }
};

TEST_P(SparseSolvers, solve_to_the_tolerance) {
  const Csr a = matrix(50);
  const Array b = full(queue_, {50}, 1, dtype_of<double>());
  const SolveOptions options{.rtol = 1e-9};
  const double tolerance = 1e-9 * std::sqrt(50.0) * 1.001;
  check(a, cg(a, b, options), b, tolerance);
  check(a, bicgstab(a, b, options), b, tolerance);
  check(a, gmres(a, b, 25, options), b, tolerance);
  check(a, minres(a, b, 0, options), b, tolerance);
}

TEST_P(SparseSolvers, take_functions) {
  const Csr a = matrix(20);
  const Array b = full(queue_, {20}, 1, dtype_of<double>());
  const LinearOperator same(a.size(), a.dtype(), [&](const Array& x) { return multiply(a, x); });
  SolveOptions options{.rtol = 1e-9};
  options.preconditioner = jacobi(a);
  int calls = 0;
  options.callback = [&](const Array&) { ++calls; };
  const Solution solution = cg(same, b, options);
  check(a, solution, b, 1e-8);
  EXPECT_EQ(calls, solution.iterations);
  EXPECT_FALSE(same.has_adjoint());
  EXPECT_TRUE(LinearOperator(a).has_adjoint());
  EXPECT_THROW(static_cast<void>(same.adjoint(b)), ArgumentError);
}

TEST_P(SparseSolvers, solve_triangles) {
  const Csr lower = sparse::tril(matrix(30));
  const Array b = full(queue_, {30}, 1, dtype_of<double>());
  const Array x = Triangle(lower, true).solve(b);
  for (const double value : multiply(lower, x).to_vector<double>(queue_)) EXPECT_NEAR(value, 1, 1e-12);
  EXPECT_THROW(Triangle(Csr(queue_, {3, 3}, dtype_of<double>()), true), ArgumentError);
}

TEST_P(SparseSolvers, find_eigenvalues) {
  const Eigen found = eigsh(matrix(40), {.count = 3});
  const std::vector<double> values = found.values.to_vector<double>(queue_);
  const double pi = std::acos(-1.0);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(values[static_cast<std::size_t>(2 - k)], 2 - 2 * std::cos((40 - k) * pi / 41), 1e-9);
}

TEST_P(SparseSolvers, find_eigenvalues_from_both_ends) {
  const Eigen found = eigsh(matrix(40), {.count = 3, .which = Which::both_ends});
  const std::vector<double> values = found.values.to_vector<double>(queue_);
  const double pi = std::acos(-1.0);
  const int places[] = {1, 39, 40};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(values[k], 2 - 2 * std::cos(places[k] * pi / 41), 1e-9);
  const Array rest = multiply(matrix(40), found.vectors) - found.vectors * found.values;
  for (const double value : rest.to_vector<double>(queue_)) EXPECT_NEAR(value, 0, 1e-9);
}

TEST_P(SparseSolvers, find_singular_values) {
  const Csr a = matrix(30);
  const Singular found = svds(a, {.count = 2});
  const std::vector<double> s = found.s.to_vector<double>(queue_);
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(s[1], 2 - 2 * std::cos(30 * pi / 31), 1e-9);
  const Array rest =
      matmul(found.u * found.s, found.vh) - multiply(a, matmul(matrix_transpose(found.vh), found.vh));
  for (const double value : rest.to_vector<double>(queue_)) EXPECT_NEAR(value, 0, 1e-9);
  EXPECT_NEAR(norm(a, MatrixNorm::greatest_singular).to_vector<double>(queue_)[0], s[1], 1e-9);
  EXPECT_NEAR(norm(a, MatrixNorm::greatest_row).to_vector<double>(queue_)[0], 4, 1e-12);
  EXPECT_NEAR(norm(a).to_vector<double>(queue_)[0], std::sqrt(30 * 4.0 + 58), 1e-12);
}

TEST_P(SparseSolvers, take_every_preconditioner) {
  const Csr a = matrix(64);
  const Array b = full(queue_, {64}, 1, dtype_of<double>());
  for (const LinearOperator& inverse : {jacobi(a), block_jacobi(a, 8), ic0(a), ilu0(a), chebyshev(a)}) {
    SolveOptions options{.rtol = 1e-8};
    options.preconditioner = inverse;
    check(a, cg(a, b, options), b, 8.1e-8);
  }
}

TEST_P(SparseSolvers, take_multigrid_hierarchies) {
  // Linear interpolation from every second point, and the product of the three matrices on the coarse grid.
  constexpr std::int64_t kFine = 63, kCoarse = 31;
  std::vector<double> weights;
  std::vector<std::int32_t> columns, starts = {0};
  for (std::int64_t i = 0; i < kFine; ++i) {
    for (std::int64_t j = (i - 2) / 2; j <= i / 2; ++j) {
      const std::int64_t distance = std::abs(i - (2 * j + 1));
      if (j < 0 || j >= kCoarse || distance > 1) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      weights.push_back(distance == 0 ? 1 : 0.5);
    }
    starts.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const Csr a = matrix(kFine), prolongation({kFine, kCoarse}, asarray(queue_, weights),
                                            asarray(queue_, columns), asarray(queue_, starts));
  const Csr restriction = prolongation.transposed();
  const Csr coarse = multiply(restriction, multiply(a, prolongation));
  const LinearOperator cycle = multigrid({{a, prolongation, restriction}}, linalg::inv(dense_of(coarse)));
  EXPECT_EQ(cycle.size(), a.size());
  const Array b = full(queue_, {kFine}, 1, dtype_of<double>());
  SolveOptions options{.rtol = 1e-9, .check_every = 1};
  const std::int64_t without = cg(a, b, options).iterations;
  options.preconditioner = cycle;
  const Solution solution = cg(a, b, options);
  check(a, solution, b, 1e-8);
  EXPECT_LT(solution.iterations, without);
}

TEST_P(SparseSolvers, report_their_progress) {
  const Csr a = matrix(80);
  const Array b = full(queue_, {80}, 1, dtype_of<double>());
  SolveOptions options{.rtol = 1e-9};
  std::vector<std::int64_t> iterations;
  std::vector<double> residuals;
  options.progress = [&](std::int64_t after, double residual) {
    iterations.push_back(after);
    residuals.push_back(residual);
  };
  const Solution solution = cg(a, b, options);
  ASSERT_GE(iterations.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(iterations[k], static_cast<std::int64_t>(8 * (k + 1)));
  EXPECT_LE(solution.residual, 1e-9 * std::sqrt(80.0));
  options.maxiter = iterations[1];
  EXPECT_NEAR(cg(a, b, options).residual, residuals[1], 1e-9);
}

TEST_P(SparseSolvers, solve_least_squares) {
  const Csr square = matrix(25);
  const Csr a = assemble({50, 25}, {{square, 0, 0}, {sparse::eye(queue_, {25, 25}), 25, 0}});
  const Array b = full(queue_, {50}, 1, dtype_of<double>());
  const LeastSquaresOptions options{.atol = 1e-12, .btol = 1e-12};
  for (const sparse::LeastSquares& found : {lsqr(a, b, options), lsmr(a, b, options)}) {
    const Array rest = multiply(a.transposed(), b - multiply(a, found.x));
    for (const double value : rest.to_vector<double>(queue_)) EXPECT_NEAR(value, 0, 1e-8);
  }
}

TEST_P(SparseSolvers, report_the_true_residual_of_least_squares_and_their_progress) {
  const Csr square = matrix(25);
  const Csr a = assemble({50, 25}, {{square, 0, 0}, {sparse::eye(queue_, {25, 25}), 25, 0}});
  const Array b = full(queue_, {50}, 1, dtype_of<double>());
  const auto norm = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
  };
  for (const double damp : {0.0, 0.5}) {
    for (auto* const method : {&lsqr, &lsmr}) {
      std::vector<std::int64_t> iterations;
      std::vector<double> residuals;
      const LeastSquaresOptions options{.damp = damp,
                                        .atol = 1e-10,
                                        .btol = 1e-10,
                                        .progress = [&](std::int64_t iteration, double residual) {
                                          iterations.push_back(iteration);
                                          residuals.push_back(residual);
                                        }};
      const sparse::LeastSquares found = method(a, b, options);
      EXPECT_EQ(found.istop, 2);
      ASSERT_EQ(iterations.size(), static_cast<std::size_t>(found.iterations));
      for (std::size_t k = 0; k < iterations.size(); ++k)
        EXPECT_EQ(iterations[k], static_cast<std::int64_t>(k + 1));
      const Array rest = b - multiply(a, found.x);
      const Array normal = multiply(a.transposed(), rest) - damp * damp * found.x;
      EXPECT_NEAR(found.residual, norm(rest.to_vector<double>(queue_)), 1e-12);
      EXPECT_NEAR(found.normal_residual, norm(normal.to_vector<double>(queue_)), 1e-12);
      EXPECT_NEAR(found.damped_residual,
                  std::hypot(found.residual, damp * norm(found.x.to_vector<double>(queue_))), 1e-12);
    }
  }
  // The adjoint does not fit, so the estimates say nothing about x.
  const LinearOperator of_a(a);
  const Array weights = arange(queue_, 1, 1, 50, dtype_of<double>());
  const LinearOperator wrong(
      {50, 25}, dtype_of<double>(), [&](const Array& x) { return weights * of_a(x); },
      [&](const Array& y) { return of_a.adjoint(y); });
  for (auto* const method : {&lsqr, &lsmr}) EXPECT_EQ(method(wrong, b, {.maxiter = 200}).istop, 7);
}

TEST_P(SparseSolvers, combine_operators) {
  const Csr a = matrix(10);
  const Array dense = dense_of(a), x = arange(queue_, 0, 1, 10, dtype_of<double>());
  const LinearOperator one(a), other = LinearOperator::of(dense);
  const auto expect = [&](const LinearOperator& op, const Array& expected) {
    const std::vector<double> left = op(x).to_vector<double>(queue_),
                              right = expected.to_vector<double>(queue_);
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t k = 0; k < left.size(); ++k) EXPECT_NEAR(left[k], right[k], 1e-10);
  };
  const Array ax = matmul(dense, x), aax = matmul(dense, ax);
  expect(one + other, 2.0 * ax);
  expect(one - 3.0 * other, -2.0 * ax);
  expect(one * other, aax);
  expect(power(one, 2), aax);
  expect(adjoint_of(transpose_of(one)), ax);
  expect(adjoint_of(one * other), aax);
  EXPECT_THROW(one + LinearOperator(matrix(9)), ArgumentError);
  EXPECT_THROW(power(one, -1), ArgumentError);
}

TEST_P(SparseSolvers, solve_directly_or_say_what_to_install) {
  const Csr a = matrix(20);
  const Array b = full(queue_, {20}, 1, dtype_of<double>());
  const Array lower = spsolve_triangular(sparse::tril(a), b);
  for (const double value : multiply(sparse::tril(a), lower).to_vector<double>(queue_))
    EXPECT_NEAR(value, 1, 1e-12);
  try {
    for (const double value : multiply(a, spsolve(a, b)).to_vector<double>(queue_))
      EXPECT_NEAR(value, 1, 1e-10);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("install cuDSS"), std::string::npos);
  }
}

QUERN_EACH_DEVICE(SparseSolvers);

}  // namespace
}  // namespace quern::test
