// SPDX-License-Identifier: MIT
// Sparse matrices on ranks that are threads against plain loops, the messages of products, and solutions.
#include "quern/distributed/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "distributed/random_layouts.hpp"
#include "distributed/ranks.hpp"
#include "quern/distributed_error.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

// A dense matrix, most of whose elements are zero.
struct Matrix {
  std::int64_t rows, columns;
  std::vector<double> values;

  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  // Rows [start, stop) in compressed form.
  [[nodiscard]] quern::sparse::Csr part(std::int64_t start, std::int64_t stop) const {
    std::vector<double> data;
    std::vector<std::int64_t> indices, starts = {0};
    for (std::int64_t i = start; i < stop; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (at(i, j) == 0) continue;
        data.push_back(at(i, j));
        indices.push_back(j);
      }
      starts.push_back(static_cast<std::int64_t>(data.size()));
    }
    return {{stop - start, columns},
            asarray(host_queue(), data),
            asarray(host_queue(), indices),
            asarray(host_queue(), starts)};
  }
};

Matrix random_matrix(std::mt19937& random, std::int64_t rows, std::int64_t columns, unsigned sparsity) {
  Matrix matrix{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
  for (double& value : matrix.values)
    if (random() % sparsity == 0) value = static_cast<double>(random() % 9) - 4;
  return matrix;
}

std::vector<double> vector_of(std::int64_t count) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(static_cast<double>(i % 5) - 2);
  return result;
}

std::vector<std::int64_t> random_cuts(std::mt19937& random, int ranks, std::int64_t length) {
  std::vector<std::int64_t> cuts = {0, length};
  for (int i = 1; i < ranks; ++i) cuts.push_back(random() % static_cast<unsigned>(length + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

std::vector<double> numbers_at(const DistributedArray& array) {
  return copy(gather(array)).to_vector<double>(host_queue());
}

TEST(DistributedMatrices, multiply_as_loops_do_with_any_rows_on_each_rank) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const auto rows = static_cast<std::int64_t>(1 + random() % 20);
    const auto columns = random() % 2 == 0 ? rows : static_cast<std::int64_t>(1 + random() % 20);
    const Matrix matrix = random_matrix(random, rows, columns, 1 + random() % 6);
    const auto cuts = random_cuts(random, ranks, rows);
    const Layout x_layout = random_layout(random, ranks, {columns}),
                 y_layout = random_layout(random, ranks, {rows});
    const std::vector<double> x = vector_of(columns), y = vector_of(rows);
    std::vector<double> product(y.size()), transposed(x.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        product[static_cast<std::size_t>(i)] += matrix.at(i, j) * x[static_cast<std::size_t>(j)];
        transposed[static_cast<std::size_t>(j)] += matrix.at(i, j) * y[static_cast<std::size_t>(i)];
      }
    }
    on_ranks(ranks, [&](const Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const DistributedCsr a(communicator, matrix.part(cuts[rank], cuts[rank + 1]));
      EXPECT_EQ(a.size().rows, rows);
      const DistributedArray first = distribute(communicator, x_layout, asarray(host_queue(), x));
      const DistributedArray second = distribute(communicator, y_layout, asarray(host_queue(), y));
      EXPECT_EQ(numbers_at(multiply(a, first)), product);
      EXPECT_EQ(numbers_at(multiply_transposed(a, second)), transposed);
    });
  }
}

TEST(DistributedMatrices, send_each_neighbour_just_what_it_needs) {
  constexpr std::int64_t kSize = 24;
  constexpr int kRanks = 4;
  std::mt19937 random(8);
  const Matrix matrix = random_matrix(random, kSize, kSize, 30);
  on_ranks(kRanks, [&](const Communicator& communicator) {
    const std::int64_t block = kSize / kRanks, me = communicator.rank();
    const DistributedCsr a(communicator, matrix.part(me * block, (me + 1) * block));
    std::set<std::pair<std::int64_t, std::int64_t>> needed;  // rank and element of this one
    for (std::int64_t i = 0; i < kSize; ++i)
      for (std::int64_t j = me * block; j < (me + 1) * block; ++j)
        if (matrix.at(i, j) != 0 && i / block != me) needed.insert({i / block, j});
    std::set<std::int64_t> neighbours;
    for (const auto& [rank, element] : needed) neighbours.insert(rank);
    const DistributedArray x =
        distribute(communicator, a.column_layout(), asarray(host_queue(), vector_of(kSize)));
    const auto before = communicator.sent();
    (void)multiply(a, x);
    EXPECT_EQ(communicator.sent().messages - before.messages, neighbours.size());
    EXPECT_EQ(communicator.sent().bytes - before.bytes, needed.size() * sizeof(double));
  });
}

// 2 on the diagonal and -1 beside it.
Matrix line(std::int64_t size) {
  Matrix matrix{size, size, std::vector<double>(static_cast<std::size_t>(size * size))};
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j)
      matrix.values[static_cast<std::size_t>(i * size + j)] = i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0;
  return matrix;
}

TEST(ConjugateGradients, solve_the_equation_of_a_line) {
  constexpr std::int64_t kSize = 50;
  const Matrix matrix = line(kSize);
  on_ranks(3, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(ProcessGrid({3}), {kSize});
    const auto own = layout.intervals(communicator.rank())[0];
    const DistributedCsr a(communicator, matrix.part(own.front().start, own.front().stop));
    const DistributedArray b =
        distribute(communicator, layout, asarray(host_queue(), std::vector<double>(kSize, 1.0)));
    const auto product = [&](const DistributedArray& x) { return multiply(a, x); };
    const DistributedSolution solution = cg(product, b, {.rtol = 1e-12});
    EXPECT_EQ(solution.info, 0);
    EXPECT_LE(solution.residual, 1e-12 * std::sqrt(kSize));
    const std::vector<double> x = numbers_at(solution.x);
    for (std::int64_t i = 0; i < kSize; ++i) {
      const auto place = static_cast<double>(i + 1);
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], place * (kSize + 1 - place) / 2, 1e-7);
    }
    EXPECT_EQ(cg(product, b, {.rtol = 1e-12, .maxiter = 3}).info, 3);
  });
}

TEST(DistributedMatrices, of_different_widths_are_refused_on_all_ranks) {
  on_ranks(2, [](const Communicator& communicator) {
    const Matrix matrix = line(4 + communicator.rank());
    EXPECT_THROW(DistributedCsr(communicator, matrix.part(0, 4)), DistributedError);
  });
}

}  // namespace
}  // namespace quern::distributed
