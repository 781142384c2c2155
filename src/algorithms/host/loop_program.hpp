// SPDX-License-Identifier: MIT
// The steps with which the precompiled loops evaluate an expression, and the kernel that runs them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/expression.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

struct LoopProgram {
  using Kind = codegen::Expression::Value::Kind;

  // Values have the numbers of the expression's values.
  struct Value {
    Kind kind;
    std::uint8_t itemsize;
    std::uint32_t argument;  // of operands and scalars: the number of the argument
    std::uint32_t slot;      // offset of its block in scratch memory, in bytes per element of a block
  };
  // How a block of random numbers is computed: by a kernel fill_tiles, whose arguments are numbers.
  struct Random {
    std::uint32_t block_elements;  // numbers per block of the generator
    bool starts_block;  // whether the first argument counts blocks of the generator instead of numbers
    std::array<std::uint32_t, 7> arguments;  // see codegen::RandomForm::arguments()
  };
  struct Step {
    quern_kernel_function* function;  // null: the value is loaded, an index, or a constant
    std::array<std::uint32_t, 3> inputs;
    std::uint32_t arity, value;
    std::int32_t output;  // the first output that this value is, or -1
  };

  std::vector<Value> values;
  std::vector<Step> steps;  // constants first
  std::size_t number_steps = 0;
  std::vector<Random> randoms;          // `argument` of a random value is its index here
  std::vector<std::uint32_t> outputs;   // values
  std::uint32_t arguments = 0;          // number of operands and scalars
  std::uint32_t bytes_per_element = 0;  // of all blocks together
  std::uint32_t block = 0;              // largest number of elements in a block; a multiple of 64

  // Scratch memory: a table of pointers, then the blocks.
  [[nodiscard]] std::size_t table_bytes() const { return (values.size() * sizeof(void*) + 127) / 128 * 128; }
  [[nodiscard]] std::size_t scratch_bytes() const;
};

// Returns false if the library has no loop for an operation.
bool make_program(const codegen::Expression& expression, LoopProgram& program);

// The value argument of the kernel, as 64-bit words: this structure; the lengths of the loops, innermost
// first; then for each argument and each output of the program:
// which pointer it uses, or -1 for a number;
// two words: the byte offset of its first element from there, or the number;
// 0; its stride in bytes along each loop.
struct LoopCall {
  const LoopProgram* program;
  std::int64_t rank;
  std::int64_t stores;  // whether outputs are in memory; otherwise they have no words
};
inline constexpr std::size_t kOperandWords = 4;

// The kernel. A work-item is an element; the range's second dimension counts rows, which may have any length.
// A group is a block.
void run_loops(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group);

}  // namespace quern::algorithms
