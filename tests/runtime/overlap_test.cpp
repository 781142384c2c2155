// SPDX-License-Identifier: MIT
// Copies on one queue run while a kernel runs on another, as their profile times show.
#include <algorithm>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Overlap : public EachDevice {};

TEST_P(Overlap, copies_run_beside_a_kernel) {
  const Queue computing(device_, {.profiling = true}), copying(device_, {.profiling = true});
  const Kernel slow_set = kernels().kernel("slow_set");
  constexpr std::size_t kItems = 4096;
  const Array x = zeros(computing, {kItems}, dtype_of<int>());

  // As many rounds as last a tenth of a second here.
  int rounds = 1000;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Times times = slow_set(computing, range(kItems), x, 1, rounds).times();
    const double wanted = 0.1e9 / static_cast<double>(std::max<std::int64_t>(times.ended - times.started, 1));
    rounds = static_cast<int>(std::clamp(wanted * rounds, 1000.0, 1e9));
  }

  const PinnedBuffer pinned(device_, 4 << 20);
  std::fill_n(static_cast<std::byte*>(pinned.data()), pinned.size(), std::byte{7});
  const Buffer target(device_, pinned.size());
  copying.write(target, pinned.data(), pinned.size()).wait();

  // Another process that uses the device can keep the copies waiting: one time out of five is proof enough.
  bool overlaps = false;
  for (int attempt = 0; attempt < 5 && !overlaps; ++attempt) {
    const Event kernel = slow_set(computing, range(kItems), x, 2, rounds);
    computing.flush();
    std::vector<Event> copies;
    do {
      copies.push_back(copying.write(target, pinned.data(), pinned.size()));
      copies.back().wait();
    } while (!kernel.done());

    const Times whole = kernel.times();
    overlaps = std::any_of(copies.begin(), copies.end(), [&](const Event& copy) {
      const Times part = copy.times();
      return part.started < whole.ended && part.ended > whole.started;
    });
  }
  EXPECT_TRUE(overlaps) << "no copy ran between a kernel's start and its end";
}

QUERN_EACH_DEVICE(Overlap);

}  // namespace
}  // namespace quern::test
