// SPDX-License-Identifier: MIT
// Broadcasting, and the smallest nest of loops that visits the elements of several strided operands together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quern/inline_vector.hpp"

namespace quern::codegen {

using Lengths = InlineVector<std::int64_t, 4>;

// One operand: the lengths of its array, strides in elements.
struct View {
  Lengths shape, strides;
};

// NumPy's broadcasting; throws an ArgumentError that shows the shapes.
Lengths broadcast_shapes(std::span<const View> views, const std::string& what);

// Loops, innermost first; neighbouring axes that can be merged in every operand are one loop.
struct IndexSpace {
  Lengths lengths;                   // at least one
  InlineVector<Lengths, 8> strides;  // of each operand, as many as lengths; 0 if it is broadcast
  [[nodiscard]] std::size_t rank() const { return lengths.size(); }
  [[nodiscard]] std::int64_t size() const;
  // The furthest element of any operand from its first, or the number of all elements, whichever is greater.
  [[nodiscard]] std::int64_t reach() const;
};

// Over all axes of `shape`, or those that are marked if some are, with the operands broadcast to it.
IndexSpace index_space(const Lengths& shape, std::span<const View> views, const std::vector<bool>& axes = {});

}  // namespace quern::codegen
