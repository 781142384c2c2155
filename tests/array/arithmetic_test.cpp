// SPDX-License-Identifier: MIT
// Arithmetic from C++: operators, numbers, broadcasting, errors.
#include <cmath>
#include <limits>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Arithmetic : public EachDevice {
 protected:
  Array sequence(std::int64_t count) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
    return asarray(queue_, values);
  }
};

TEST_P(Arithmetic, an_expression_is_one_launch) {
  const Array x = sequence(1000), y = sequence(1000);
  const auto before = stats().launches;
  const Array z = 5.f * x + 6.f * y - x / 2.f;
  EXPECT_FALSE(z.in_memory());
  const std::vector<float> got = z.to_vector<float>(queue_);
  EXPECT_EQ(stats().launches, before + 1);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 10.5f * static_cast<float>(i));
}

TEST_P(Arithmetic, numbers_and_comparisons_have_numpys_types) {
  const Array x = sequence(4);
  EXPECT_EQ((x + 2).dtype(), DType::of(Scalar::float32));
  EXPECT_EQ((2.5 * x).dtype(), DType::of(Scalar::float32));
  EXPECT_EQ((x < 2).dtype(), DType::of(Scalar::boolean));
  const Array whole = astype(x, DType::of(Scalar::int32));
  EXPECT_EQ((whole + 1).dtype(), DType::of(Scalar::int32));
  EXPECT_EQ(whole.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_P(Arithmetic, shapes_are_broadcast_or_refused) {
  const Array x = reshape(sequence(6), {2, 3}), row = sequence(3);
  EXPECT_EQ((x + row).shape(), (Shape{2, 3}));
  EXPECT_EQ((x + row).to_vector<float>(queue_), (std::vector<float>{0, 2, 4, 3, 5, 7}));
  EXPECT_THROW(x + sequence(4), ArgumentError);
  EXPECT_THROW(apply("no_such_function", {x}), ArgumentError);
  EXPECT_THROW(apply("add", {x}), ArgumentError);
}

TEST_P(Arithmetic, where_takes_elements_of_either) {
  const Array x = sequence(4);
  EXPECT_EQ(where(x < 2, 10 * x, -x).to_vector<float>(queue_), (std::vector<float>{0, 10, -2, -3}));
}

TEST_P(Arithmetic, sums_are_those_of_a_loop) {
  const Array x = reshape(sequence(12), {3, 4});
  EXPECT_EQ(reduce("sum", x * 2.f).to_vector<float>(queue_), (std::vector<float>{132}));
  EXPECT_EQ(reduce("max", x, {1}).to_vector<float>(queue_), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(argmax(-x, {0}).to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(mean(x, {0}).to_vector<float>(queue_), (std::vector<float>{4, 5, 6, 7}));
}

TEST_P(Arithmetic, integers_with_and_without_sign_are_compared_exactly) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t half = std::uint64_t{1} << 63;
  const Array x = asarray(queue_, std::vector<std::uint64_t>{half, half - 1, 0});
  const Array y = asarray(queue_, std::vector<std::int64_t>{kMost, kMost, -1});
  const auto as_bytes = [&](const Array& test) {
    return astype(test, DType::of(Scalar::uint8)).to_vector<std::uint8_t>(queue_);
  };
  EXPECT_EQ(as_bytes(x > y), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(as_bytes(apply("equal", {y, x})), (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_THROW(apply("power", {y, -1}), ArgumentError);
}

QUERN_EACH_DEVICE(Arithmetic);

}  // namespace
}  // namespace quern::test
