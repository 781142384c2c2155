// SPDX-License-Identifier: MIT
// Factorisations of one matrix, with LAPACK where it is found and by our own loops.
#include "linalg/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "base/environment_variable.hpp"
#include "linalg/own_lu.hpp"

namespace quern::linalg {
namespace {

using own::Index;

template <class T>
class DenseTest : public ::testing::Test {
 protected:
  using R = Real<T>;

  std::vector<T> random(Index count) {
    std::normal_distribution<double> normal;
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
      if constexpr (own::kIsComplex<T>)
        value = T(static_cast<R>(normal(engine_)), static_cast<R>(normal(engine_)));
      else
        value = static_cast<T>(normal(engine_));
    }
    return values;
  }
  // The greatest difference between a (m x depth) times b (depth x n) and c.
  R difference(Index m, Index n, Index depth, const std::vector<T>& a, const std::vector<T>& b,
               const std::vector<T>& c) {
    R most = 0;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        T sum{};
        for (Index k = 0; k < depth; ++k)
          sum += a[static_cast<std::size_t>(i + k * m)] * b[static_cast<std::size_t>(k + j * depth)];
        most = std::max(most, static_cast<R>(std::abs(sum - c[static_cast<std::size_t>(i + j * m)])));
      }
    }
    return most;
  }
  R bound(Index n) { return 200 * static_cast<R>(n) * std::numeric_limits<R>::epsilon(); }

  // Runs the body with the library, where there is one, and without.
  template <class Body>
  void with_and_without(const Body& body) {
    body();
    const testing::EnvironmentVariable never("QUERN_LIBRARIES", "never");
    body();
  }

 private:
  std::mt19937 engine_{7};
};

using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DenseTest, Types);

TYPED_TEST(DenseTest, SolutionsOfAllTransposesHaveSmallResiduals) {
  using T = TypeParam;
  this->with_and_without([&] {
    for (const Index n : {1, 3, 16, 33, 70}) {
      const std::vector<T> a = this->random(n * n), x = this->random(2 * n);
      for (const char op : {'N', 'T', 'C'}) {
        std::vector<T> given = a;
        for (Index i = 0; i < n && op != 'N'; ++i) {
          for (Index j = 0; j < n; ++j) {
            const T value = a[static_cast<std::size_t>(j + i * n)];
            given[static_cast<std::size_t>(i + j * n)] = op == 'C' ? own::conj_of(value) : value;
          }
        }
        std::vector<T> lu = a, b = x;
        typename Dense<T>::Pivots pivots;
        ASSERT_EQ(Dense<T>().lu(n, n, lu.data(), pivots), 0);
        Dense<T>().lu_solve(op, n, 2, lu.data(), pivots, b.data());
        Real<T> scale = 1;
        for (const T& value : b) scale = std::max(scale, static_cast<Real<T>>(std::abs(value)));
        EXPECT_LE(this->difference(n, 2, n, given, b, x), scale * this->bound(n));
      }
    }
  });
}

TYPED_TEST(DenseTest, ASingularMatrixHasAZeroPivot) {
  using T = TypeParam;
  this->with_and_without([&] {
    for (const Index n : {2, 40}) {
      std::vector<T> zeros(static_cast<std::size_t>(n * n));
      typename Dense<T>::Pivots pivots;
      EXPECT_NE(Dense<T>().lu(n, n, zeros.data(), pivots), 0);
      EXPECT_NE(Dense<T>().cholesky(true, n, zeros.data()), 0);
    }
  });
}

TYPED_TEST(DenseTest, SingularVectorsReproduceTheMatrix) {
  using T = TypeParam;
  this->with_and_without([&] {
    for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {7, 3}, {3, 7}, {40, 25}}) {
      const Index least = std::min(m, n);
      const std::vector<T> a = this->random(m * n);
      std::vector<T> work = a, u(static_cast<std::size_t>(m * least)),
                     vh(static_cast<std::size_t>(least * n));
      std::vector<Real<T>> s(static_cast<std::size_t>(least));
      ASSERT_EQ(Dense<T>().svd(false, m, n, work.data(), s.data(), u.data(), vh.data()), 0);
      for (Index k = 0; k < least; ++k) {
        for (Index i = 0; i < m; ++i)
          u[static_cast<std::size_t>(i + k * m)] *= s[static_cast<std::size_t>(k)];
      }
      EXPECT_LE(this->difference(m, n, least, u, vh, a), s[0] * this->bound(m));
    }
  });
}

TYPED_TEST(DenseTest, IterationsEndOnNotANumber) {
  using T = TypeParam;
  this->with_and_without([&] {
    constexpr Index kSize = 6;
    std::vector<T> a = this->random(kSize * kSize);
    a[8] = T{std::numeric_limits<Real<T>>::quiet_NaN()};
    std::vector<Real<T>> values(kSize);
    if (libraries::Lapack<T>::find() == nullptr) {
      std::vector<T> work = a;
      EXPECT_NE(Dense<T>().eigh(true, kSize, work.data(), values.data()), 0);
      work = a;
      EXPECT_NE(Dense<T>().svd(false, kSize, kSize, work.data(), values.data(), nullptr, nullptr), 0);
    }
  });
}

}  // namespace
}  // namespace quern::linalg
