// SPDX-License-Identifier: MIT
// OpenCL C of a reduction: mapped elements are combined along some axes and kept along the others.
#pragma once

#include <string>

#include "codegen/loop.hpp"

namespace quern::codegen {

struct ReductionSource {
  std::string name, preamble;
  std::string item;  // the type that is reduced
  std::size_t item_size = 0;
  bool is_number = true;  // a type that the compiler may keep in vectors
  std::string neutral, reduce;
  std::vector<Operand> operands;
  Snippet map;
  // The value that the last pass of a grid stores instead of the reduced `a`: an expression, its type, and
  // the type of the number quern_divisor that it may use. Empty if the item itself is stored.
  std::string finish = {}, result = {}, divisor = {};
};

// The loop along which neighbouring work-items, or the lanes of a vector, run.
enum class ReductionScheme : std::uint8_t {
  rows,     // along the reduced axes: several work-items share a result
  columns,  // along the kept axes: a work-item has results of its own
};

struct ReductionVariant {
  LoopStyle style = LoopStyle::grid;
  ReductionScheme scheme = ReductionScheme::rows;
  std::uint8_t kept_rank = 0, reduced_rank = 1;
  std::uint8_t vector = 1;
  std::uint16_t group = 256;  // work-items of a work-group of a grid; a power of two
  std::uint16_t lanes = 1;    // work-items of these that share a row; a power of two
  bool wide = false, ranged = false;
  bool finishes = false;                // stores the result of `finish`
  std::vector<OperandLayout> operands;  // inner: along the scheme's innermost loop

  [[nodiscard]] const char* index_type() const { return wide ? "long" : "int"; }
  [[nodiscard]] std::string key() const;
};

// The number of results of a CPU work-item in columns.
unsigned columns_of_block(std::size_t item_size);

// The whole program. Kernel parameters: the user's own, then
//   global item *quern_out,
//   index quern_outputs, quern_segments, quern_chunk (elements of a segment), quern_total (elements of a
//   result), [quern_start, quern_step,] the lengths of the reduced and of the kept loops, innermost first, of
//   each strided operand its offset and its strides along both, [quern_divisor].
// Result o of segment s goes to quern_out[o * segments + s] for rows, quern_out[s * outputs + o] for columns.
std::string emit_reduction(const ReductionSource& source, const ReductionVariant& variant);

}  // namespace quern::codegen
