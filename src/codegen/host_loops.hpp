// SPDX-License-Identifier: MIT
// The precompiled loops over single operations for the host: their list, and their source. The build compiles
// this list; callers find a loop by its index in the list.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codegen/ops.hpp"
#include "quern/dtype.hpp"

namespace quern::codegen {

struct HostLoop {
  enum class Kind : std::uint8_t {
    apply,
    cast,
    where,
    // Parts of reductions by an operation of two operands:
    lanes,  // combines elements that are reduction_lanes() apart: input, so many results
    fold,   // one after the other: input, one result
    // The index of the first minimum (op minimum) or maximum, with its value:
    first_of,       // among all: input, value, index, index of the first element
    first_of_each,  // for each element: input, values, indices, the index that all inputs have
  };
  static constexpr std::size_t kKinds = 7;
  Kind kind = Kind::apply;
  const Op* op = nullptr;  // of all but cast and where
  DType operand, result;   // of where: the type of the choices
};

inline constexpr std::size_t kHostLoopTypes = static_cast<std::size_t>(Scalar::complex128) + 1;

// The loops with operands of this type, in the order of the compiled table. where() selects by bits, so only
// one type of each size has it.
std::vector<HostLoop> host_loops(Scalar operand);

// Their OpenCL C program, with one kernel each. Parameters: inputs, outputs, count; loops that use indices
// also take the first index. Those of reductions, except first_of_each, run as one work-item. A kernel is
// called host_loop_name(index), and computes the same bits as a generated kernel of the expression.
std::string host_loops_text(Scalar operand);
std::string host_loop_name(std::size_t place);

// The number of results that a reduction keeps side by side; the remainder is folded.
std::size_t reduction_lanes(std::size_t itemsize);

// The type whose loop selects between elements of this size.
Scalar chooser_of(std::size_t itemsize);

}  // namespace quern::codegen
