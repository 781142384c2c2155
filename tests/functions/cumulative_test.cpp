// SPDX-License-Identifier: MIT
// Cumulative sums and products from C++; the expected values are computed by hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;

class Cumulative : public EachDevice {
 protected:
  // 1 3 2
  // 4 0 5
  Array matrix() { return reshape(asarray(queue_, Floats{1, 3, 2, 4, 0, 5}), {2, 3}); }
  Floats values(const Array& x) { return x.to_vector<float>(queue_); }
};

TEST_P(Cumulative, they_go_along_an_axis_or_through_all) {
  EXPECT_EQ(values(cumsum(matrix())), (Floats{1, 4, 6, 10, 10, 15}));
  EXPECT_EQ(values(cumsum(matrix(), {.axis = 0})), (Floats{1, 3, 2, 5, 3, 7}));
  EXPECT_EQ(values(cumprod(matrix(), {.axis = -1})), (Floats{1, 3, 6, 4, 0, 0}));
  EXPECT_EQ(values(cummax(matrix(), {.axis = 1})), (Floats{1, 3, 3, 4, 4, 5}));
  EXPECT_EQ(values(cummin(matrix())), (Floats{1, 1, 1, 1, 0, 0}));
  EXPECT_THROW(cumsum(matrix(), {.axis = 2}), AxisError);
}

TEST_P(Cumulative, the_standard_asks_for_the_axis) {
  EXPECT_THROW(cumulative_sum(matrix()), ArgumentError);
  const Array sums = cumulative_sum(matrix(), {.axis = 1, .include_initial = true});
  EXPECT_EQ(sums.shape(), (Shape{2, 4}));
  EXPECT_EQ(values(sums), (Floats{0, 1, 4, 6, 0, 4, 4, 9}));
  EXPECT_EQ(values(cumulative_prod(asarray(queue_, Floats{2, 3}))), (Floats{2, 6}));
}

TEST_P(Cumulative, results_go_where_they_are_wanted) {
  const Array out = asarray(queue_, Floats(6));
  EXPECT_EQ(cumsum(matrix(), {.out = out}).value(), out.value());
  EXPECT_EQ(values(out), (Floats{1, 4, 6, 10, 10, 15}));
  EXPECT_THROW(cumsum(matrix(), {.axis = 0, .out = out}), ArgumentError);
}

QUERN_EACH_DEVICE(Cumulative);

}  // namespace
}  // namespace quern::test
