// SPDX-License-Identifier: MIT
// Elementwise functions composed of several operations, from C++. The expected values are written by hand.
#include <cmath>
#include <limits>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;

class Composite : public EachDevice {
 protected:
  Array floats(const Floats& values) { return asarray(queue_, values); }
  Floats values(const Array& x) { return x.to_vector<float>(queue_); }
};

TEST_P(Composite, numbers_are_rounded_to_decimals) {
  const Array x = floats({1.25F, 2.5F, -3.5F});
  EXPECT_EQ(values(round(x)), (Floats{1, 2, -4}));
  EXPECT_EQ(values(round(floats({125, 251}), -1)), (Floats{120, 250}));
  const Array out = floats({0, 0, 0});
  EXPECT_EQ(round(x, 0, out).value(), out.value());
  EXPECT_EQ(values(out), (Floats{1, 2, -4}));
  const Array whole = asarray(queue_, std::vector<std::int32_t>{15, 25});
  EXPECT_EQ(round(whole, -1).to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{20, 20}));
}

TEST_P(Composite, two_results_go_where_they_are_wanted) {
  const Array x = floats({7, -7});
  const Pair both = divmod(x, 3);
  EXPECT_EQ(values(both.first), (Floats{2, -3}));
  EXPECT_EQ(values(both.second), (Floats{1, 2}));
  // Into the operand itself: the other result is of what was there before.
  const Array other = floats({0, 0});
  const Pair written = divmod(x, 3, {.first = x, .second = other});
  EXPECT_EQ(written.first.value(), x.value());
  EXPECT_EQ(values(x), (Floats{2, -3}));
  EXPECT_EQ(values(other), (Floats{1, 2}));
  EXPECT_EQ(values(modf(floats({1.5F, -2.25F})).first), (Floats{0.5F, -0.25F}));
  EXPECT_EQ(frexp(floats({8, -3})).second.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{4, 2}));
}

TEST_P(Composite, arrays_are_compared_within_bounds) {
  const float nan = std::nanf("");
  const Array x = floats({1, 2, nan});
  EXPECT_FALSE(allclose(x, floats({1, 2, nan})));
  EXPECT_TRUE(allclose(x, floats({1, 2.000001F, nan}), {.equal_nan = true}));
  EXPECT_FALSE(allclose(floats({1, 2}), floats({1, 2.1F})));
  EXPECT_TRUE(allclose(floats({1, 2}), floats({1, 2.1F}), {.atol = 0.2}));
  EXPECT_TRUE(array_equal(floats({1, 2}), floats({1, 2})));
  EXPECT_FALSE(array_equal(floats({1, 2}), floats({1, 2, 3})));
  EXPECT_TRUE(array_equal(x, x, true));
  EXPECT_FALSE(array_equal(x, x));
}

TEST_P(Composite, nan_and_infinity_are_replaced) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Array x = floats({1, std::nanf(""), infinity, -infinity});
  EXPECT_EQ(values(nan_to_num(x, {.nan = 5, .posinf = 6, .neginf = 7})), (Floats{1, 5, 6, 7}));
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(values(nan_to_num(x)), (Floats{1, 0, most, -most}));
}

QUERN_EACH_DEVICE(Composite);

}  // namespace
}  // namespace quern::test
