// SPDX-License-Identifier: MIT
// The hand-written loops of the host, which copy, gather, scatter and multiply, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/host/copy_elements.hpp"
#include "algorithms/host/gather_elements.hpp"
#include "algorithms/host/gather_nd_elements.hpp"
#include "algorithms/host/matmul_loops.hpp"
#include "quern/quern.hpp"

namespace quern::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class HandWrittenLoops : public ::testing::Test {
 protected:
  Queue queue_{device("host")};

  // Elements of so many bytes, each byte another.
  Array bytes(std::size_t count) {
    Bytes values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
    return asarray(queue_, values);
  }
  static DType raw_elements(std::size_t itemsize) {
    StructLayout layout{"element_t", {{"bytes", DType::of(Scalar::uint8), 0, itemsize}}, itemsize, 1};
    return DType::structure(std::make_shared<const StructLayout>(std::move(layout)));
  }
  Bytes read(const Buffer& buffer) {
    Bytes values(buffer.size());
    queue_.read(buffer, values.data(), values.size()).wait();
    return values;
  }
};

// Calls with every index of a shape, in C order.
template <class Function>
void for_each(const Shape& shape, const Function& function) {
  Shape index(shape.size(), 0);
  for (;;) {
    function(index);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

std::int64_t place_of(const Array& array, const Shape& index) {
  auto at = static_cast<std::int64_t>(array.offset());
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * array.strides()[d];
  return at;
}

TEST_F(HandWrittenLoops, copies_are_those_of_a_plain_loop) {
  struct Case {
    Shape shape;
    std::vector<int> order;        // of the source's axes, whose first is the slowest
    std::vector<std::int64_t> by;  // steps along each, in elements; 0: broadcast
  };
  const std::vector<Case> cases = {
      {{}, {}, {}},
      {{7}, {0}, {-1}},
      {{1030}, {0}, {3}},
      {{67, 130}, {1, 0}, {1, 1}},  // several tiles, and parts of some
      {{130, 3}, {1, 0}, {1, 1}},   // rows that are too short for tiles
      {{3, 130}, {1, 0}, {1, 1}},
      {{5, 70, 66}, {2, 1, 0}, {-1, 1, 2}},  // tiles in a stack
      {{2, 3, 4, 5}, {0, 1, 2, 3}, {1, -2, 1, 3}},
      {{4, 5, 6}, {0, 1, 2}, {0, 1, 0}},
      {{6, 70, 4}, {1, 0, 2}, {1, 1, 1}},
  };
  for (const Case& each : cases) {
    for (const std::size_t itemsize : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 100U}) {
      // The source: axes in their order, each with room for its steps.
      Strides strides(each.shape.size(), 0);
      auto extent = static_cast<std::int64_t>(itemsize);
      std::int64_t first = 0;
      for (std::size_t k = each.order.size(); k-- > 0;) {
        const auto d = static_cast<std::size_t>(each.order[k]);
        strides[d] = each.by[d] * extent;
        if (each.by[d] < 0) first -= strides[d] * (each.shape[d] - 1);
        if (each.by[d] != 0) extent *= each.shape[d] * std::abs(each.by[d]);
      }
      const Array memory = bytes(static_cast<std::size_t>(extent) + 5);
      const Array source(memory.buffer(), raw_elements(itemsize), each.shape, strides,
                         static_cast<std::size_t>(first) + 5);  // not aligned
      const Array target = empty(queue_, each.shape, raw_elements(itemsize));
      algorithms::copy_by_function(queue_, source, target);
      const Bytes from = read(memory.buffer()), to = read(target.elements());
      Bytes expected;
      for_each(each.shape, [&](const Shape& index) {
        const auto at = from.begin() + place_of(source, index);
        expected.insert(expected.end(), at, at + static_cast<std::ptrdiff_t>(itemsize));
      });
      ASSERT_EQ(to, expected) << "elements of " << itemsize << " bytes, case " << &each - cases.data();
    }
  }
}

TEST_F(HandWrittenLoops, gathered_and_scattered_elements_are_those_of_a_plain_loop) {
  // A table of 40 x 30 elements: rows by one array of positions, columns by another.
  constexpr std::int64_t kRows = 40, kColumns = 30;
  for (const std::size_t itemsize : {1U, 4U, 12U, 16U}) {
    const auto size = static_cast<std::int64_t>(itemsize);
    const std::vector<std::int16_t> rows = {3, -1, 39, 0, -40, 17, 5};
    std::vector<std::uint64_t> columns(600);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i * 7 % kColumns;
    const Shape shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())};
    const Array down = asarray(queue_, rows), across = asarray(queue_, columns);
    const Array spread_down(down.buffer(), down.dtype(), shape, {2, 0}, down.offset());
    const Array spread_across(across.buffer(), across.dtype(), shape, {0, 8}, across.offset());
    const Array table = bytes(static_cast<std::size_t>(kRows * kColumns * size));
    const Array place(table.buffer(), raw_elements(itemsize), shape, {0, 0}, 0);
    const std::vector<algorithms::PositionStep> down_steps = {{kRows, kColumns * size}},
                                                across_steps = {{kColumns, size}};
    const std::vector<algorithms::Positions> positions = {{&spread_down, down_steps, true},
                                                          {&spread_across, across_steps, false}};
    const Array notes = zeros(queue_, {1}, DType::of(Scalar::int64));
    const Array out = empty(queue_, shape, raw_elements(itemsize));
    algorithms::gather_nd_by_function(queue_, place, positions, out, false, &notes.buffer());

    const Bytes from = read(table.buffer());
    Bytes expected, put(from.size(), 0);
    for_each(shape, [&](const Shape& index) {
      std::int64_t row = rows[static_cast<std::size_t>(index[0])];
      row += row < 0 ? kRows : 0;
      const auto column = static_cast<std::int64_t>(columns[static_cast<std::size_t>(index[1])]);
      const std::ptrdiff_t at = (row * kColumns + column) * size;
      expected.insert(expected.end(), from.begin() + at, from.begin() + at + size);
      std::copy_n(from.begin() + at, size, put.begin() + at);
    });
    EXPECT_EQ(read(out.elements()), expected);
    EXPECT_EQ(notes.to_vector<std::int64_t>(queue_)[0], 0);

    // And back to where they came from, in a table of zeros.
    const Array other = zeros(queue_, {kRows * kColumns * size}, DType::of(Scalar::uint8));
    const Array there(other.buffer(), raw_elements(itemsize), shape, {0, 0}, 0);
    algorithms::gather_nd_by_function(queue_, there, positions, out, true, &notes.buffer());
    EXPECT_EQ(read(other.buffer()), put);
  }
}

TEST_F(HandWrittenLoops, rows_are_gathered_whole_and_one_out_of_range_is_recorded) {
  const Array table = asarray(queue_, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});  // 3 x 2
  const Array rows = asarray(queue_, std::vector<std::int32_t>{2, -4, 0, 3});
  const Shape shape = {4, 2};
  const Array place(table.buffer(), table.dtype(), shape, {0, 4}, 0);
  const Array at(rows.buffer(), rows.dtype(), shape, {4, 0}, 0);
  const std::vector<algorithms::PositionStep> steps = {{3, 8}};
  const std::vector<algorithms::Positions> positions = {{&at, steps, true}};
  const Array notes = zeros(queue_, {1}, DType::of(Scalar::int64)), out = zeros(queue_, shape, table.dtype());
  algorithms::gather_nd_by_function(queue_, place, positions, out, false, &notes.buffer());
  const auto gathered = out.to_vector<std::int32_t>(queue_);
  EXPECT_EQ((std::vector<std::int32_t>{gathered[0], gathered[1], gathered[4], gathered[5]}),
            (std::vector<std::int32_t>{4, 5, 0, 1}));
  const std::int64_t note = notes.to_vector<std::int64_t>(queue_)[0];
  EXPECT_TRUE(note == -4 || note == 3);
  // Values at positions out of range are not written.
  const Array values = asarray(queue_, std::vector<std::int32_t>{10, 11, 12, 13, 14, 15, 16, 17});
  const Array wide(values.buffer(), values.dtype(), shape, {8, 4}, 0);
  algorithms::gather_nd_by_function(queue_, place, positions, wide, true, &notes.buffer());
  EXPECT_EQ(table.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{14, 15, 2, 3, 10, 11}));
}

// Every way to combine, of integers and of what has NaNs.
TEST_F(HandWrittenLoops, combined_values_are_those_of_a_plain_loop) {
  constexpr std::size_t kCount = 3000, kPlaces = 11;
  std::vector<std::int8_t> at(kCount);
  std::vector<std::int32_t> values(kCount);
  std::vector<double> reals(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    at[i] = static_cast<std::int8_t>(i * 5 % 13 - 1);  // -1 and 11 are dropped
    values[i] = static_cast<std::int32_t>(i * 2654435761U);
    reals[i] = i == 700 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values[i] % 1000);
  }
  const Array positions = asarray(queue_, at);
  const Buffer list = positions.elements();
  const algorithms::PositionList where = {list, positions.dtype(), kCount, kPlaces, OutOfRange::drop};
  EXPECT_EQ(algorithms::count_outside_by_function(queue_, where),
            static_cast<std::uint64_t>(std::count_if(at.begin(), at.end(), [](std::int8_t p) {
              return p < 0 || p >= static_cast<std::int8_t>(kPlaces);
            })));
  const auto run = [&](const auto& given, Combine combine, const auto& plain) {
    auto expected = std::vector(given.begin(), given.begin() + kPlaces);
    const Array out = asarray(queue_, expected), from = asarray(queue_, given);
    algorithms::scatter_by_function(queue_, where, out.dtype(), from.buffer(), out.buffer(), combine,
                                    nullptr);
    for (std::size_t i = 0; i < kCount; ++i) {
      if (at[i] < 0 || at[i] >= static_cast<std::int8_t>(kPlaces)) continue;
      auto& target = expected[static_cast<std::size_t>(at[i])];
      target = plain(target, given[i]);
    }
    return std::pair(read(out.buffer()),
                     read(asarray(queue_, expected).buffer()));  // as bytes, so that a NaN equals itself
  };
  const auto expect = [&](const auto& given, Combine combine, const auto& plain) {
    const auto [found, expected] = run(given, combine, plain);
    EXPECT_EQ(found, expected) << static_cast<int>(combine);
  };
  using Int = std::int32_t;
  expect(values, Combine::add, [](Int a, Int b) {
    return static_cast<Int>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  });
  expect(values, Combine::min, [](Int a, Int b) { return std::min(a, b); });
  expect(values, Combine::max, [](Int a, Int b) { return std::max(a, b); });
  expect(values, Combine::bit_and, [](Int a, Int b) { return a & b; });
  expect(values, Combine::bit_or, [](Int a, Int b) { return a | b; });
  expect(values, Combine::bit_xor, [](Int a, Int b) { return a ^ b; });
  const auto nan_or = [](double a, double b, double c) { return std::isnan(a) ? a : std::isnan(b) ? b : c; };
  expect(reals, Combine::min, [&](double a, double b) { return nan_or(a, b, std::min(a, b)); });
  expect(reals, Combine::max, [&](double a, double b) { return nan_or(a, b, std::max(a, b)); });
  std::vector<double> whole(reals);
  whole[700] = 1;  // sums of integers are exact in any order
  expect(whole, Combine::add, [](double a, double b) { return a + b; });
}

template <class T>
class Product : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Product, Types);

// Small integers, so that sums are exact whatever their order; odd lengths, so that panels are filled up.
TYPED_TEST(Product, of_odd_shapes_is_that_of_a_plain_loop) {
  using T = TypeParam;
  const Queue queue{device("host")};
  constexpr std::size_t kRows = 7, kDepth = 13, kColumns = 35;
  std::vector<T> x(kRows * kDepth), y(kDepth * kColumns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(static_cast<float>(i % 5));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(static_cast<float>(i % 7));
  std::vector<T> expected(kRows * kColumns, T(0));
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j)
      for (std::size_t k = 0; k < kDepth; ++k)
        expected[i * kColumns + j] =
            static_cast<T>(expected[i * kColumns + j] + x[i * kDepth + k] * y[k * kColumns + j]);
  const Array a = asarray(queue, x), b = asarray(queue, y);
  EXPECT_EQ(matmul(reshape(a, {kRows, kDepth}), reshape(b, {kDepth, kColumns})).template to_vector<T>(queue),
            expected);
}

}  // namespace
}  // namespace quern::test
