// SPDX-License-Identifier: MIT
// Arrays of evenly spaced numbers and of diagonals, from C++.
#include "quern/creation.hpp"

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::test {
namespace {

// Of many kernels, which PoCL takes long for: the tests from Python run on every device.
class Creation : public ::testing::Test {
 protected:
  Queue queue_{device("host")};
  template <class T>
  std::vector<T> values(const Array& array) {
    return as_contiguous(array).to_vector<T>(queue_);
  }
  const DType whole_ = DType::of(Scalar::int32), real_ = DType::of(Scalar::float32);
};

using Reals = std::vector<float>;
using Whole = std::vector<std::int32_t>;

TEST_F(Creation, spaced_numbers_end_at_the_given_end) {
  EXPECT_EQ(values<float>(linspace(queue_, 0, 1, 5, real_)), (Reals{0, 0.25F, 0.5F, 0.75F, 1}));
  EXPECT_EQ(values<float>(linspace(queue_, 0, 1, 4, real_, false)), (Reals{0, 0.25F, 0.5F, 0.75F}));
  EXPECT_EQ(values<std::int32_t>(linspace(queue_, 0, -5, 3, whole_)), (Whole{0, -3, -5}));
  EXPECT_EQ(values<float>(linspace(queue_, 7, 9, 1, real_)), (Reals{7}));
  EXPECT_EQ(linspace(queue_, 0, 1, 0, real_).size(), 0U);
  EXPECT_THROW(linspace(queue_, 0, 1, -1, real_), ArgumentError);
}

TEST_F(Creation, a_diagonal_is_a_view) {
  const Array x = eye(queue_, 2, 3, whole_, 1);
  EXPECT_EQ(values<std::int32_t>(x), (Whole{0, 1, 0, 0, 0, 1}));
  assign(diagonal(x, -1), 7, &queue_);
  EXPECT_EQ(values<std::int32_t>(x), (Whole{0, 1, 0, 7, 0, 1}));
  EXPECT_EQ(diagonal(x, 9).shape(), (Shape{0}));
  EXPECT_EQ(diagonal(x, INT64_MIN).shape(), (Shape{0}));
  EXPECT_THROW(diagonal(x, 0, 1, -1), ArgumentError);
  EXPECT_THROW(diagonal(view(x, {0})), ArgumentError);
}

TEST_F(Creation, triangles_keep_one_side) {
  const Array x = full(queue_, {2, 3}, 5, whole_);
  EXPECT_EQ(values<std::int32_t>(tril(x)), (Whole{5, 0, 0, 5, 5, 0}));
  EXPECT_EQ(values<std::int32_t>(triu(x, 1)), (Whole{0, 5, 5, 0, 0, 5}));
  EXPECT_EQ(values<std::int32_t>(triu(x, INT64_MIN)), values<std::int32_t>(x));
  EXPECT_EQ(values<std::int32_t>(tril(x, INT64_MIN)), (Whole{0, 0, 0, 0, 0, 0}));
  EXPECT_THROW(tril(view(x, {0})), ArgumentError);
}

}  // namespace
}  // namespace quern::test
