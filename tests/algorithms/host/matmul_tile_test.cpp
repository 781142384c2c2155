// SPDX-License-Identifier: MIT
// Tiles of matrix products for each instruction set that this processor has, compared with a plain loop.
#include "algorithms/host/matmul_tile.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace quern::algorithms {
namespace {

template <class Item>
Item random_item(std::mt19937& random) {
  return static_cast<Item>(random() % 1000);
}
template <>
Truth random_item(std::mt19937& random) {
  return random() % 8 == 0 ? Truth::yes : Truth::no;
}
template <>
Complex<float> random_item(std::mt19937& random) {
  return {static_cast<float>(random() % 100), static_cast<float>(random() % 100)};
}
template <>
Complex<double> random_item(std::mt19937& random) {
  return {static_cast<double>(random() % 100), static_cast<double>(random() % 100)};
}

template <class Item>
void add_product(Item& sum, const Item& a, const Item& b) {
  sum = static_cast<Item>(sum + a * b);
}
template <class T>
void add_product(Complex<T>& sum, const Complex<T>& a, const Complex<T>& b) {
  sum = {sum.x + a.x * b.x - a.y * b.y, sum.y + a.x * b.y + a.y * b.x};
}
template <>
void add_product(Truth& sum, const Truth& a, const Truth& b) {
  if (a == Truth::yes && b == Truth::yes) sum = Truth::yes;
}

template <class Item>
bool is_same(const Item& a, const Item& b) {
  return a == b;
}
template <class T>
bool is_same(const Complex<T>& a, const Complex<T>& b) {
  return a.x == b.x && a.y == b.y;
}

// Numbers are small integers, so that sums are exact in every order.
template <class Item>
void check(const TileProduct<Item>& product, std::int64_t depth) {
  std::mt19937 random(7);
  const auto rows = static_cast<std::size_t>(product.rows),
             columns = static_cast<std::size_t>(product.columns);
  const auto steps = static_cast<std::size_t>(depth);
  // One element further than vectors would like.
  std::vector<Item> a(steps * rows + 1), b(steps * columns + 1), tile(rows * columns + 1),
      expected(rows * columns);
  for (Item& item : a) item = random_item<Item>(random);
  for (Item& item : b) item = random_item<Item>(random);
  for (std::size_t k = 0; k < steps; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        add_product(expected[i * columns + j], a[1 + k * rows + i], b[1 + k * columns + j]);
  ASSERT_LE(tile.size() * sizeof(Item), kMostTileBytes + sizeof(Item));
  product.sum(a.data() + 1, b.data() + 1, depth, tile.data() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(is_same(tile[1 + i], expected[i])) << "element " << i << " of " << rows << " x " << columns;
}

template <class Item>
class MatmulTile : public testing::Test {};
using Items =
    testing::Types<Truth, std::uint32_t, std::uint64_t, float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(MatmulTile, Items);

TYPED_TEST(MatmulTile, is_the_sum_of_products_with_every_instruction_set) {
  using namespace tile;
  for (const std::int64_t depth : {1, 2, 17, 192}) {
    check(product_of<TypeParam, 16>(&sum_plain<TypeParam>), depth);
#if defined(__x86_64__)
    if (has_avx2()) check(product_of<TypeParam, 32>(&sum_avx2<TypeParam>), depth);
    if (has_avx512()) check(product_of<TypeParam, 64>(&sum_avx512<TypeParam>), depth);
#endif
    check(best_tile<TypeParam>(), depth);
  }
}

}  // namespace
}  // namespace quern::algorithms
