// SPDX-License-Identifier: MIT
// gather and scatter on the host by functions written by hand.
#pragma once

#include <cstdint>

#include "quern/gather.hpp"

namespace quern::algorithms {

// A vector of positions among n elements, and the rule for positions out of bounds.
struct PositionList {
  const Buffer& buffer;
  DType dtype;
  std::size_t count;  // not zero
  std::size_t n;
  OutOfRange rule;
};

// The queue's device calls functions.
Event gather_by_function(const Queue& queue, const PositionList& positions, const DType& dtype,
                         const Buffer& from, const Buffer& out);
// With `previous` the old values are stored there. Elements that are combined are aligned.
Event scatter_by_function(const Queue& queue, const PositionList& positions, const DType& dtype,
                          const Buffer& values, const Buffer& out, Combine combine, const Buffer* previous);
// The number of positions out of bounds. Waits for it.
std::uint64_t count_outside_by_function(const Queue& queue, const PositionList& positions);

}  // namespace quern::algorithms
