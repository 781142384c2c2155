// SPDX-License-Identifier: MIT
// Strided operands of precompiled kernels: packs them for a launch, and iterates over them in the kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "algorithms/host/hand_written_kernel.hpp"
#include "codegen/index_space.hpp"
#include "quern/array.hpp"

namespace quern::algorithms {

// A word of memory at any address.
template <class T>
struct __attribute__((packed, may_alias)) Word {
  T value;
};
struct TwoWords {
  std::uint64_t low, high;
};
// Returns the largest word size in bytes that divides the item size.
constexpr std::size_t word_size(std::size_t itemsize) {
  std::size_t size = 16;
  while (itemsize % size != 0) size /= 2;
  return size;
}
// Calls `function` with a null pointer to the word type of this size.
template <class Function>
void with_word(std::size_t size, const Function& function) {
  switch (size) {
    case 1:
      return function(static_cast<Word<std::uint8_t>*>(nullptr));
    case 2:
      return function(static_cast<Word<std::uint16_t>*>(nullptr));
    case 4:
      return function(static_cast<Word<std::uint32_t>*>(nullptr));
    case 8:
      return function(static_cast<Word<std::uint64_t>*>(nullptr));
    default:
      return function(static_cast<Word<TwoWords>*>(nullptr));
  }
}

template <class W>
void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
              std::int64_t count) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(W));
  const auto at = [&](std::int64_t i) { return reinterpret_cast<const W*>(from + i * from_stride)->value; };
  if (to_stride != kSize) {
    for (std::int64_t i = 0; i < count; ++i) reinterpret_cast<W*>(to + i * to_stride)->value = at(i);
    return;
  }
  auto* const out = reinterpret_cast<W*>(to);
  if (from_stride == kSize && count > 8) {  // for a few words a call of memcpy takes longer
    std::memcpy(to, from, static_cast<std::size_t>(count * kSize));
  } else if (from_stride == 0) {
    const auto value = at(0);
    for (std::int64_t i = 0; i < count; ++i) out[i].value = value;
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i].value = at(i);
  }
}

struct StridedOperand {
  const Array* array;
  bool writes = false;
  bool is_base = false;  // the function also accesses other elements of the buffer
};

// Returns the operands' loops with as few axes as possible. Strides are in bytes.
codegen::IndexSpace bytewise_space(const Shape& shape, std::span<const StridedOperand> operands);

// A call of a function: its `own` words, the loops and the operands. The memory of operand k is memory k of
// the launch.
struct StridedCall {
  std::vector<std::int64_t> words;
  std::vector<HandWrittenKernel::Memory> memory;
  StridedCall(std::span<const std::int64_t> own, const codegen::IndexSpace& space,
              std::span<const StridedOperand> operands);
  Event launch(const HandWrittenKernel& function, const Queue& queue, std::size_t elements,
               std::size_t group) const {
    return function.launch_bytes(queue, elements, group, std::as_bytes(std::span(words)), memory, {});
  }
};

// Reads a StridedCall within the function and iterates over the operands.
class StridedWalk {
 public:
  explicit StridedWalk(const quern_launch* launch);

  [[nodiscard]] const std::int64_t* own() const { return own_; }
  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::int64_t length(std::size_t d) const { return lengths_[d]; }
  [[nodiscard]] std::int64_t stride(std::size_t operand, std::size_t d) const {
    return strides_of(operand)[d];
  }
  [[nodiscard]] std::byte* at(std::size_t operand) const { return at_[operand]; }

  // Moves to an element by its number among the loops from `first` on, at the start of the loops before.
  void seek(std::uint64_t number, std::size_t first = 0);
  void step(std::size_t d, std::int64_t count) {  // along loop d
    index_[d] += count;
    for (std::size_t k = 0; k < operands_; ++k) at_[k] += count * strides_of(k)[d];
  }
  // The next elements, at most `most`: a part of a row, or whole rows.
  struct Block {
    std::int64_t rows, columns;
  };
  [[nodiscard]] Block block(std::uint64_t most) const;
  void skip(const Block& block);
  [[nodiscard]] std::int64_t row_stride(std::size_t operand) const {
    return rank_ > 1 ? strides_of(operand)[1] : 0;
  }

 private:
  [[nodiscard]] const std::int64_t* strides_of(std::size_t operand) const {
    return lengths_ + rank_ + operand * (rank_ + 1) + 1;
  }
  const std::int64_t *own_, *lengths_;
  std::size_t rank_, operands_;
  InlineVector<std::int64_t, 8> index_;
  InlineVector<std::byte*, 8> at_;
};

}  // namespace quern::algorithms
