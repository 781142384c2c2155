// SPDX-License-Identifier: MIT
// OpenCL C that selects the elements for which a predicate is true, in their order.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_scan.hpp"

namespace quern::codegen {

// An output: the value of a selected element.
struct SelectOutput {
  std::string type;
  std::size_t size = 0;  // bytes
  Snippet value;         // of `i` and the operands
};

struct SelectSource {
  // Counts: the input is 1 where the predicate is true, otherwise 0, and there is no output.
  ScanSource scan;
  std::vector<SelectOutput> outputs;
  bool partition = false;  // the elements that are not selected follow
};

// The kernels of emit_scan, except sequential. After N they have `global T *` of each output and `global
// ulong *count`.
std::string emit_select(const SelectSource& source, const ScanVariant& variant);

}  // namespace quern::codegen
