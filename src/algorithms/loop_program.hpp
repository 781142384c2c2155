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
  struct Step {
    quern_kernel_function* function;  // null: the value is loaded, counted or filled
    std::array<std::uint32_t, 3> inputs;
    std::uint32_t arity, value;
  };
  // What a step's value is stored to, besides being there for later steps.
  struct Output {
    std::uint32_t value;
    bool is_direct;  // the first of this value, which the step may write itself
  };

  std::vector<Value> values;
  std::vector<Step> steps;  // numbers first
  std::size_t number_steps = 0;
  std::vector<Output> outputs;
  std::uint32_t arguments = 0;         // operands and scalars
  std::uint32_t bytes_per_element = 0;  // of all blocks together
  std::uint32_t block = 0;              // elements; a multiple of 64

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
  std::int64_t is_flat;  // blocks are pieces of all elements in C order, not of rows
};
inline constexpr std::size_t kOperandWords = 4;

// The kernel: work-items are elements, a group is a block. Rows: {length, rows}; flat: {elements}.
void run_loops(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group);

}  // namespace quern::algorithms
