// SPDX-License-Identifier: MIT
// The loops over single operations that the library brings along for the host: which there are, and their
// text. The build compiles what is listed here; what runs them finds them by their place in the list.
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
    lanes,  // elements that are so many apart are combined: input, reduction_lanes() results
    fold,   // one after the other: input, one result
    // Where the first of the least (op minimum) or greatest (maximum) is, with its value:
    first_of,       // among all: input, value, index, number of the first
    first_of_each,  // for each element: input, values, indices, number of all inputs
  };
  static constexpr std::size_t kKinds = 7;
  Kind kind = Kind::apply;
  const Op* op = nullptr;  // of all but cast and where
  DType operand, result;   // of where: what is chosen between
};

inline constexpr std::size_t kHostLoopTypes = static_cast<std::size_t>(Scalar::complex128) + 1;

// The loops whose operands are of this type, in the order of the compiled table. Values are chosen between
// (where) by their bits, so only one type of each size has that.
std::vector<HostLoop> host_loops(Scalar operand);

// Their program in OpenCL C, a kernel for each. Parameters: inputs, outputs, count; what counts elements
// takes the first number behind that. Those of reductions, but first_of_each, run as one work-item. A kernel
// is called host_loop_name(place), and computes the same bits as one that is generated for an expression.
std::string host_loops_text(Scalar operand);
std::string host_loop_name(std::size_t place);

// The results that a reduction keeps side by side; what is left over is folded.
std::size_t reduction_lanes(std::size_t itemsize);

// The type whose loop chooses between elements of so many bytes.
Scalar chooser_of(std::size_t itemsize);

}  // namespace quern::codegen
