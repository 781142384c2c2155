// SPDX-License-Identifier: MIT
// The steps with which precompiled loops reduce an expression block by block, and the kernel that runs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/host/loop_program.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

struct ReductionLoopProgram {
  LoopProgram map;  // its output is the reduced value
  // Loops of codegen::HostLoop. For reductions: `lanes` and `fold` reduce rows, and the operation itself
  // reduces columns. For argmin and argmax: null, `first_of` and `first_of_each`.
  quern_kernel_function *lanes = nullptr, *fold = nullptr, *column = nullptr;
  bool finds = false;
  std::uint32_t itemsize = 0;
  std::array<std::byte, 16> neutral{};

  // The number of elements that are mapped at once, or of results that are computed side by side. A multiple
  // of the vector length for any type.
  [[nodiscard]] std::uint32_t block() const { return map.block / 128 * 128; }
  // Offsets in scratch memory, after that of the map: results, then their indices.
  [[nodiscard]] std::size_t results_at() const { return (map.scratch_bytes() + 127) / 128 * 128; }
  [[nodiscard]] std::size_t indices_at() const { return results_at() + block() * std::size_t{itemsize}; }
  [[nodiscard]] std::size_t scratch_bytes() const { return indices_at() + block() * sizeof(std::int64_t); }
};

// Follows the words of the LoopCall. The LoopCall's innermost loops are the reduced ones if rows are reduced,
// and the kept ones if columns are reduced.
struct ReductionCall {
  const ReductionLoopProgram* program;
  std::int64_t outputs, segments, chunk, total;  // as in the generated kernels
  std::int64_t is_columns;
  // Pointer numbers or -1: of the results, of their indices, and of the array in which indices are looked up.
  std::int64_t values, indices, lookup;
};

// The kernel. For rows, a work-item is a segment of a result; the segments of a result are consecutive. For
// columns, work-items are {blocks of results, segments}. A group is one work-item.
void run_reduction(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group);

}  // namespace quern::algorithms
