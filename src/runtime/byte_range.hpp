// SPDX-License-Identifier: MIT
// A range of bytes of an allocation.
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

// The whole of a resource.
inline constexpr ByteRange kWhole{0, SIZE_MAX};

}  // namespace quern::detail
