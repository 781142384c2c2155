// SPDX-License-Identifier: MIT
// Products of matrices from C++.
#include "quern/matmul.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "quern/quern.hpp"

namespace quern::test {
namespace {

// On the host alone, as the kernels of matrices are many; the tests from Python run on every device.
class Matmul : public ::testing::Test {
 protected:
  Queue queue_{device("host")};
  Array counted(Shape shape) {
    std::vector<std::int32_t> values(element_count(shape, 4));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i % 7);
    return reshape(asarray(queue_, values), std::move(shape));
  }
  std::vector<std::int32_t> values(const Array& array) {
    return as_contiguous(array).to_vector<std::int32_t>(queue_);
  }
};

TEST_F(Matmul, matrices_are_multiplied_in_blocks) {
  constexpr std::size_t kRows = 101, kDepth = 53, kColumns = 270;
  const Array a = counted({kRows, kDepth}), b = counted({kColumns, kDepth});
  const std::vector<std::int32_t> x = values(a), y = values(b);
  std::vector<std::int32_t> expected(kRows * kColumns, 0);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j)
      for (std::size_t k = 0; k < kDepth; ++k)
        expected[i * kColumns + j] += x[i * kDepth + k] * y[j * kDepth + k];
  EXPECT_EQ(values(matmul(a, permute_dims(b))), expected);
}

TEST_F(Matmul, stacks_are_broadcast_and_vectors_have_one_axis) {
  const Array stack = counted({3, 1, 2, 4}), one = counted({5, 4, 6});
  EXPECT_EQ(matmul(stack, one).shape(), (Shape{3, 5, 2, 6}));
  EXPECT_EQ(matmul(counted({4}), one).shape(), (Shape{5, 6}));
  EXPECT_EQ(matmul(stack, counted({4})).shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(values(matmul(counted({4}), counted({4}))), (std::vector<std::int32_t>{14}));
  EXPECT_EQ(values(matmul(counted({2, 0}), counted({0, 1}))), (std::vector<std::int32_t>{0, 0}));
  EXPECT_THROW(matmul(stack, counted({5, 6})), ArgumentError);
}

TEST_F(Matmul, pairs_of_axes_are_summed_over) {
  const Array a = counted({2, 3}), b = counted({3, 2});
  const std::vector<int> first = {0, 1}, second = {1, 0};
  EXPECT_EQ(values(tensordot(a, b, first, second)), (std::vector<std::int32_t>{0 + 2 + 8 + 3 + 12 + 25}));
  EXPECT_EQ(values(vecdot(a, view(b, {Index::slice(), 0}))), (std::vector<std::int32_t>{10, 28}));
  EXPECT_THROW(tensordot(a, b, first, std::vector<int>{0, 1}), ArgumentError);
}

// max(x @ x + bias, 0) of floats, summed in double.
std::vector<float> layer(const std::vector<float>& x, const std::vector<float>& bias) {
  const std::size_t n = bias.size();
  std::vector<float> result(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = bias[j];
      for (std::size_t k = 0; k < n; ++k) sum += double{x[i * n + k]} * double{x[k * n + j]};
      result[i * n + j] = sum < 0 ? 0.F : static_cast<float>(sum);
    }
  return result;
}

class Epilogues : public Matmul {
 protected:
  static constexpr std::int64_t kSize = 90;
  Array floats(Shape shape) { return astype(counted(std::move(shape)), DType::of(Scalar::float32)) - 3; }
  std::vector<float> floats_of(const Array& array) { return as_contiguous(array).to_vector<float>(queue_); }
};

TEST_F(Epilogues, are_a_part_of_the_products_launch) {
  const Array x = floats({kSize, kSize}), bias = floats({kSize});
  const std::vector<float> expected = layer(floats_of(x), floats_of(bias));
  evaluate(std::vector<Array>{x, bias});
  const Array result = apply("maximum", {matmul(x, x) + bias, 0.0});
  const std::uint64_t before = stats().launches;
  result.evaluate();
  EXPECT_EQ(stats().launches, before + 1);
  EXPECT_EQ(floats_of(result), expected);
}

TEST_F(Epilogues, a_write_to_an_operand_evaluates_the_product_first) {
  const Array x = copy(floats({kSize, kSize})), bias = copy(floats({kSize}));
  const std::vector<float> expected = layer(floats_of(x), floats_of(bias));
  const Array result = apply("maximum", {matmul(x, x) + bias, 0.0});
  assign(x, Number(1));
  assign(bias, Number(2));
  EXPECT_EQ(floats_of(result), expected);
}

TEST_F(Epilogues, several_threads_may_evaluate_one_product) {
  const Array x = copy(floats({kSize, kSize})), bias = copy(floats({kSize}));
  const std::vector<float> expected = layer(floats_of(x), floats_of(bias));
  for (int round = 0; round < 10; ++round) {
    const Array sum = matmul(x, x) + bias, result = apply("maximum", {sum, 0.0});
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&, k] { k % 2 == 0 ? result.evaluate() : sum.evaluate(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(floats_of(result), expected);
  }
}

}  // namespace
}  // namespace quern::test
