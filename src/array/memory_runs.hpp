// SPDX-License-Identifier: MIT
// Splits strided elements into contiguous runs of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quern/array.hpp"
#include "runtime/byte_range.hpp"

namespace quern::array {

// Calls f(offset, bytes) for each contiguous run of elements, in C order. The offset counts from the first
// element.
template <class F>
void for_each_run(const Shape& shape, const Strides& strides, std::size_t itemsize, F&& f) {
  const std::size_t rank = shape.size();
  const std::int64_t inner = rank == 0 ? 1 : shape[rank - 1];
  const std::int64_t step = rank == 0 ? 0 : strides[rank - 1];
  const bool is_run = inner == 1 || step == static_cast<std::int64_t>(itemsize);
  Shape at(rank, 0);
  std::int64_t offset = 0;
  for (;;) {
    if (is_run) {
      f(offset, static_cast<std::size_t>(inner) * itemsize);
    } else {
      for (std::int64_t i = 0; i < inner; ++i) f(offset + i * step, itemsize);
    }
    std::size_t d = rank < 2 ? 0 : rank - 1;
    for (; d-- > 0;) {
      offset += strides[d];
      if (++at[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      at[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

// Returns the bytes of an allocation from the first to the last element of a nonempty array.
inline detail::ByteRange reach_of(const ArrayMemory& memory, const Shape& shape, std::size_t itemsize) {
  std::int64_t first = static_cast<std::int64_t>(memory.buffer.offset() + memory.offset), last = first;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (memory.strides[d] < 0 ? first : last) += memory.strides[d] * (shape[d] - 1);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last) + itemsize};
}

}  // namespace quern::array
