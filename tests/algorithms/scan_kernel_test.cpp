// SPDX-License-Identifier: MIT
// ScanKernel from C++: strategies against a sequential loop.
#include "quern/scan_kernel.hpp"

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Scan : public EachDevice {
 protected:
  [[nodiscard]] std::vector<ScanTuning> tunings() const {
    std::vector<ScanTuning> all = {{}, {ScanStrategy::sequential}, {ScanStrategy::multi_pass, 32, 8}};
    if (queue_.device().properties().groups_start_in_order) all.push_back({ScanStrategy::look_back, 64, 4});
    return all;
  }
};

TEST_P(Scan, sums_up_to_each_element) {
  for (const ScanTuning& tuning : tunings()) {
    const ScanKernel cumsum("int", {"const int *x, int *y", "x[i]", "a + b", "y[i] = item", "", "", {}}, {},
                            tuning);
    for (const std::size_t n : {1, 2, 255, 256, 257, 4099, 100'003}) {
      std::vector<int> x(n);
      for (std::size_t k = 0; k < n; ++k)
        x[k] = static_cast<int>(static_cast<std::uint32_t>(k * 2654435761u) >> 20);
      const Array dx = asarray(queue_, x), dy = empty(queue_, dx.shape(), dx.dtype());
      cumsum(queue_, dx, dy);
      const std::vector<int> y = dy.to_vector<int>(queue_);
      int sum = 0;
      for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(y[k], sum += x[k]) << k << " of " << n;
    }
  }
}

TEST_P(Scan, of_nothing_launches_nothing) {
  const ScanKernel cumsum("int", {"const int *x, int *y", "x[i]", "a + b", "y[i] = item", "", "", {}});
  const Array none = empty(queue_, {0}, dtype_of<int>());
  EXPECT_TRUE(cumsum(queue_, none, none).done());
}

QUERN_EACH_DEVICE(Scan);

}  // namespace
}  // namespace quern::test
