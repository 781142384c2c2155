// SPDX-License-Identifier: MIT
// Reductions from C++ with NumPy's keywords; the expected values are sums done by hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;

class Reductions : public EachDevice {
 protected:
  // 0 1 2
  // 3 4 5
  Array matrix() { return reshape(asarray(queue_, Floats{0, 1, 2, 3, 4, 5}), {2, 3}); }
  Array truths(std::vector<std::uint8_t> values) {
    return astype(asarray(queue_, values), DType::of(Scalar::boolean));
  }
  Floats values(const Array& x) { return x.to_vector<float>(queue_); }
};

TEST_P(Reductions, they_go_over_all_axes_or_those_named) {
  EXPECT_EQ(values(sum(matrix())), (Floats{15}));
  EXPECT_EQ(values(sum(matrix(), {0})), (Floats{3, 5, 7}));
  EXPECT_EQ(values(prod(matrix(), {-1})), (Floats{0, 60}));
  EXPECT_EQ(values(max(matrix(), {.over = {0, 1}})), (Floats{5}));
  EXPECT_EQ(sum(matrix(), {.over = 1, .keepdims = true}).shape(), (Shape{2, 1}));
  EXPECT_EQ(values(ptp(matrix(), {1})), (Floats{2, 2}));
  EXPECT_THROW(sum(matrix(), {2}), AxisError);
  EXPECT_THROW(sum(matrix(), {.over = {0, 0}}), ArgumentError);
}

TEST_P(Reductions, masks_and_first_values_count) {
  const Array mask = truths({1, 0, 1});
  EXPECT_EQ(values(sum(matrix(), {.over = 1, .where = mask})), (Floats{2, 8}));
  EXPECT_EQ(values(sum(matrix(), {.initial = 100})), (Floats{115}));
  EXPECT_EQ(values(max(matrix(), {.over = 1, .initial = 1, .where = mask})), (Floats{2, 5}));
  EXPECT_THROW(max(matrix(), {.where = mask}), ArgumentError);
  EXPECT_EQ(values(mean(matrix(), {.over = 1, .where = mask})), (Floats{1, 4}));
  EXPECT_EQ(values(variance(matrix(), 0, {.over = 1, .where = mask})), (Floats{1, 1}));
}

TEST_P(Reductions, results_go_where_they_are_wanted) {
  const Array out = asarray(queue_, Floats{7, 7, 7});
  EXPECT_EQ(mean(matrix(), {.over = 0, .out = out}).value(), out.value());
  EXPECT_EQ(values(out), (Floats{1.5, 2.5, 3.5}));
  EXPECT_THROW(sum(matrix(), {.out = out}), ArgumentError);
}

TEST_P(Reductions, spreads_take_a_correction_and_a_mean) {
  EXPECT_EQ(values(variance(matrix(), 1, {1})), (Floats{1, 1}));
  EXPECT_EQ(values(standard_deviation(matrix() * 2.F, 1, {1})), (Floats{2, 2}));
  const Array middle = mean(matrix(), {.over = 1, .keepdims = true});
  EXPECT_EQ(values(variance(matrix(), 1, {1}, middle)), (Floats{1, 1}));
}

TEST_P(Reductions, extremes_are_found) {
  EXPECT_EQ(argmax(matrix(), {0}).to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(argmin(matrix()).to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(count_nonzero(matrix(), {0}).to_vector<std::int64_t>(queue_),
            (std::vector<std::int64_t>{1, 2, 2}));
}

QUERN_EACH_DEVICE(Reductions);

}  // namespace
}  // namespace quern::test
