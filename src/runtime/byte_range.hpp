// SPDX-License-Identifier: MIT
// A part of an allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::detail {

struct ByteRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool overlaps(const ByteRange& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool contains(const ByteRange& other) const noexcept {
    return begin <= other.begin && other.end <= end;
  }
};

// Everything of a resource that has no parts.
inline constexpr ByteRange kWhole{0, SIZE_MAX};

}  // namespace quern::detail
