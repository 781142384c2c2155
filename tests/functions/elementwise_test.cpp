// SPDX-License-Identifier: MIT
// Elementwise functions from C++, with NumPy's keywords, compared with the C library's.
#include <cmath>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Elementwise : public EachDevice {
 protected:
  Array floats(const std::vector<float>& values) { return asarray(queue_, values); }
};

TEST_P(Elementwise, each_operation_is_a_function) {
  const std::vector<float> values = {0.25F, 0.5F, 1.5F};
  const std::vector<float> sines = sin(floats(values)).to_vector<float>(queue_);
  const std::vector<float> lengths = hypot(floats(values), 2.0).to_vector<float>(queue_);
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(sines[k], std::sin(values[k]), 1e-6);
    EXPECT_NEAR(lengths[k], std::hypot(values[k], 2.0F), 1e-6);
  }
  EXPECT_EQ(acos(floats({1})).to_vector<float>(queue_), (std::vector<float>{0}));
}

TEST_P(Elementwise, results_go_where_they_are_wanted) {
  const Array x = floats({1, 2, 3, 4});
  const Array out = floats({9, 9, 9, 9});
  const Array result = multiply(x, 10, {.out = out, .where = x > 2});
  EXPECT_EQ(result.value(), out.value());
  EXPECT_EQ(out.to_vector<float>(queue_), (std::vector<float>{9, 9, 30, 40}));
  EXPECT_EQ(negative(x, {.where = x < 3}).to_vector<float>(queue_), (std::vector<float>{-1, -2, 0, 0}));
}

TEST_P(Elementwise, a_type_is_computed_in_and_returned) {
  const Array x = asarray(queue_, std::vector<std::int8_t>{100, 100});
  const Array sums = add(x, x, {.dtype = DType::of(Scalar::int32)});
  EXPECT_EQ(sums.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{200, 200}));
  const Array wide = floats({1.5F});
  EXPECT_THROW(add(wide, wide, {.dtype = DType::of(Scalar::int32)}), ArgumentError);
  EXPECT_EQ(add(wide, wide, {.casting = Casting::unsafe, .dtype = DType::of(Scalar::int32)})
                .to_vector<std::int32_t>(queue_),
            (std::vector<std::int32_t>{2}));
}

TEST_P(Elementwise, a_type_of_the_result_alone_leaves_the_operands) {
  const Array bits = asarray(queue_, std::vector<std::uint32_t>{0xffffffffU, 5});
  EXPECT_EQ(bitwise_count(bits, {.dtype = DType::of(Scalar::uint8)}).to_vector<std::uint8_t>(queue_),
            (std::vector<std::uint8_t>{32, 2}));
  const Array exponents = asarray(queue_, std::vector<std::int32_t>{3, -1});
  EXPECT_EQ(
      ldexp(floats({0.5F, 3}), exponents, {.dtype = DType::of(Scalar::float32)}).to_vector<float>(queue_),
      (std::vector<float>{4, 1.5F}));
  EXPECT_THROW(add(floats({1, 2}), exponents, {.casting = Casting::no}), ArgumentError);
  EXPECT_THROW(sin(exponents, {.casting = Casting::equiv}), ArgumentError);
  EXPECT_EQ(add(exponents, exponents, {.casting = Casting::no}).to_vector<std::int32_t>(queue_),
            (std::vector<std::int32_t>{6, -2}));
}

TEST_P(Elementwise, what_does_not_fit_is_refused) {
  const Array x = floats({1, 2, 3}), short_one = floats({1, 2});
  EXPECT_THROW(sin(x, {.out = short_one}), ArgumentError);
  EXPECT_THROW(sin(x, {.out = asarray(queue_, std::vector<std::int32_t>{1, 2, 3})}), ArgumentError);
  EXPECT_THROW(sin(2.0), ArgumentError);  // No array says where.
}

TEST_P(Elementwise, new_arrays_may_be_in_fortran_order) {
  const Array x = reshape(floats({1, 2, 3, 4, 5, 6}), {2, 3});
  const Array y = square(x, {.in_fortran_order = true});
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(y.evaluate().strides, (Strides{4, 8}));
  EXPECT_EQ(copy(y).to_vector<float>(queue_), (std::vector<float>{1, 4, 9, 16, 25, 36}));
}

QUERN_EACH_DEVICE(Elementwise);

}  // namespace
}  // namespace quern::test
