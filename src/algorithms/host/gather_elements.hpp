// SPDX-License-Identifier: MIT
// gather and scatter on the host by functions of the library, without a compiler.
#pragma once

#include <cstdint>

#include "quern/gather.hpp"

namespace quern::algorithms {

// Positions in a row, and what those outside of n elements lead to.
struct PositionList {
  const Buffer& buffer;
  DType dtype;
  std::size_t count;  // not zero
  std::size_t n;
  OutOfRange rule;
};

// On queues that call functions of the library.
Event gather_elements(const Queue& queue, const PositionList& positions, const DType& dtype,
                      const Buffer& from, const Buffer& out);
// With `previous` values are exchanged. What is combined is aligned.
Event scatter_elements(const Queue& queue, const PositionList& positions, const DType& dtype,
                       const Buffer& values, const Buffer& out, Combine combine, const Buffer* previous);
// How many positions are outside; waits for the answer.
std::uint64_t count_outside(const Queue& queue, const PositionList& positions);

}  // namespace quern::algorithms
