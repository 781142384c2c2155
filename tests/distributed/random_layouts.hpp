// SPDX-License-Identifier: MIT
// Random shapes and layouts for tests.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "quern/distributed/layout.hpp"

namespace quern::distributed {

// A layout of this shape for this many ranks: block, irregular, cyclic, replicated in part, owned by one.
inline Layout random_layout(std::mt19937& random, int ranks, const Shape& shape) {
  if (random() % 8 == 0)
    return Layout::owned(ranks, shape, static_cast<int>(random() % static_cast<unsigned>(ranks)));
  std::vector<int> lengths;
  int rest = ranks;
  while (rest > 1) {
    int factor = 1 + static_cast<int>(random() % static_cast<unsigned>(rest));
    while (rest % factor != 0) ++factor;
    lengths.push_back(factor);
    rest /= factor;
  }
  const ProcessGrid grid(lengths);
  std::vector<int> free(lengths.size());
  std::iota(free.begin(), free.end(), 0);
  std::shuffle(free.begin(), free.end(), random);
  std::vector<AxisLayout> axes;
  for (const std::int64_t length : shape) {
    if (free.empty() || random() % 4 == 0) {
      axes.push_back(AxisLayout::whole(length));
      continue;
    }
    const int over = free.back(), parts = lengths[static_cast<std::size_t>(over)];
    free.pop_back();
    switch (random() % 3) {
      case 0:
        axes.push_back(AxisLayout::block(length, over, parts));
        break;
      case 1:
        axes.push_back(AxisLayout::cyclic(length, over, parts, 1 + random() % 3));
        break;
      default: {
        std::vector<std::int64_t> cuts = {0, length};
        for (int i = 1; i < parts; ++i) cuts.push_back(random() % static_cast<unsigned>(length + 1));
        std::sort(cuts.begin(), cuts.end());
        std::vector<std::int64_t> pieces;
        for (std::size_t i = 1; i < cuts.size(); ++i) pieces.push_back(cuts[i] - cuts[i - 1]);
        axes.push_back(AxisLayout::irregular(pieces, over));
      }
    }
  }
  return {grid, std::move(axes)};
}

inline Shape random_shape(std::mt19937& random) {
  Shape shape;
  for (unsigned axes = random() % 4; axes > 0; --axes) shape.push_back(random() % 8);
  return shape;
}

}  // namespace quern::distributed
