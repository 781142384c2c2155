// SPDX-License-Identifier: MIT
// Solvers from C++: operators that are functions, options, results.
#include <cmath>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
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

QUERN_EACH_DEVICE(SparseSolvers);

}  // namespace
}  // namespace quern::test
