// SPDX-License-Identifier: MIT
// Computes a piece of an expression's elements, operation after operation, in blocks of memory that stay in
// the cache. What kernels of the host's loops have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/host/loop_program.hpp"

namespace quern::algorithms {

// Moves elements of 1, 2, 4, 8 or 16 bytes without looking into them; strides in bytes.
void copy_elements(std::size_t itemsize, std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::size_t count);

class BlockEvaluator {
 public:
  // For a launch whose first argument is a LoopCall, with scratch memory for `most` elements at once.
  BlockEvaluator(const quern_launch* launch, std::uint64_t most);

  // The elements from number `start` on, in the order of the call's loops; at most as many as said before.
  // Outputs that lie in memory as a block are written there, others by store().
  void evaluate(std::int64_t start, std::uint64_t count);
  void store_outputs();
  // What evaluate() left of an output that is not stored.
  [[nodiscard]] const std::byte* result(std::size_t output) const {
    return static_cast<const std::byte*>(pointers_[program_.outputs[output]]);
  }
  // Calls a loop with the arguments of its kernel, for so many work-items.
  void call(quern_kernel_function* function, std::span<const void* const> arguments, std::uint64_t items);

 private:
  // An argument of the call: a number, or elements in memory.
  struct Operand {
    const std::int64_t* words;
    [[nodiscard]] std::int64_t pointer() const { return words[0]; }
    [[nodiscard]] std::int64_t offset() const { return words[1]; }
    [[nodiscard]] const void* number() const { return &words[1]; }
    [[nodiscard]] std::int64_t stride(std::int64_t d) const {
      return words[kOperandWords + static_cast<std::size_t>(d)];
    }
  };

  [[nodiscard]] Operand operand(std::size_t argument) const;
  [[nodiscard]] std::byte* block_of(const LoopProgram::Value& value) const;
  [[nodiscard]] std::byte* memory(const Operand& operand) const;
  [[nodiscard]] std::int64_t offset_of(const Operand& operand, std::int64_t index) const;
  // Where the elements lie in memory as they are; null where they do not.
  [[nodiscard]] std::byte* direct(const Operand& operand, const LoopProgram::Value& value) const;
  // f(the place of a run of elements in memory, its first element in the block, its length).
  template <class F>
  void for_each_run(const Operand& operand, const F& f) const;
  // Random numbers, for the elements of the block.
  void draw(const LoopProgram::Step& step, const LoopProgram::Value& value);
  void load(std::uint32_t ref, const LoopProgram::Value& value);

  const quern_launch* launch_;
  const LoopCall* call_;
  const LoopProgram& program_;
  const std::int64_t* lengths_;
  void** pointers_;  // by value: its block, or where it lies in memory
  std::byte* blocks_;
  quern_launch inner_;
  std::int64_t start_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace quern::algorithms
