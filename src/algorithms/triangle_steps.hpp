// SPDX-License-Identifier: MIT
// The steps along the summed axis of a product that the lines of a triangular operand keep.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// The steps along the summed axis for a block of lines of a triangular operand: those that all lines keep,
// those that only some keep, and the others, which no line keeps.
struct TriangleSteps {
  struct Range {
    std::int64_t begin, end;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
  };
  Range all, some, none;

  TriangleSteps(const KeptPart& kept, std::int64_t line, std::int64_t lines, std::int64_t depth) {
    const auto clipped = [&](std::int64_t k) { return std::clamp<std::int64_t>(k, 0, depth); };
    const std::int64_t first = line + kept.diagonal, last = line + lines - 1 + kept.diagonal;
    if (kept.side == KeptPart::Side::from_diagonal) {
      none = {0, clipped(first)};
      some = {none.end, clipped(last)};
      all = {some.end, depth};
    } else {
      all = {0, clipped(first + 1)};
      some = {all.end, clipped(last + 1)};
      none = {some.end, depth};
    }
  }
};

}  // namespace quern::algorithms
