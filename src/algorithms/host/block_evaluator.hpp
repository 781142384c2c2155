// SPDX-License-Identifier: MIT
// Evaluates an expression for a block of elements, one operation after the other, in scratch memory that
// stays in the cache. Shared by the precompiled kernels for expressions and for reductions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/host/loop_program.hpp"

namespace quern::algorithms {

// Copies elements of 1, 2, 4, 8 or 16 bytes. Strides are in bytes.
void copy_elements(std::size_t itemsize, std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::size_t count);

class BlockEvaluator {
 public:
  // For a launch whose first argument is a LoopCall. Its scratch memory has room for blocks of `most`
  // elements.
  BlockEvaluator(const quern_launch* launch, std::uint64_t most);

  // Evaluates `count` elements from number `start` on, in the order of the call's loops. Outputs that are
  // contiguous in memory are written there; store_outputs() writes the others.
  void evaluate(std::int64_t start, std::uint64_t count);
  void store_outputs();
  // Returns the block of an output that is not stored.
  [[nodiscard]] const std::byte* result(std::size_t output) const {
    return static_cast<const std::byte*>(pointers_[program_.outputs[output]]);
  }
  // Calls a loop function with the given arguments for this number of work-items.
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
  // Returns the address of the block's elements if they are contiguous in memory; otherwise null.
  [[nodiscard]] std::byte* direct(const Operand& operand, const LoopProgram::Value& value) const;
  // Calls f(address of a run of elements, number of its first element in the block, length) for each run.
  template <class F>
  void for_each_run(const Operand& operand, const F& f) const;
  // Computes random numbers for the elements of the block.
  void draw(const LoopProgram::Step& step, const LoopProgram::Value& value);
  void load(std::uint32_t ref, const LoopProgram::Value& value);

  const quern_launch* launch_;
  const LoopCall* call_;
  const LoopProgram& program_;
  const std::int64_t* lengths_;
  void** pointers_;  // for each value: its block in scratch memory, or its address in memory
  std::byte* blocks_;
  quern_launch inner_;
  std::int64_t start_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace quern::algorithms
