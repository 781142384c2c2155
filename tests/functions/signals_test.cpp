// SPDX-License-Identifier: MIT
// Differences, interpolation, signals and polynomials from C++. Expected values are computed by hand.
#include <cmath>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;

class Signals : public EachDevice {
 protected:
  Array floats(const Floats& values) { return asarray(queue_, values); }
  Floats values(const Array& x) {
    return copy(astype(x, DType::of(Scalar::float32))).to_vector<float>(queue_);
  }
  void expect_near(const Array& x, const Floats& expected) {
    const Floats found = values(x);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-4) << k;
  }
};

TEST_P(Signals, differences_and_slopes) {
  const Array squares = floats({1, 4, 9, 16});
  EXPECT_EQ(values(diff(squares, {.n = 2})), (Floats{2, 2}));
  EXPECT_EQ(values(diff(squares, {.prepend = floats({0})})), (Floats{1, 3, 5, 7}));
  EXPECT_EQ(values(ediff1d(squares, floats({9}))), (Floats{3, 5, 7, 9}));
  EXPECT_EQ(values(gradient(squares)[0]), (Floats{3, 4, 6, 7}));
  // The parabola through three points has the squares' own slope.
  EXPECT_EQ(values(gradient(squares, {.edge_order = 2})[0]), (Floats{2, 4, 6, 8}));
  const Array places = floats({0, 1, 3, 4});
  const Array slopes = gradient(places * places, {.spacing = {places}, .edge_order = 2})[0];
  expect_near(slopes, {0, 2, 6, 8});
  EXPECT_EQ(values(trapezoid(floats({1, 2, 3}), floats({0, 1, 3}))), (Floats{6.5}));
  EXPECT_EQ(values(interp(floats({0.5F, 2, 9}), places, floats({0, 10, 20, 30}), {.right = -1})),
            (Floats{5, 15, -1}));
}

TEST_P(Signals, vectors_slide_over_each_other) {
  const Array x = floats({1, 2, 3}), y = floats({1, 10});
  EXPECT_EQ(values(convolve(x, y)), (Floats{1, 12, 23, 30}));
  EXPECT_EQ(values(convolve(x, y, Overlap::same)), (Floats{1, 12, 23}));
  EXPECT_EQ(values(correlate(x, y)), (Floats{21, 32}));
  expect_near(unwrap(floats({0, 3, -3})), {0, 3, -3 + 6.2831853F});
  expect_near(hanning(queue_, 5), {0, 0.5F, 1, 0.5F, 0});
  expect_near(kaiser(queue_, 3, 0), {1, 1, 1});
}

TEST_P(Signals, polynomials_are_computed_with) {
  const Array p = floats({1, 2, 3});
  EXPECT_EQ(values(polyval(p, floats({0, 1, 2}))), (Floats{3, 6, 11}));
  EXPECT_EQ(values(vander(floats({2, 3}), 3)), (Floats{4, 2, 1, 9, 3, 1}));
  EXPECT_EQ(values(polyadd(p, floats({1}))), (Floats{1, 2, 4}));
  EXPECT_EQ(values(polymul(floats({0, 1, 2}), floats({1, 3}))), (Floats{1, 5, 6}));
  const auto [quotient, rest] = polydiv(floats({1, 5, 7}), floats({1, 3}));
  EXPECT_EQ(values(quotient), (Floats{1, 2}));
  EXPECT_EQ(values(rest), (Floats{1}));
  EXPECT_EQ(values(polyder(p)), (Floats{2, 2}));
  EXPECT_EQ(values(polyint(floats({3, 2}), 1, floats({7}))), (Floats{1.5F, 2, 7}));
  EXPECT_EQ(values(poly(floats({1, 2}))), (Floats{1, -3, 2}));
  expect_near(sort(roots(floats({0, 1, -3, 2, 0}))), {0, 1, 2});
  EXPECT_EQ(roots(floats({1, 0, 1})).dtype(), DType::of(Scalar::complex64));
  EXPECT_EQ(roots(floats({5})).size(), 0U);
  expect_near(poly(reshape(floats({2, 1, 1, 2}), {2, 2})), {1, -4, 3});
  const Array x = floats({0, 1, 2, 3, 4});
  const PolynomialFit fit = polyfit(x, polyval(p, x), 2);
  EXPECT_EQ(fit.rank, 3);
  expect_near(fit.coefficients, {1, 2, 3});
}

QUERN_EACH_DEVICE(Signals);

}  // namespace
}  // namespace quern::test
