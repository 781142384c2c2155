// SPDX-License-Identifier: MIT
// OpenCL C that keeps the elements for which a predicate holds, in their order.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_scan.hpp"

namespace quern::codegen {

// What is kept of an element, in an array of its own.
struct SelectOutput {
  std::string type;
  std::size_t size = 0;  // bytes
  Snippet value;         // of `i` and the operands
};

struct SelectSource {
  // Counts: the input is 1 where the predicate holds, otherwise 0, and nothing is put out.
  ScanSource scan;
  std::vector<SelectOutput> outputs;
  bool partition = false;  // those that are not kept follow
};

// The kernels of emit_scan, but for sequential. Behind N they have `global T *` of each output and
// `global ulong *count`.
std::string emit_select(const SelectSource& source, const ScanVariant& variant);

}  // namespace quern::codegen
