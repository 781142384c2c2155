// SPDX-License-Identifier: MIT
// Eager scopes, evaluation plans and origins of expressions, from C++.
#include <array>
#include <string>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Explain : public EachDevice {};

TEST_P(Explain, in_an_eager_scope_operations_run_where_they_are_written) {
  const Array x = zeros(queue_, {4}, DType::of(Scalar::float32));
  {
    const Eager eager;
    EXPECT_TRUE((x + 1.f).in_memory());
  }
  EXPECT_FALSE((x + 1.f).in_memory());
}

TEST_P(Explain, a_plan_says_what_an_evaluation_would_launch) {
  const Array x = zeros(queue_, {4}, DType::of(Scalar::float32));
  const auto before = stats().launches;
  set_origin_text([](Origin origin) { return "here:" + std::to_string(origin); });
  set_origin(7);
  const Array twice = x * 2.f;
  set_origin(8);
  const Array y = twice + x;
  set_origin(0);
  const std::array<Array, 2> both = {y, x};
  const std::vector<KernelPlan> plans = explain(both);
  EXPECT_EQ(stats().launches, before);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].operations,
            (std::vector<std::string>{"multiply(float32) at here:7", "add(float32) at here:8"}));
  EXPECT_EQ(plans[0].bytes_read, 16U);
  EXPECT_EQ(plans[0].bytes_written, 16U);
  EXPECT_NE(plans[0].source.find("kernel"), std::string::npos);
  EXPECT_FALSE(y.in_memory());
  // The array and the number, then the operations that use them.
  const std::vector<PlanValue>& values = plans[0].values;
  ASSERT_EQ(values.size(), 4U);
  const PlanValue &product = values[2], &sum = values[3];
  EXPECT_EQ(product.name, "multiply");
  EXPECT_EQ(product.inputs.size(), 2U);
  EXPECT_FALSE(product.is_output);
  EXPECT_EQ(sum.name, "add");
  EXPECT_EQ(sum.line, "here:8");
  EXPECT_TRUE(sum.is_output);
  ASSERT_EQ(sum.inputs.size(), 2U);
  EXPECT_EQ(sum.inputs[0], 2U);
  EXPECT_EQ(values[sum.inputs[1]].kind, PlanValue::Kind::array);
  EXPECT_EQ(values[sum.inputs[1]].shape, x.shape());
  set_origin_text(nullptr);
  EXPECT_EQ(explain(both)[0].operations.back(), "add(float32)");
}

QUERN_EACH_DEVICE(Explain);

}  // namespace
}  // namespace quern::test
