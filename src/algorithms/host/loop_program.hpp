// SPDX-License-Identifier: MIT
// What the host's loops do, step by step, for one expression, and the kernel that does it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/expression.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

struct LoopProgram {
  using Kind = codegen::Expression::Value::Kind;

  // Values have the numbers that the expression gave them.
  struct Value {
    Kind kind;
    std::uint8_t itemsize;
    std::uint32_t argument;  // of operands and scalars, in the order of the arguments
    std::uint32_t slot;      // where its block begins, in bytes for each element of a block
  };
  // How a block of random numbers is made: by a kernel fill_tiles, whose arguments are numbers.
  struct Random {
    std::uint32_t block_elements;            // numbers that a block of the generator gives
    bool starts_block;                       // whether the first argument counts such blocks, and not numbers
    std::array<std::uint32_t, 7> arguments;  // of codegen::RandomForm::arguments()
  };
  struct Step {
    quern_kernel_function* function;  // null: the value is loaded, counted or filled
    std::array<std::uint32_t, 3> inputs;
    std::uint32_t arity, value;
    std::int32_t output;  // the first output that the value is, or -1
  };

  std::vector<Value> values;
  std::vector<Step> steps;  // numbers first
  std::size_t number_steps = 0;
  std::vector<Random> randoms;          // an argument of a value says which is its
  std::vector<std::uint32_t> outputs;   // values
  std::uint32_t arguments = 0;          // operands and scalars
  std::uint32_t bytes_per_element = 0;  // of all blocks together
  std::uint32_t block = 0;              // elements at most; a multiple of 64

  // Scratch memory: a table of pointers, then the blocks.
  [[nodiscard]] std::size_t table_bytes() const { return (values.size() * sizeof(void*) + 127) / 128 * 128; }
  [[nodiscard]] std::size_t scratch_bytes() const;
};

// False where there is no loop for an operation.
bool make_program(const codegen::Expression& expression, LoopProgram& program);

// The value argument of the kernel, as words: this, the lengths of the loops, innermost first, then for each
// argument and each output of the program four words and one for each loop:
//   which pointer it is, or -1 for a number; the bytes from there to its first element, or the number (two
//   words); 0; the bytes that it steps along each loop.
struct LoopCall {
  const LoopProgram* program;
  std::int64_t rank;
  std::int64_t stores;  // whether outputs lie in memory; otherwise they have no words
};
inline constexpr std::size_t kOperandWords = 4;

// The kernel: work-items are elements, in rows of any length that the range's second dimension counts, and a
// group is a block.
void run_loops(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group);

}  // namespace quern::algorithms
