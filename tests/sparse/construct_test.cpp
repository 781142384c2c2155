// SPDX-License-Identifier: MIT
// quern/sparse/construct.hpp: diagonals, random entries, stacks and blocks, rows and columns, operators.
#include "quern/sparse/construct.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "quern/error.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using sparse::Csr;

class SparseConstruction : public EachDevice {
 protected:
  using Values = std::vector<double>;
  Array vector(const Values& values) { return asarray(queue_, values); }
  Array matrix(const Values& values, std::int64_t rows) { return reshape(vector(values), {rows, -1}); }
  Csr csr(const Values& values, std::int64_t rows) { return sparse::csr_of(matrix(values, rows)); }
  Values dense(const Csr& a) { return dense_of(a).to_vector<double>(queue_); }
};

TEST_P(SparseConstruction, diagonals_become_a_matrix) {
  const std::vector<Array> lines = {vector({1, 2, 3}), vector({9})};
  const std::vector<std::int64_t> offsets = {0, 1};
  EXPECT_EQ(dense(csr_of(sparse::diags(lines, offsets))), (Values{1, 9, 0, 0, 2, 9, 0, 0, 3}));
  EXPECT_EQ(dense(csr_of(sparse::diags(lines, offsets, sparse::Size{3, 4}))),
            (Values{1, 9, 0, 0, 0, 2, 9, 0, 0, 0, 3, 9}));
  const std::vector<std::int64_t> far = {0, 7};
  EXPECT_THROW(sparse::diags(lines, far, sparse::Size{3, 3}), ArgumentError);
  EXPECT_THROW(sparse::diags(lines, std::vector<std::int64_t>{0}), ArgumentError);
}

TEST_P(SparseConstruction, random_entries_have_places_of_their_own) {
  random::Generator generator(5);
  for (const auto& [rows, density] : {std::pair{30, 0.3}, std::pair{3000, 0.002}}) {
    const sparse::Coo made =
        sparse::random(generator, queue_, {rows, 1000}, density, DType::of(Scalar::float32));
    const auto count = static_cast<std::size_t>(rows * 1000 * density + 0.5);
    ASSERT_EQ(made.data.size(), count);
    check(made);
    const auto r = made.rows.to_vector<std::int32_t>(queue_),
               c = made.columns.to_vector<std::int32_t>(queue_);
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    for (std::size_t k = 0; k < count; ++k) places.emplace(r[k], c[k]);
    EXPECT_EQ(places.size(), count);
    for (const float value : made.data.to_vector<float>(queue_)) EXPECT_TRUE(value >= 0 && value < 1);
  }
  EXPECT_EQ(sparse::random(generator, queue_, {4, 4}, 0, DType::of(Scalar::float32)).data.size(), 0u);
  EXPECT_THROW(sparse::random(generator, queue_, {4, 4}, 2), ArgumentError);
}

TEST_P(SparseConstruction, matrices_are_stacked) {
  const std::vector<Csr> both = {csr({1, 2}, 1), csr({0, 3}, 1)};
  EXPECT_EQ(dense(sparse::vstack(both)), (Values{1, 2, 0, 3}));
  EXPECT_EQ(dense(sparse::hstack(both)), (Values{1, 2, 0, 3}));
  EXPECT_EQ(sparse::hstack(both).columns(), 4);
  EXPECT_EQ(dense(sparse::block_diag(both)), (Values{1, 2, 0, 0, 0, 0, 0, 3}));
  EXPECT_EQ(dense(sparse::block_array({{both[0], {}}, {{}, both[1]}})), (Values{1, 2, 0, 0, 0, 0, 0, 3}));
  EXPECT_THROW(sparse::block_array({{both[0], {}}, {both[1], {}}}), ArgumentError);
  EXPECT_THROW(sparse::vstack(std::vector<Csr>{both[0], csr({1}, 1)}), ArgumentError);
  EXPECT_THROW(sparse::vstack({}), ArgumentError);
  EXPECT_EQ(dense(sparse::kronsum(csr({1, 2, 0, 1}, 2), csr({5}, 1))), (Values{6, 2, 0, 6}));
}

TEST_P(SparseConstruction, columns_are_compressed_too) {
  const Csr a = csr({1, 0, 2, 0, 3, 0}, 2);
  const sparse::Csc columns = csc_of(a);
  EXPECT_EQ(columns.indptr.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(columns.data.to_vector<double>(queue_), (Values{1, 3, 2}));
  check(columns);
  EXPECT_EQ(dense(csr_of(columns)), dense(a));
  EXPECT_THROW(check(sparse::Csc{{1, 3}, columns.data, columns.indices, columns.indptr}), ArgumentError);
}

TEST_P(SparseConstruction, rows_and_columns_are_selected) {
  const Csr a = csr({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3);
  EXPECT_EQ(dense(sparse::slice_rows(a, Index::slice(1))), (Values{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(dense(sparse::slice_rows(a, Index::slice({}, {}, -2))), (Values{7, 8, 9, 1, 2, 3}));
  const Array chosen = asarray(queue_, std::vector<std::int64_t>{2, 0, 2});
  EXPECT_EQ(dense(sparse::take_columns(a, chosen)), (Values{3, 1, 3, 6, 4, 6, 9, 7, 9}));
}

TEST_P(SparseConstruction, operators_compute_elements) {
  const Csr a = csr({1, 0, 2, 3}, 2), b = csr({0, 5, 2, 1}, 2);
  EXPECT_EQ(dense(a + b), (Values{1, 5, 4, 4}));
  EXPECT_EQ(dense(a - b), (Values{1, -5, 0, 2}));
  EXPECT_EQ(dense(-a), (Values{-1, 0, -2, -3}));
  EXPECT_EQ(dense(a * b), (Values{0, 0, 4, 3}));
  EXPECT_EQ(dense(2.0 * a), dense(a * 2.0));
  EXPECT_EQ(dense(a / 2.0), (Values{0.5, 0, 1, 1.5}));
  EXPECT_EQ(dense(multiply_elements(a, vector({10, 100}))), (Values{10, 0, 20, 300}));
  EXPECT_THROW(multiply_elements(a, vector({1, 2, 3})), ArgumentError);
}

QUERN_EACH_DEVICE(SparseConstruction);

}  // namespace
}  // namespace quern::test
