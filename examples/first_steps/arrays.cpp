// SPDX-License-Identifier: MIT
// Arrays without Python: heat spreads over a plate, computed on slices; a plain loop checks the result.
#include <cmath>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

constexpr int kSize = 200, kSteps = 50;

std::vector<float> by_a_loop() {
  std::vector<float> plate(kSize * kSize, 0.0F), next;
  for (int x = 0; x < kSize; ++x) plate[x] = 100;
  for (int step = 0; step < kSteps; ++step) {
    next = plate;
    for (int y = 1; y < kSize - 1; ++y) {
      for (int x = 1; x < kSize - 1; ++x) {
        const float* const at = &plate[y * kSize + x];
        const float around = at[-kSize] + at[kSize] + at[-1] + at[1];
        next[y * kSize + x] = *at + 0.2F * (around - 4 * *at);
      }
    }
    plate.swap(next);
  }
  return plate;
}

int main() {
  qn::Queue queue{qn::default_device()};
  const qn::Index inner = qn::Index::slice(1, -1), before = qn::Index::slice({}, -2),
                  after = qn::Index::slice(2);

  qn::Array plate = qn::zeros(queue, {kSize, kSize}, qn::dtype_of<float>());
  qn::assign(qn::view(plate, {0}), 100);
  const qn::Array middle = qn::view(plate, {inner, inner});
  for (int step = 0; step < kSteps; ++step) {
    const qn::Array around = qn::view(plate, {before, inner}) + qn::view(plate, {after, inner}) +
                             qn::view(plate, {inner, before}) + qn::view(plate, {inner, after});
    qn::assign(middle, middle + 0.2 * (around - 4 * middle));  // one expression, computed as one kernel
  }

  const std::vector<float> ours = plate.to_vector<float>(queue), expected = by_a_loop();
  float difference = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    difference = std::max(difference, std::abs(ours[i] - expected[i]));
  std::cout << queue.device().name() << ": mean " << qn::mean(plate).to_vector<float>(queue)[0]
            << ", warmest inside " << qn::reduce("max", middle).to_vector<float>(queue)[0]
            << ", largest difference from the loop " << difference << '\n';
  return difference < 1e-3F ? 0 : 1;
}
