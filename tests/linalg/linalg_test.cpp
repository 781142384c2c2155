// SPDX-License-Identifier: MIT
// quern/linalg.hpp: each function, by the residuals of its results, and the errors that reads throw.
#include "quern/linalg.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/creation.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/random.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

// Rows that the small kernels take, and rows that they do not.
constexpr std::int64_t kSides[] = {3, 40};

class LinearAlgebra : public EachDevice {
 protected:
  bool has_doubles() const { return queue_.device().properties().has_fp64; }
  Array drawn(Shape shape, std::uint64_t seed = 1) {
    return random::Generator(seed).normal<double>(std::move(shape), queue_);
  }
  // A stack of two matrices that are far from singular.
  Array regular(std::int64_t n) { return drawn({2, n, n}) + static_cast<double>(2 * n) * identity(n); }
  Array positive(std::int64_t n) {
    const Array a = drawn({2, n, n});
    return matmul(a, matrix_transpose(a)) + static_cast<double>(n) * identity(n);
  }
  Array identity(std::int64_t n) { return eye(queue_, n, n, dtype_of<double>()); }
  double greatest(const Array& x) { return max(apply("absolute", {x})).to_vector<double>(queue_)[0]; }
  double distance(const Array& a, const Array& b) { return greatest(a - b); }
};

TEST_P(LinearAlgebra, systems_are_solved) {
  if (!has_doubles()) GTEST_SKIP();
  for (const std::int64_t n : kSides) {
    const Array a = regular(n), b = drawn({n, 3}, 2);
    EXPECT_LT(distance(matmul(a, linalg::solve(a, b)), b), 1e-12);
    EXPECT_LT(distance(matmul(a, linalg::inv(a)), identity(n)), 1e-12);
    const linalg::LuFactors factors = linalg::lu_factor(a);
    EXPECT_LT(distance(matmul(a, linalg::lu_solve(factors, b)), b), 1e-12);
    EXPECT_LT(distance(matmul(matrix_transpose(a), linalg::lu_solve(factors, b, linalg::Op::transpose)), b),
              1e-12);
    const Array upper = triu(a);
    EXPECT_LT(distance(matmul(upper, linalg::solve_triangular(a, b)), b), 1e-12);
    const linalg::SignAndLog logs = linalg::slogdet(a);
    EXPECT_LT(greatest(linalg::det(a) / (logs.sign * apply("exp", {logs.logabsdet})) - 1.0), 1e-10);
  }
}

TEST_P(LinearAlgebra, banded_systems_are_solved) {
  if (!has_doubles()) GTEST_SKIP();
  const Array ab = reshape(asarray(queue_, std::vector<double>{0, 1, 1, 4, 4, 4, 1, 1, 0}), {3, 3});
  const Array whole = reshape(asarray(queue_, std::vector<double>{4, 1, 0, 1, 4, 1, 0, 1, 4}), {3, 3});
  const Array b = asarray(queue_, std::vector<double>{5, 6, 5});
  EXPECT_LT(distance(matmul(whole, linalg::solve_banded(1, 1, ab, b)), b), 1e-13);
}

TEST_P(LinearAlgebra, factors_multiply_to_the_matrix) {
  if (!has_doubles()) GTEST_SKIP();
  for (const std::int64_t n : kSides) {
    const Array a = regular(n), p = positive(n);
    const double bound = 1e-11 * static_cast<double>(n);
    const Array lower = linalg::cholesky(p), upper = linalg::cholesky(p, true);
    EXPECT_LT(distance(matmul(lower, matrix_transpose(lower)), p), bound);
    EXPECT_LT(distance(matmul(matrix_transpose(upper), upper), p), bound);
    const Array b = drawn({n, 1}, 3);
    EXPECT_LT(distance(matmul(p, linalg::cho_solve(lower, true, b)), b), bound);
    const linalg::Qr qr = linalg::qr(a),
                     whole = linalg::qr(view(a, {Index::slice(), Index::slice(), Index::slice(0, 2)}),
                                        linalg::QrMode::complete);
    EXPECT_LT(distance(matmul(qr.q, qr.r), a), bound);
    EXPECT_EQ(whole.q.shape(), (Shape{2, n, n}));
    EXPECT_LT(distance(matmul(matrix_transpose(whole.q), whole.q), identity(n)), bound);
    const linalg::Svd svd = linalg::svd(a, false);
    EXPECT_LT(distance(matmul(svd.u * expand_dims(svd.s, {-2}), svd.vh), a), bound);
    EXPECT_LT(distance(linalg::svdvals(a), svd.s), bound);
    const linalg::Eigen eigen = linalg::eigh(p);
    EXPECT_LT(distance(matmul(p, eigen.vectors), eigen.vectors * expand_dims(eigen.values, {-2})), bound);
    EXPECT_LT(distance(linalg::eigvalsh(p), eigen.values), bound);
    const linalg::Lu lu = linalg::lu(view(a, {Index(0)}));
    EXPECT_EQ(lu.permutation.shape(), (Shape{n}));
    EXPECT_LT(distance(matmul(take(lu.l, lu.permutation, 0), lu.u), view(a, {Index(0)})), bound);
  }
}

TEST_P(LinearAlgebra, eigenvalues_of_a_rotation_are_complex) {
  if (!has_doubles()) GTEST_SKIP();
  const Array a = reshape(asarray(queue_, std::vector<double>{0, -1, 1, 0}), {2, 2});
  const linalg::Eigen found = linalg::eig(a);
  const auto complex = [](const Array& x) { return astype(x, DType::of(Scalar::complex128)); };
  EXPECT_LT(distance(matmul(complex(a), found.vectors), found.vectors * expand_dims(found.values, {-2})),
            1e-14);
  EXPECT_LT(distance(apply("absolute", {linalg::eigvals(a)}), full(queue_, {2}, 1, dtype_of<double>())),
            1e-14);
}

TEST_P(LinearAlgebra, least_squares_and_what_is_composed_of_factors) {
  if (!has_doubles()) GTEST_SKIP();
  const Array a = drawn({20, 4}), x = drawn({4}, 2), b = matmul(a, x);
  const linalg::LeastSquares found = linalg::lstsq(a, b);
  EXPECT_EQ(found.rank, 4);
  EXPECT_LT(distance(found.x, x), 1e-12);
  EXPECT_LT(distance(matmul(matmul(a, linalg::pinv(a)), a), a), 1e-12);
  EXPECT_EQ(linalg::matrix_rank(matmul(a, matrix_transpose(a))).to_vector<std::int64_t>(queue_)[0], 4);
  const Array square = regular(3);
  const Array condition = linalg::cond(square);
  const Array s = linalg::svdvals(square);
  EXPECT_LT(
      greatest(condition * view(s, {Index::slice(), Index(2)}) / view(s, {Index::slice(), Index(0)}) - 1.0),
      1e-10);
  const std::vector<Array> chain = {drawn({3, 30}), drawn({30, 2}), drawn({2, 5})};
  EXPECT_LT(distance(linalg::multi_dot(chain), matmul(matmul(chain[0], chain[1]), chain[2])), 1e-12);
  EXPECT_LT(distance(matrix_power(square, 3), matmul(square, matmul(square, square))), 1e-9);
  EXPECT_LT(distance(matmul(matrix_power(square, -1), square), identity(3)), 1e-12);
}

TEST_P(LinearAlgebra, systems_of_tensors_are_solved) {
  if (!has_doubles()) GTEST_SKIP();
  const Array a = reshape(drawn({6, 6}) + 12.0 * identity(6), {2, 3, 6}), b = drawn({2, 3}, 2);
  EXPECT_LT(distance(tensordot(a, linalg::tensorsolve(a, b), 1), b), 1e-12);
  const Array inverse = linalg::tensorinv(a);
  EXPECT_EQ(inverse.shape(), (Shape{6, 2, 3}));
  EXPECT_LT(distance(tensordot(inverse, a, 2), identity(6)), 1e-12);
}

TEST_P(LinearAlgebra, the_exponential_of_a_nilpotent_matrix_is_a_polynomial) {
  if (!has_doubles()) GTEST_SKIP();
  const Array n = reshape(asarray(queue_, std::vector<double>{0, 1, 2, 0, 0, 3, 0, 0, 0}), {3, 3});
  EXPECT_LT(distance(linalg::expm(n), identity(3) + n + 0.5 * matmul(n, n)), 1e-14);
}

TEST_P(LinearAlgebra, norms_of_matrices) {
  if (!has_doubles()) GTEST_SKIP();
  const Array a = reshape(asarray(queue_, std::vector<double>{3, 0, -4, 0}), {2, 2});
  const auto norm = [&](MatrixNorm which) { return matrix_norm(a, which).to_vector<double>(queue_)[0]; };
  EXPECT_NEAR(norm(MatrixNorm::frobenius), 5, 1e-14);
  EXPECT_NEAR(norm(MatrixNorm::greatest_column), 7, 1e-14);
  EXPECT_NEAR(norm(MatrixNorm::greatest_row), 4, 1e-14);
  EXPECT_NEAR(norm(MatrixNorm::greatest_singular), 5, 1e-13);
  EXPECT_NEAR(norm(MatrixNorm::nuclear), 5, 1e-13);
}

TEST_P(LinearAlgebra, reads_of_failed_factorisations_throw) {
  if (!has_doubles()) GTEST_SKIP();
  for (const std::int64_t n : kSides) {
    const Array none = zeros(queue_, {n, n}, dtype_of<double>());
    const auto read = [&](auto&& compute) {
      static_cast<void>(compute(none).template to_vector<double>(queue_));
    };
    EXPECT_THROW(read([](const Array& a) { return linalg::inv(a); }), LinAlgError);
    EXPECT_THROW(read([](const Array& a) { return linalg::cholesky(a); }), LinAlgError);
  }
  EXPECT_THROW(static_cast<void>(linalg::inv(drawn({2, 3}))), LinAlgError);
}

TEST_P(LinearAlgebra, stacks_without_matrices_have_results_without_elements) {
  if (!has_doubles()) GTEST_SKIP();
  const Array none = zeros(queue_, {0, 3, 3}, dtype_of<double>());
  EXPECT_EQ(linalg::inv(none).shape(), (Shape{0, 3, 3}));
  EXPECT_EQ(linalg::svd(none).s.shape(), (Shape{0, 3}));
  EXPECT_EQ(linalg::det(zeros(queue_, {2, 0, 0}, dtype_of<double>())).to_vector<double>(queue_),
            (std::vector<double>{1, 1}));
}

QUERN_EACH_DEVICE(LinearAlgebra);

}  // namespace
}  // namespace quern::test
