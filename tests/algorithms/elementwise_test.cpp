// SPDX-License-Identifier: MIT
// ElementwiseKernel from C++: what the Python tests cannot see.
#include "quern/elementwise.hpp"

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Elementwise : public EachDevice {};

TEST_P(Elementwise, computes_every_element) {
  const ElementwiseKernel lin_comb("float a, const float *x, float b, const float *y, float *z",
                                   "z[i] = a * x[i] + b * y[i]");
  for (const std::size_t n : {1, 3, 4, 257, 1000, 4099}) {
    std::vector<float> x(n), y(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<float>(k), y[k] = static_cast<float>(3 * k + 1);
    const Array dx = asarray(queue_, x), dy = asarray(queue_, y);
    const Array dz = empty(queue_, {static_cast<std::int64_t>(n)}, dtype_of<float>());
    lin_comb(queue_, 5.f, dx, 6.f, dy, dz);
    const std::vector<float> z = dz.to_vector<float>(queue_);
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(z[k], 5.f * x[k] + 6.f * y[k]) << k << " of " << n;
  }
}

TEST_P(Elementwise, allocates_the_outputs_that_are_missing) {
  const ElementwiseKernel square("const int *x, int *y", "y[i] = x[i] * x[i]");
  const Array x = asarray(queue_, iota(10));
  std::vector<KernelArgument> arguments = {x, nullptr};
  const std::vector<Array> outputs = square.allocate_outputs(queue_, arguments);
  ASSERT_EQ(outputs.size(), 1u);
  square.launch(queue_, arguments);
  EXPECT_EQ(outputs[0].to_vector<int>(queue_)[9], 81);
}

QUERN_EACH_DEVICE(Elementwise);

}  // namespace
}  // namespace quern::test
