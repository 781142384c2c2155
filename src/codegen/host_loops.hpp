// SPDX-License-Identifier: MIT
// The loops over single operations that the library brings along for the host: which there are, and their
// text. The build compiles what is listed here; what runs them finds them by their place in the list.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/ops.hpp"
#include "quern/dtype.hpp"

namespace quern::codegen {

struct HostLoop {
  enum class Kind : std::uint8_t { apply, cast, where };
  Kind kind = Kind::apply;
  const Op* op = nullptr;  // of apply
  DType operand, result;   // of where: what is chosen between
};

inline constexpr std::size_t kHostLoopTypes = static_cast<std::size_t>(Scalar::complex128) + 1;

// The loops whose operands are of this type, in the order of the compiled table. Values are chosen between
// (where) by their bits, so only one type of each size has that.
std::vector<HostLoop> host_loops(Scalar operand);

// Their program in OpenCL C, a kernel for each; parameters: inputs, output, count. A kernel is called
// host_loop_name(place), and computes the same bits as one that is generated for an expression.
std::string host_loops_text(Scalar operand);
std::string host_loop_name(std::size_t place);

// The type whose loop chooses between elements of so many bytes.
Scalar chooser_of(std::size_t itemsize);

}  // namespace quern::codegen
