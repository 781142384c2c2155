// SPDX-License-Identifier: MIT
// Sparse matrices from C++: construction, products, what is shared between matrices.
#include <cstdint>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/sparse.hpp"
#include "quern/stats.hpp"
#include "runtime/device_fixture.hpp"
#include "sparse/kernels.hpp"
#include "sparse/row_plan.hpp"

namespace quern::test {
namespace {

using sparse::Csr;

class SparseMatrices : public EachDevice {
 protected:
  // [[1, 0, 2], [0, 0, 0], [4, 3, 0]] with unsorted columns.
  Csr matrix() {
    return Csr({3, 3}, asarray(queue_, std::vector<double>{1, 2, 3, 4}),
               asarray(queue_, std::vector<std::int32_t>{0, 2, 1, 0}),
               asarray(queue_, std::vector<std::int32_t>{0, 2, 2, 4}));
  }
  std::vector<double> dense(const Csr& a) { return dense_of(a).to_vector<double>(queue_); }
};

TEST_P(SparseMatrices, multiply_vectors_and_matrices) {
  const Array x = asarray(queue_, std::vector<double>{1, 10, 100});
  EXPECT_EQ(multiply(matrix(), x).to_vector<double>(queue_), (std::vector<double>{201, 0, 34}));
  EXPECT_EQ(multiply(matrix().transposed(), x).to_vector<double>(queue_), (std::vector<double>{401, 300, 2}));
  EXPECT_EQ(dense(multiply(matrix(), matrix())), (std::vector<double>{9, 6, 2, 0, 0, 0, 4, 0, 8}));
}

TEST_P(SparseMatrices, multiply_a_vector_and_give_the_dot_product_with_it) {
  const Array x = asarray(queue_, std::vector<double>{1, 10, 100});
  const sparse::ProductWithDot both = multiply_and_dot(matrix(), x);
  EXPECT_EQ(both.y.to_vector<double>(queue_), (std::vector<double>{201, 0, 34}));
  EXPECT_EQ(both.dot.to_vector<double>(queue_), (std::vector<double>{201 + 3400}));
}

TEST_P(SparseMatrices, sum_and_select_rows) {
  EXPECT_EQ(row_sums(matrix()).to_vector<double>(queue_), (std::vector<double>{3, 0, 7}));
  EXPECT_EQ(column_sums(matrix()).to_vector<double>(queue_), (std::vector<double>{5, 3, 2}));
  EXPECT_EQ(row_indices(matrix()).to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 0, 2, 2}));
  const Csr rows = take_rows(matrix(), asarray(queue_, std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(dense(rows), (std::vector<double>{4, 3, 0, 0, 0, 0, 4, 3, 0}));
  EXPECT_EQ(rows.nnz(), 4);
}

TEST_P(SparseMatrices, drop_stored_zeros) {
  const Csr twice = matrix().with_data(asarray(queue_, std::vector<double>{1, 0, 0, 4}));
  EXPECT_EQ(twice.nnz(), 4);
  EXPECT_EQ(eliminate_zeros(twice).nnz(), 2);
  EXPECT_EQ(dense(eliminate_zeros(twice)), (std::vector<double>{1, 0, 0, 0, 0, 0, 4, 0, 0}));
}

TEST_P(SparseMatrices, count_with_int64_only_where_int32_is_too_small) {
  EXPECT_EQ(sparse::index_type(2147483647), dtype_of<std::int32_t>());
  EXPECT_EQ(sparse::index_type(std::int64_t{1} << 31), dtype_of<std::int64_t>());
}

TEST_P(SparseMatrices, are_multiplied_in_parts) {
  const Csr whole = product_in_parts(matrix(), matrix(), dtype_of<double>(), 100);
  const Csr parts = product_in_parts(matrix(), matrix(), dtype_of<double>(), 1);
  EXPECT_EQ(dense(whole), dense(parts));
  EXPECT_EQ(parts.indptr().to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 3, 3, 5}));
}

TEST_P(SparseMatrices, have_the_elements_of_their_formats) {
  const std::vector<double> expected = {1, 0, 2, 0, 0, 0, 4, 3, 0};
  EXPECT_EQ(dense(matrix()), expected);
  EXPECT_EQ(dense(csr_of(coo_of(matrix()))), expected);
  EXPECT_EQ(dense(csr_of(bsr_of(matrix(), 3, 1))), expected);
  EXPECT_EQ(dense(csr_of(dia_of(matrix()))), expected);
  EXPECT_EQ(dense(sparse::csr_of(dense_of(matrix()))), expected);
}

// A band of 3 diagonals, whose rows follow each other in three patterns.
Csr band(const Queue& queue, std::int64_t rows) {
  std::vector<double> data;
  std::vector<std::int32_t> columns, starts = {0};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= rows) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      data.push_back(static_cast<double>(j % 5));
    }
    starts.push_back(static_cast<std::int32_t>(columns.size()));
  }
  return Csr({rows, rows}, asarray(queue, data), asarray(queue, columns), asarray(queue, starts));
}

TEST_P(SparseMatrices, have_patterns_if_they_are_bands_of_some_size) {
  EXPECT_EQ(sparse::patterns_of(band(queue_, 100)), nullptr);
  const Csr large = band(queue_, 30000);
  const sparse::RowPatterns* const patterns = sparse::patterns_of(large);
  ASSERT_NE(patterns, nullptr);
  EXPECT_EQ(patterns->longest, 3);
  EXPECT_EQ(sparse::patterns_of(large.with_data(large.data() * 2)), patterns) << "the structure keeps them";
  const std::vector<std::uint8_t> codes = patterns->codes.to_vector<std::uint8_t>(queue_);
  EXPECT_NE(codes[0], codes[1]);
  EXPECT_EQ(codes[1], codes[29998]);
  EXPECT_NE(codes[1], codes[29999]);
  const std::vector<std::int32_t> blocks = patterns->blocks.to_vector<std::int32_t>(queue_);
  EXPECT_EQ(blocks[0], -1);
  EXPECT_EQ(blocks[1], codes[1]);
  EXPECT_EQ(blocks.back(), -1);
}

TEST_P(SparseMatrices, have_no_patterns_if_all_rows_differ) {
  constexpr std::int32_t kRows = 70000;
  std::vector<std::int32_t> columns, starts = {0};
  for (std::int32_t i = 0; i < kRows; ++i) {
    columns.push_back(static_cast<std::int32_t>((std::int64_t{i} * 7919) % kRows));
    starts.push_back(i + 1);
  }
  const Csr matrix({kRows, kRows}, asarray(queue_, std::vector<double>(kRows, 1.0)), asarray(queue_, columns),
                   asarray(queue_, starts));
  EXPECT_EQ(sparse::patterns_of(matrix), nullptr);
}

TEST_P(SparseMatrices, know_the_order_of_their_entries) {
  EXPECT_FALSE(matrix().has_sorted_indices());
  EXPECT_TRUE(sorted_indices(matrix()).has_sorted_indices());
  EXPECT_TRUE(sum_duplicates(matrix()).has_canonical_format());
}

TEST_P(SparseMatrices, share_their_structure) {
  const Csr a = matrix(), b = a.with_data(a.data() * 2);
  EXPECT_EQ(a.indices().value(), b.indices().value());
  EXPECT_EQ(a.transposed().data().value(), a.transposed().data().value());
  EXPECT_EQ(dense(elementwise("subtract", b, a)), dense(a));
}

TEST_P(SparseMatrices, refuse_indices_out_of_bounds) {
  const Array data = asarray(queue_, std::vector<double>{1, 2});
  const Array starts = asarray(queue_, std::vector<std::int32_t>{0, 1, 2});
  EXPECT_THROW(Csr({2, 2}, data, asarray(queue_, std::vector<std::int32_t>{0, 2}), starts), ArgumentError);
  EXPECT_THROW(Csr({3, 3}, data, asarray(queue_, std::vector<std::int32_t>{0, 1}), starts), ArgumentError);
}

TEST_P(SparseMatrices, multiply_in_one_launch) {
  const Csr a = matrix();
  const Array x = asarray(queue_, std::vector<double>{1, 2, 3});
  multiply(a, x).evaluate();
  const std::uint64_t before = stats().launches;
  multiply(a, x).evaluate();
  EXPECT_EQ(stats().launches - before, 1u);
}

QUERN_EACH_DEVICE(SparseMatrices);

}  // namespace
}  // namespace quern::test
