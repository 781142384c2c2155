// SPDX-License-Identifier: MIT
// OpenCL C of an elementwise kernel: a loop around a user's operation.
#pragma once

#include <string>

#include "codegen/loop.hpp"

namespace quern::codegen {

struct ElementwiseSource {
  std::string name, preamble;
  std::vector<Operand> operands;
  Snippet operation;
  bool is_plain = true;      // elements may be kept in registers
  bool reads_first = false;  // for each element, all reads come before all writes
  bool has_count = false;    // the operation uses `n`, the number of elements
};

// The whole program. Kernel parameters: the user's own, then loop_parameters().
std::string emit_elementwise(const ElementwiseSource& source, const LoopVariant& variant);

}  // namespace quern::codegen
