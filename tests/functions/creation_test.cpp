// SPDX-License-Identifier: MIT
// New arrays from C++: counted, spaced, and by their diagonals. The expected elements are written out.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;

class Creation : public EachDevice {
 protected:
  Floats floats(const Array& x) {
    return as_contiguous(astype(x, DType::of(Scalar::float32))).to_vector<float>(queue_);
  }
  Longs longs(const Array& x) { return as_contiguous(x).to_vector<std::int64_t>(queue_); }
};

TEST_P(Creation, integers_are_counted_as_such) {
  EXPECT_EQ(longs(arange_between(queue_, 1, 8, 3)), (Longs{1, 4, 7}));
  EXPECT_EQ(longs(arange_between(queue_, 5, 0, -2)), (Longs{5, 3, 1}));
  EXPECT_EQ(arange_between(queue_, 5, 0).size(), 0U);
  EXPECT_EQ(floats(arange_between(queue_, 0, 1, 0.25)), (Floats{0, 0.25, 0.5, 0.75}));
  // In floating point the distance would round to one more.
  const std::int64_t far = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(arange_between(queue_, far, far + 3).size(), 3U);
  const auto bytes = DType::of(Scalar::int8);
  EXPECT_THROW(arange_between(queue_, 200, 202, 1, bytes), NumberError);
  EXPECT_THROW(arange_between(queue_, 0, 3, 0), ArgumentError);
  EXPECT_THROW(arange_between(queue_, 0, std::numeric_limits<double>::infinity()), ArgumentError);
  EXPECT_THROW(arange_between(queue_, 0, 3, 1, DType::of(Scalar::boolean)), ArgumentError);
  // As in NumPy the step is that between the first two integers.
  EXPECT_EQ(longs(arange_between(queue_, 0.5, 3, 1.5, DType::of(Scalar::int64))), (Longs{0, 2}));
}

TEST_P(Creation, values_are_broadcast) {
  const Array row = asarray(queue_, Floats{1, 2});
  EXPECT_EQ(floats(full_of(queue_, {2, 2}, row)), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(full_of(queue_, {2}, Number(3)).dtype().scalar, Scalar::int64);
  EXPECT_EQ(full_of(queue_, {2, 3}, row.size() == 2 ? Operand(1.5) : Operand(row), DType::of(Scalar::float32),
                    MemoryOrder::fortran)
                .evaluate()
                .strides,
            (Strides{4, 8}));
}

TEST_P(Creation, numbers_are_spaced_evenly) {
  const Spacing spacing = linspace(queue_, Number(0), Number(1), {.count = 5});
  EXPECT_EQ(floats(spacing.numbers), (Floats{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(spacing.step.value().real(), 0.25);
  const Array stops = asarray(queue_, Floats{2, 4});
  const Spacing wide = linspace(queue_, Number(0), stops, {.count = 2, .endpoint = false, .axis = 1});
  EXPECT_EQ(floats(wide.numbers), (Floats{0, 1, 0, 2}));
  EXPECT_EQ(floats(*wide.steps), (Floats{1, 2}));
  EXPECT_TRUE(std::isnan(linspace(queue_, Number(0), Number(1), {.count = 1}).step.value().real()));
  EXPECT_THROW(linspace(queue_, Number(0), Number(1), {.count = -1}), ArgumentError);
}

TEST_P(Creation, numbers_are_spaced_by_multiples) {
  const Floats powers = floats(logspace(queue_, Number(0), Number(2), Number(3.0), {.count = 3}));
  const Floats expected = {1, 3, 9};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(powers[k], expected[k], 1e-4);
  const Array starts = asarray(queue_, Floats{1, -2}), stops = asarray(queue_, Floats{100, -8});
  const Floats columns = floats(geomspace(queue_, starts, stops, {.count = 3}));
  const Floats wanted = {1, -2, 10, -4, 100, -8};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(columns[k], wanted[k], 1e-3) << k;
  EXPECT_EQ(geomspace(queue_, starts, stops, {.count = 3, .axis = -1}).shape(), (Shape{2, 3}));
  EXPECT_THROW(geomspace(queue_, starts, Number(0)), ArgumentError);
  EXPECT_THROW(geomspace(queue_, asarray(queue_, Floats{1, 0}), Number(1)), ArgumentError);
}

TEST_P(Creation, grids_have_each_array_along_its_axis) {
  const std::vector<Array> lines = {asarray(queue_, Floats{1, 2, 3}), asarray(queue_, Floats{4, 5})};
  EXPECT_EQ(floats(meshgrid(lines)[0]), (Floats{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(floats(meshgrid(lines, {.is_xy = false})[0]), (Floats{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(meshgrid(lines, {.sparse = true})[0].shape(), (Shape{1, 3}));
  EXPECT_EQ(longs(indices(queue_, {2, 2})), (Longs{0, 0, 1, 1, 0, 1, 0, 1}));
  EXPECT_EQ(sparse_indices(queue_, {2, 3})[1].shape(), (Shape{1, 3}));
}

TEST_P(Creation, matrices_are_made_by_their_diagonals) {
  const Array pair = asarray(queue_, Floats{1, 2});
  EXPECT_EQ(floats(diag(pair, 1)), (Floats{0, 1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(floats(diag(diag(pair, -1), -1)), (Floats{1, 2}));
  EXPECT_EQ(diagflat(reshape(pair, {2, 1})).shape(), (Shape{2, 2}));
  EXPECT_EQ(floats(tri(queue_, 2, 3, 0, DType::of(Scalar::float32))), (Floats{1, 0, 0, 1, 1, 0}));
  const Array square = reshape(asarray(queue_, Floats{1, 2, 3, 4}), {2, 2});
  EXPECT_EQ(floats(trace(square)), (Floats{5}));
  EXPECT_EQ(floats(trace(square, 1)), (Floats{2}));
  EXPECT_THROW(diag(reshape(pair, {1, 1, 2})), ArgumentError);
}

QUERN_EACH_DEVICE(Creation);

}  // namespace
}  // namespace quern::test
