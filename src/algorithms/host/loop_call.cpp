// SPDX-License-Identifier: MIT
// Packs the arguments of the kernels that run precompiled loops.
#include "algorithms/host/loop_call.hpp"

#include <algorithm>

namespace quern::algorithms {
namespace {

using detail::PrecompiledKernel;

// The bytes of a buffer that an operand may access, and the offset of its first element in them.
struct Extent {
  PrecompiledKernel::Memory memory;
  std::int64_t first;
};

Extent extent_of(const BoundOperand& operand, const codegen::IndexSpace& space, std::size_t b) {
  const auto itemsize = static_cast<std::int64_t>(operand.itemsize);
  std::int64_t down = 0, up = itemsize;
  for (std::size_t d = 0; d < space.rank(); ++d) {
    const std::int64_t step =
        space.strides[b][d] * itemsize * std::max<std::int64_t>(space.lengths[d] - 1, 0);
    (step < 0 ? down : up) += step;
  }
  const auto begin = static_cast<std::size_t>(static_cast<std::int64_t>(operand.offset) + down);
  return {{&operand.buffer(), begin, static_cast<std::size_t>(up - down), operand.written}, -down};
}

}  // namespace

PackedCall pack_call(const LoopProgram& program, std::span<const KernelArgument> arguments,
                     const BoundOperands& bound, const codegen::IndexSpace& space, bool stores) {
  const std::size_t rank = space.rank(), record = kOperandWords + rank;
  constexpr std::size_t kHeader = sizeof(LoopCall) / sizeof(std::int64_t);
  PackedCall packed;
  std::vector<std::int64_t>& words = packed.words;
  words.resize(kHeader + rank + arguments.size() * record, 0);
  const LoopCall call{&program, static_cast<std::int64_t>(rank), stores ? 1 : 0};
  std::memcpy(words.data(), &call, sizeof call);
  std::copy(space.lengths.begin(), space.lengths.end(), words.begin() + kHeader);
  const auto words_of = [&](std::size_t argument) { return &words[kHeader + rank + argument * record]; };
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    words_of(a)[0] = -1;
    if (arguments[a].kind == KernelArgument::Kind::raw && arguments[a].size <= 2 * sizeof(std::int64_t))
      std::memcpy(words_of(a) + 1, arguments[a].raw, arguments[a].size);
  }
  packed.memory.reserve(bound.size() + 2);
  for (std::size_t b = 0; b < bound.size(); ++b) {
    const Extent extent = extent_of(bound[b], space, b);
    std::int64_t* const operand = words_of(bound[b].argument);
    operand[0] = static_cast<std::int64_t>(packed.memory.size());
    operand[1] = extent.first;
    for (std::size_t d = 0; d < rank; ++d)
      operand[kOperandWords + d] = space.strides[b][d] * static_cast<std::int64_t>(bound[b].itemsize);
    packed.memory.push_back(extent.memory);
  }
  return packed;
}

}  // namespace quern::algorithms
